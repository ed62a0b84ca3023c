"""The answers of an earlier run to the trials of a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from longctx.compare.pairs import Treatments, match_runs, pairs
from longctx.errors import UserError
from longctx.registry import shipped
from longctx.results.row import Row
from longctx.vocabulary.both import Both
from longctx.vocabulary.declaration import Protocol

RowIdentity = tuple[object, ...]
CHANGES = ("lost", "gained", "still wrong", "unchanged", "not compared")
"""The groups of a page's trials: a trial is unchanged if both runs were right."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The answer of an earlier run to a trial."""

    row: Row
    view: Mapping[str, Any] = field(default_factory=dict)
    """The fields of its view; without `reply` if that was not kept."""
    same: bool = False
    """Whether the later run replayed this very answer."""


EarlierAnswers = Mapping[RowIdentity, Earlier]
"""The earlier answer to each trial, by the identity of the later row."""


def earlier_rows(
    before: Sequence[Row],
    after: Sequence[Row],
    between: str | None = None,
    tests: Mapping[str, Protocol] | None = None,
) -> dict[RowIdentity, Row]:
    """Return the earlier row of each trial that both runs measured, by the identity of its later row.

    between: what changed, as `match_runs` takes it. tests: the known ones, by default
    those of longctx. Empty if it is not clear what is compared.
    """
    measured = Both(before, after).map(lambda rows: [row for row in rows if row.measured])
    try:
        matched, _ = match_runs(*measured, between)
    except UserError:
        return {}
    known = shipped() if tests is None else tests
    paired = (pairs(*match.rows, Treatments.of(known.get(match.test))) for match in matched)
    return {later.identity: earlier for both in paired for earlier, later in both.common.values()}


def change_of(earlier: Earlier | None, row: Row) -> str:
    """Return the group of CHANGES that a trial belongs to."""
    if earlier is None or not row.measured:
        return "not compared"
    return {
        (True, False): "lost",
        (False, True): "gained",
        (False, False): "still wrong",
        (True, True): "unchanged",
    }[earlier.row.correct, row.correct]
