"""The hypotheses that a family adds to the gate, which the family's own code makes, tests and judges.

That code may be a user's and may fail. The gate must neither lose a hypothesis silently nor fail for other families: an
exception becomes a reason why the family is invalid.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import TypeVar

from longctx.compare.pairs import TrialPairs
from longctx.summary.guarded import described
from longctx.vocabulary.account import Account
from longctx.vocabulary.grid import Grid
from longctx.vocabulary.hypothesis import Hypothesis, Judged, Tested

Result = TypeVar("Result")


class FamilyHypotheses:
    """The hypotheses of one family and model.

    made: the hypotheses. faults: a sentence, without its full stop, on each call of the family's code that failed.
    """

    def __init__(self, family: str, account: Account, pairs: TrialPairs, model: str, grids: Sequence[Grid]) -> None:
        self._family = family
        self.faults: list[str] = []
        self.made = self._tried("hypotheses", lambda: list(account.hypotheses(pairs, model, grids)))

    def tested(self, alpha: float) -> list[tuple[Tested, float]]:
        """Return each tested hypothesis with its p-value; none if a test fails."""
        return self._tried("test", lambda: [_tested(hypothesis, alpha) for hypothesis in self.made])

    def judged(self, tested: Sequence[Tested], shown: Sequence[bool], margin: float) -> list[Judged]:
        """Return the judged hypotheses; none if judging one fails. shown: whether a drop is shown, for each of them."""
        return self._tried(
            "judge", lambda: [_judged(test, is_shown, margin) for test, is_shown in zip(tested, shown, strict=True)]
        )

    def _tried(self, method: str, call: Callable[[], list[Result]]) -> list[Result]:
        """Return what the family's code returns; nothing if it raises, and the error becomes a fault."""
        try:
            return call()
        except Exception as error:
            self.faults.append(f"what {self._family} adds to the gate failed in `{method}`: {described(error)}")
            return []


def _tested(hypothesis: Hypothesis, alpha: float) -> tuple[Tested, float]:
    """Test a hypothesis. Raises ValueError if its p-value is not between 0 and 1."""
    tested = hypothesis.test(alpha)
    if not 0 <= tested.p_value <= 1:
        raise ValueError(f"{tested.p_value} is not a p-value")
    return tested, tested.p_value


def _judged(tested: Tested, shown: bool, margin: float) -> Judged:
    """Judge a hypothesis. Raises TypeError or ValueError if the report could not show the result."""
    judged = tested.judge(shown, margin)
    if not isinstance(judged, Judged):
        raise TypeError(f"it returns a {type(judged).__name__} instead of a Judged")
    if not judged.cells:
        raise ValueError("it returns no cells for its table")
    json.dumps(dict(judged.data))
    return judged
