"""What a gate holds a run to beside the rates of its bands: hypotheses that a family adds."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

Judgement = Literal["pass", "regression", "inconclusive"]


@dataclass(frozen=True, slots=True)
class Judged:
    """One hypothesis, judged. against_minimum: None where no minimum is stated.

    says: how a regression is told, in half a line. kind: the name of its entries in gate.json. table: the title of the
    table that its row stands in; cells: that row, the first cell its head. data: its entry in gate.json.
    """

    verdict: Judgement
    against_minimum: Judgement | None
    says: str
    kind: str
    table: str
    cells: Mapping[str, str]
    data: Mapping[str, Any]


class Tested(ABC):
    """A hypothesis with its evidence."""

    @property
    @abstractmethod
    def p_value(self) -> float:
        """The p-value of a drop."""

    @abstractmethod
    def judge(self, shown: bool, margin: float) -> Judged:
        """shown: whether a drop is, Holm over all that is gated. margin: the drop that does not matter, a share."""


class Hypothesis(ABC):
    """Something that may have dropped between two runs of the same trials."""

    @abstractmethod
    def test(self, alpha: float) -> Tested:
        """alpha: the chance of calling a drop where there is none."""
