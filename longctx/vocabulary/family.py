"""A family: a kind of scenario, the grid that spans it, and what it is called."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, fields, is_dataclass

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

    def __post_init__(self) -> None:
        """Raises TypeError, so that a mistake is told when the family is registered, and not when a run ends."""
        if fault := next(_faults(self), None):
            raise TypeError(fault)

    @property
    def name(self) -> str:
        """In profiles, prompt sets, cassettes and rows."""
        return self.scenario.family


def _faults(family: Family) -> Iterator[str]:
    """What keeps a family from being used; each holds only where those before do not."""
    for given, kind in ((family.scenario, Scenario), (family.grid, Grid)):
        if not (isinstance(given, type) and issubclass(given, kind)):
            yield f"{given!r} is no subclass of {kind.__name__}"
            return
    scenario, grid = family.scenario, family.grid
    wanted = ("family", "version", "identified_by", "templates")
    missing = [*(one for one in wanted if not hasattr(scenario, one)), *sorted(scenario.__abstractmethods__)]
    if missing:
        yield f"{scenario.__name__} lacks {', '.join(missing)}"
        return
    if not re.fullmatch("[a-z][a-z0-9_]*", scenario.family):
        yield f"{scenario.family!r} is no name of a family: give small letters, digits and underscores"
    if not is_dataclass(scenario) or (
        unknown := set(scenario.identified_by) - {field.name for field in fields(scenario)}
    ):
        what = f"no field {min(unknown)!r}, which identified_by names" if is_dataclass(scenario) else "no fields"
        yield f"{scenario.__name__} has {what}: it must be a dataclass of its parameters"
    if grid.scenarios is Grid.scenarios:
        yield f"{grid.__name__} lacks scenarios"
    if family.size and family.size not in scenario.identified_by:
        yield f"its size is {family.size!r}, which is none of its parameters {', '.join(scenario.identified_by)}"
