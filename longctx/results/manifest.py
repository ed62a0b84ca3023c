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
    """The fields of run.json. In a merged run, `version` and `profile` name all that its parts have, and what else
    differs between them is empty, or null."""

    run: str
    """Its name, the time at which it began."""
    version: str
    """The version of longctx."""
    profile: str
    """The name of the profile."""
    profile_digest: str
    """SHA-256 of the profile's file."""
    about: str
    """What the profile says of itself."""
    seed: int | None
    """The random seed of the trials."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What the user said of the run."""
    options: tuple[str, ...] = ()
    """The command-line options that ask for the same trials again."""
    finished_at: str
    """ISO 8601, UTC."""
    prices: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Model -> its prices, in USD per million tokens, by which the rows tell what was paid."""
    sent_as: Mapping[str, str] = field(default_factory=dict)
    """Model -> the id that its provider was sent, where that is another."""
    filters: tuple[Mapping[str, Any], ...] = ()
    """The "too hard" filters of its questions, as their files say them."""
    facts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """Scenario, as `scenario_name` names it -> what is told of it once, such as how many questions a filter kept."""
    early_stop: bool = False
    """Whether it might stop once its verdict was settled, which takes a part of the gate's alpha."""
    left_out: tuple[str, ...] = ()
    """Scenarios of its grid that it did not run, or only one trial of, as `scenario_name` names them."""
    empty: tuple[str, ...] = ()
    """Scenarios that have no question."""
    shard: str = ""
    """Which part of the grid it ran, such as 2/5; empty for all of it."""
    min_rates: Mapping[str, float] = field(default_factory=dict)
    """The least rate of each of a shard's scenarios, which is tested when all shards are merged."""
    merged: tuple[Mapping[str, Any], ...] = ()
    """The manifests of the runs that it was merged from, in the order of their names."""

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
        raise UserError(
            "manifest-missing", f"{folder} lacks {MANIFEST}, which says what was run: run it again."
        ) from None


def as_manifest(fields: Mapping[str, Any]) -> Manifest:
    """From what `write` wrote; what an earlier version did not write is empty."""
    tuples = ("options", "filters", "left_out", "empty", "merged")
    return Manifest(**{**fields, **{name: tuple(fields.get(name, ())) for name in tuples}})
