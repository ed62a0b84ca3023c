"""The manifest of a run, run.json: everything that is known of the run apart from its rows."""

from __future__ import annotations

import functools
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, cast

from pydantic import Field, TypeAdapter

from longctx.errors import UserError
from longctx.fields import Amount, Natural, Text, Whole, parsed, reason
from longctx.results.origin import WEB
from longctx.vocabulary.looks import PLANS, LooksPlan, RunLooks

MANIFEST = "run.json"
OF_PLANS = f"^({'|'.join(PLANS)})?$"


@dataclass(frozen=True, slots=True, kw_only=True)
class RecordedTerms:
    """The terms by which a run is judged, or would be if it had a baseline."""

    margin: Amount
    alpha: Amount
    run_margin: Amount | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """The fields of run.json.

    In a merged run, `version` and `profile` list those of all its parts; other fields that differ are empty or null.
    """

    run: Text
    """The name of the run: the time at which it began."""
    version: Text
    """The version of longctx."""
    profile: Text
    """The name of the profile."""
    profile_digest: Text
    """SHA-256 of the profile's file."""
    about: Text
    """The profile's own description."""
    seed: Natural | None
    """The random seed of the trials."""
    labels: Mapping[Text, Text] = field(default_factory=dict)
    """The labels that the user gave the run."""
    options: tuple[Text, ...] = ()
    """The command-line options that repeat the same trials."""
    finished_at: Text
    """ISO 8601, UTC."""
    prices: Mapping[Text, Mapping[str, Any]] = field(default_factory=dict)
    """The prices of each model in USD per million tokens, from which the costs in the rows were computed."""
    sent_as: Mapping[Text, Text] = field(default_factory=dict)
    """The id by which the provider knows the model, for each model for which it is another."""
    headers: Mapping[Text, Text] = field(default_factory=dict)
    """The betas and headers that were sent with each model's questions, one a line, where its profile has any."""
    base: Text = ""
    """The branch or commit that the run's answers were compared with (LONGCTX_BASE); empty without one."""
    hooks: tuple[Text, ...] = ()
    """The hooks of the project that change what is compared as the same request, and what is recorded of an answer."""
    documents: Mapping[Text, Mapping[Text, Text]] = field(default_factory=dict)
    """The digest of each section of the documents, by the bank that the profile names; not for banks of version 1."""
    templates: Mapping[Text, Mapping[Text, Text]] = field(default_factory=dict)
    """The prompt templates of its tests, by the digest that its rows name."""
    texts: Mapping[Text, Mapping[Text, Text]] = field(default_factory=dict)
    """The texts that its tests sent, without keys, by their kind and the digests that its rows name."""
    filters: tuple[Mapping[str, Any], ...] = ()
    """The "too hard" filters of its questions, with the contents of their files."""
    facts: Mapping[Text, Mapping[Text, Whole]] = field(default_factory=dict)
    """The facts of each cell, by `cell_name`, such as how many questions a filter kept."""
    looks: Annotated[str, Field(pattern=OF_PLANS)] = ""
    """The plan by which the gate looks at the evidence; empty if it looks once, at the end."""
    functions_looks: Annotated[str, Field(pattern=OF_PLANS)] = ""
    """The plan by which the gate looks at tests without a declaration."""
    terms: RecordedTerms | None = None
    """The terms of its gate, apart from the looks; None if they are not known."""
    left_out: tuple[Text, ...] = ()
    """The cells of the grid, by `cell_name`, that the run did not measure, or measured one trial of."""
    empty: tuple[Text, ...] = ()
    """The cells that have no question."""
    fresh: Text = ""
    """Why a new body of evidence begins with the run (--ctx-fresh); empty if none does."""
    shard: Annotated[str, Field(pattern=r"^(\d{1,6}/\d{1,6})?$")] = ""
    """The part of the grid that the run measured, such as 2/5; empty for the whole grid."""
    min_rates: Mapping[Text, Amount] = field(default_factory=dict)
    """The minimum rates of a shard's cells, which are tested when all shards are merged."""
    reports: Mapping[Text, Annotated[bool, Field(strict=True)]] = field(default_factory=dict)
    """The test functions that declare a report, and whether it adds to the gate."""
    commit: Annotated[str, Field(pattern=WEB)] = ""
    """The address of the commit, if the run's environment named it."""
    ci_run: Annotated[str, Field(pattern=WEB)] = ""
    """The address of the CI run."""
    tests: Mapping[Text, Natural] = field(default_factory=dict)
    """How many of pytest's tests passed and failed, by outcome, before the gate; empty for a run without pytest."""
    servers: Mapping[Text, Mapping[Text, Mapping[Text, Any]]] = field(default_factory=dict)
    """What each server with a name says of itself (ServerSays), by the model that it serves."""
    merged: tuple[Mapping[str, Any], ...] = ()
    """The manifests of the runs that it was merged from, in the order of their names."""

    @property
    def plans_of_looks(self) -> RunLooks:
        return RunLooks(_plan(self.looks), _plan(self.functions_looks))

    @property
    def parts(self) -> Sequence[Mapping[str, Any]]:
        """The fields of the manifests that it was merged from; its own fields if it was not merged."""
        return self.merged or (asdict(self),)

    @property
    def prices_of(self) -> dict[str, str]:
        """The date of each model's prices."""
        return {model: str(prices.get("dated", "?")) for model, prices in self.prices.items()}

    @property
    def with_profile(self) -> str:
        """The profile in a list of facts; test functions need none."""
        return f"profile {self.profile}" if self.profile else "no profile"

    def write(self, folder: Path) -> None:
        text = json.dumps(asdict(self), ensure_ascii=False, indent=1)
        (folder / MANIFEST).write_text(f"{text}\n", "utf-8", "backslashreplace")


def _plan(looks: str) -> LooksPlan:
    return cast(LooksPlan, looks or "once")


def load_manifest(folder: Path) -> Manifest:
    """Load the manifest of a finished run. Raises FileNotFoundError if the folder contains none, or UserError."""
    try:
        return as_manifest(parsed(json.loads, (folder / MANIFEST).read_text(encoding="utf-8")))
    except ValueError as error:
        raise damaged_file_error(folder / MANIFEST, error) from None


def require_manifest(folder: Path) -> Manifest:
    """Load the manifest of a finished run. Raises UserError if the folder contains none."""
    try:
        return load_manifest(folder)
    except FileNotFoundError:
        raise UserError(
            "manifest-missing", f"{folder} lacks {MANIFEST}, the description of the run: run it again."
        ) from None


def damaged_file_error(path: Path, error: Exception) -> UserError:
    """Return an error for a file of a run that is not as longctx wrote it."""
    return UserError(
        "damaged-run",
        f"{path} is not a valid file of a run ({reason(error)}): restore it, or run it again; recorded requests are "
        "not sent again.",
    )


@functools.cache
def _type() -> TypeAdapter[Manifest]:
    return TypeAdapter(Manifest)


def as_manifest(fields: object) -> Manifest:
    """Return the manifest with these fields. Raises ValueError."""
    manifest = _type().validate_python(fields)
    for part in manifest.merged:
        _type().validate_python(part)
    return manifest
