"""A family: a kind of scenario, the grid that spans it, and what it is called."""

from __future__ import annotations

from dataclasses import dataclass

from longctx.vocabulary.grid import Grid
from longctx.vocabulary.scenario import Scenario


@dataclass(frozen=True, slots=True)
class Family:
    """What all rooms know a family by.

    title: as a heading says it. unit: of its scenarios' lengths, in the plural. documents: whether its scenarios ask
    questions about documents. size: the parameter that says how long the context is; None for a family whose needle
    has no place in one; empty: the prompt's tokens say it. account: MODULE:CLASS of what is measured of it and how it
    is shown, loaded when a run ends.
    """

    scenario: type[Scenario]
    grid: type[Grid]
    title: str
    unit: str = "tokens"
    documents: bool = False
    size: str | None = ""
    account: str = "longctx.vocabulary.account:Account"

    @property
    def name(self) -> str:
        """In profiles, prompt sets, cassettes and rows."""
        return self.scenario.family
