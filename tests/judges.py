"""Rows of trials that a judge graded, with labels of people for some of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from longctx.results.row import AGREEMENT, GRADED, Row
from tests.rows import row

LABELLED = [("Y", "Y")] * 6 + [("N", "Y")] * 2 + [("Y", "N")] + [("N", "N")] * 3
"""What the judge said of each trial, and its label."""


def trial(number: int, said: str, label: str = "", *, test: str = "test_tone", right: bool | None = None) -> list[Row]:
    """Return the row of a trial, that of its check, and that of a label if there is one."""
    right = said == "Y" if right is None else right
    asked: dict[str, Any] = {"test": test, "trial": number, "item": f"case-{number}"}
    own = row("correct" if right else "wrong", trace={f"{GRADED}: {said}" if said else GRADED: 1}, **asked)
    held = replace(own, test=f"{test}.polite", outcome="correct" if said == "Y" else "wrong", trace={})
    agrees = "correct" if said == label else "wrong"
    labelled = replace(own, test=f"{test}.{AGREEMENT}", outcome=agrees, trace={}, returned=said, expected=label)
    return [own, held, *([labelled] if label else [])]


def rows(*trials: tuple[str, str], **given: Any) -> list[Row]:
    return [each for number, (said, label) in enumerate(trials) for each in trial(number, said, label, **given)]
