"""Hypotheses that a family adds to the gate, beside the rates of its bands."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Judgement = Literal["pass", "regression", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Judged:
    """The gate's judgement of one hypothesis. against_minimum: None if the profile states no minimum.

    says: a regression in half a line. table, cells: the title of the table it is shown in, and its row there, the first
    cell being the row's head. kind, data: the name of a list in gate.json, and the hypothesis's entry in it.
    """

    verdict: Judgement
    against_minimum: Judgement | None
    says: str
    kind: str
    table: str
    cells: Mapping[str, str]
    data: Mapping[str, Any]


class Tested(ABC):
    """A hypothesis with the evidence of two runs."""

    @property
    @abstractmethod
    def p_value(self) -> float:
        """The p-value of a drop."""

    @abstractmethod
    def judge(self, shown: bool, margin: float) -> Judged:
        """Judge the hypothesis.

        shown: whether a drop is significant, with Holm's correction over everything gated. margin: the non-inferiority
        margin, a share.
        """


class Hypothesis(ABC):
    """Something that may have dropped between two runs of the same trials."""

    @abstractmethod
    def test(self, alpha: float) -> Tested:
        """Test for a drop. alpha: the probability of a false alarm."""
