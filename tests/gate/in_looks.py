"""Runs of 400 trials that are asked look by look, and their verdicts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

from longctx.gate.bands import BandVerdict
from longctx.gate.evidence import Unit, in_looks
from longctx.gate.verdict import Rules, RunVerdict, give_verdict
from longctx.results.row import EARLY_STOP, Row
from longctx.vocabulary.looks import RunLooks
from tests.rows import row, run

RULES = Rules(looks=RunLooks.all("equal"))
TERMS = RULES.margin, RULES.alpha
PLACE: dict[str, Any] = {"test": "line_retrieval", "cell": "s", "params": {}, "band": "all"}


def rows(*outcomes: str, **fields: Any) -> list[Row]:
    return run(*outcomes, model_returned="toy", **{**PLACE, **fields})


BEFORE = rows(*["correct"] * 400)
LOOKS = in_looks(map(Unit.of_row, BEFORE), "equal", *TERMS).of


def after(outcome: Callable[[int, int], str], looks: int = 5, **fields: Any) -> list[Row]:
    """Return a run that was asked in its first looks. outcome: of the look and the number of the trial in it."""
    place = {**PLACE, **fields}
    so_far: Counter[int] = Counter()
    result = []
    for kept in BEFORE:
        look = LOOKS[Unit.of_row(kept)]
        if look > looks:
            result.append(row("not_asked", trial=kept.trial, error=EARLY_STOP, **place))
        else:
            result.append(row(outcome(look, so_far[look]), trial=kept.trial, model_returned="toy", **place))
        so_far[look] += 1
    return result


def judged(rows: list[Row], rules: Rules = RULES) -> tuple[RunVerdict, BandVerdict]:
    given = give_verdict(BEFORE, rows, rules)
    [band] = given.bands
    return given, band


def right(look: int, place: int) -> str:
    return "correct"


def wrong(number: int, at: int | None = None) -> Callable[[int, int], str]:
    """Return the outcomes of runs that get so many wrong in each look, or in look `at`."""
    return lambda look, place: "wrong" if place < number and at in (None, look) else "correct"
