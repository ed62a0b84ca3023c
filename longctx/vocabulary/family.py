"""A family: a kind of scenario, the grid that spans it, and what it is called."""

from __future__ import annotations

from dataclasses import dataclass

from longctx.vocabulary.grid import Grid
from longctx.vocabulary.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Family:
    """What all rooms know a family by.

    title: as a heading says it. unit: of its scenarios' lengths, in the plural. documents: whether its scenarios ask
    questions about documents.
    """

    scenario: type[Scenario]
    grid: type[Grid]
    title: str
    unit: str = "tokens"
    documents: bool = False

    @property
    def name(self) -> str:
        """In profiles, prompt sets, cassettes and rows."""
        return self.scenario.family
