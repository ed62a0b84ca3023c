"""What a run was, apart from its rows: run.json in its folder."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from longctx.errors import UserError

MANIFEST = "run.json"


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """version: of longctx. profile_digest: of the profile's file, SHA-256. seed: of the trials.

    options: the command-line options that ask for the same trials again. finished_at: ISO 8601, UTC.
    prices: of each model, in USD per million tokens, by which its rows tell what was paid.
    sent_as: model -> the id that its provider was sent, where that is another.
    filters: the "too hard" filters of its questions, as their files say them.
    left_out: scenarios of its grid that it did not run, or only one trial of, as `scenario_name` names them.
    empty: those that have no question. shard: which part of the grid it ran, such as 2/5; empty for all of it.
    min_rates: the least rate of each of a shard's scenarios, which is tested when all shards are merged.
    merged: of a run that was merged from others, the manifest of each, in the order of their names. Then version and
    profile name all there are, and what else differs between them is empty, or null.
    """

    run: str
    version: str
    profile: str
    profile_digest: str
    about: str
    seed: int | None
    labels: Mapping[str, str] = field(default_factory=dict)
    options: tuple[str, ...] = ()
    finished_at: str
    prices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    sent_as: Mapping[str, str] = field(default_factory=dict)
    filters: tuple[Mapping[str, Any], ...] = ()
    left_out: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()
    shard: str = ""
    min_rates: Mapping[str, float] = field(default_factory=dict)
    merged: tuple[Mapping[str, Any], ...] = ()

    @property
    def parts(self) -> Sequence[Mapping[str, Any]]:
        """The manifests of the runs that it was merged from, as fields; its own, where it was not merged."""
        return self.merged or (asdict(self),)

    @property
    def prices_of(self) -> dict[str, str]:
        """Model -> the day of its prices."""
        return {model: one["dated"] for model, one in self.prices.items()}

    def write(self, folder: Path) -> None:
        text = json.dumps(asdict(self), ensure_ascii=False, indent=1)
        (folder / MANIFEST).write_text(f"{text}\n", encoding="utf-8")


def load_manifest(folder: Path) -> Manifest:
    """Raises FileNotFoundError where the folder holds no finished run."""
    return as_manifest(json.loads((folder / MANIFEST).read_text(encoding="utf-8")))


def require_manifest(folder: Path) -> Manifest:
    """The same, for what cannot do without it. Raises UserError."""
    try:
        return load_manifest(folder)
    except FileNotFoundError:
        raise UserError(f"{folder} lacks {MANIFEST}, which says what it is a run of: run it again.") from None


def as_manifest(fields: Mapping[str, Any]) -> Manifest:
    """From what `write` wrote; what an earlier version did not write is empty."""
    tuples = ("options", "filters", "left_out", "empty", "merged")
    return Manifest(**{**fields, **{name: tuple(fields.get(name, ())) for name in tuples}})
