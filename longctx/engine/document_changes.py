"""What happens to the trials about documents when these change."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from longctx.cells.cell import Cell, Trial
from longctx.engine.run_plan import Plan
from longctx.live.cost.estimate import Estimate, estimate
from longctx.recording.request import Request, digest_of


@dataclass(frozen=True, slots=True)
class DocumentChanges:
    """The trials about documents before and after a change, by what happens to them."""

    cells: tuple[Cell, ...]
    """The cells after the change."""
    unchanged: int
    stale: tuple[Trial, ...]
    """The trials whose prompts contain what changed."""
    added: tuple[Trial, ...]
    gone: tuple[Trial, ...]

    @property
    def estimates(self) -> list[Estimate]:
        """The cost of recording stale and new trials."""
        return estimate(self.cells, map(Request.of, (*self.stale, *self.added)))


def document_changes(before: Plan, after: Plan) -> DocumentChanges:
    """Compare the trials of one profile on two states of its documents. Raises UserError if one cannot be built."""
    old, new = dict(_built(before)), dict(_built(after))
    return DocumentChanges(
        tuple(_cells(after)),
        sum(key in old and old[key][1] == digest for key, (_, digest) in new.items()),
        tuple(trial for key, (trial, digest) in new.items() if key in old and old[key][1] != digest),
        tuple(trial for key, (trial, _) in new.items() if key not in old),
        tuple(trial for key, (trial, _) in old.items() if key not in new),
    )


def questions_by_item(trials: tuple[Trial, ...]) -> Mapping[str, int]:
    """Return how many of these trials are about each question of the bank."""
    counts: dict[str, int] = {}
    for trial in trials:
        name = str(trial.identity.item).partition("@")[0]
        counts[name] = counts.get(name, 0) + 1
    return counts


def _cells(plan: Plan) -> Iterator[Cell]:
    for name, test in plan.tests.items():
        if test.documents:
            yield from (cell.fitted() for cell in plan.cells_of(name))


def _built(plan: Plan) -> Iterator[tuple[str, tuple[Trial, str]]]:
    for cell in _cells(plan):
        for trial in cell.each_trial():
            yield f"{cell.file}/{trial.key}", (trial, digest_of(trial.build(), cell.model))
