"""The hypotheses that families add to the gate: made, tested and judged by code of theirs.

A user's own family may fail there. Its gate may not lose a hypothesis without a word, nor other families theirs: what
was raised becomes a reason why nothing can be said of the family.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from longctx.compare.pairs import Pairs
from longctx.summary.guarded import said
from longctx.vocabulary.account import Account
from longctx.vocabulary.grid import Grid
from longctx.vocabulary.hypothesis import Hypothesis, Judged, Tested

Given = TypeVar("Given")


class Further:
    """Those of one family and model. faults: what failed, a sentence each, without its full stop."""

    def __init__(self, family: str, account: Account, pairs: Pairs, model: str, grids: Sequence[Grid]) -> None:
        self._family = family
        self.faults: list[str] = []
        self.made = self._tried("hypotheses", lambda: list(account.hypotheses(pairs, model, grids)))

    def tested(self, alpha: float) -> list[tuple[Tested, float]]:
        """Each with its p-value; none where one fails."""
        return self._tried("test", lambda: [_tested(hypothesis, alpha) for hypothesis in self.made])

    def judged(self, tested: Sequence[Tested], shown: Sequence[bool], margin: float) -> list[Judged]:
        """shown: of each, whether a drop is."""
        return self._tried(
            "judge", lambda: [_judged(test, is_shown, margin) for test, is_shown in zip(tested, shown, strict=True)]
        )

    def _tried(self, way: str, give: Callable[[], list[Given]]) -> list[Given]:
        try:
            return give()
        except Exception as error:
            self.faults.append(f"what {self._family} adds to the gate failed in `{way}`: {said(error)}")
            return []


def _tested(hypothesis: Hypothesis, alpha: float) -> tuple[Tested, float]:
    """Raises ValueError where its p-value is none."""
    tested = hypothesis.test(alpha)
    if not 0 <= tested.p_value <= 1:
        raise ValueError(f"{tested.p_value} is no p-value")
    return tested, tested.p_value


def _judged(tested: Tested, shown: bool, margin: float) -> Judged:
    """Raises TypeError or ValueError where it cannot be shown."""
    judged = tested.judge(shown, margin)
    if not isinstance(judged, Judged):
        raise TypeError(f"it gives a {type(judged).__name__}, and no Judged")
    if not judged.cells:
        raise ValueError("it gives no cells for its table")
    json.dumps(dict(judged.data))
    return judged
