"""A family: a kind of scenario, the grid that spans it, and its names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, fields, is_dataclass

from longctx.vocabulary.grid import Axes
from longctx.vocabulary.report import Report
from longctx.vocabulary.scenario import Scenario


def is_check(family: str) -> bool:
    """Return whether rows of this family are those of a check, which are called TEST.CHECK."""
    return "." in family


def name_of_test(family: str) -> str:
    """Return the name of the test of this family, which may be that of one of its checks.

    Example:
        >>> name_of_test("test_code.polite")
        'test_code'
    """
    return family.partition(".")[0]


IMPORTED = "imported"
"""The family of rows of other tools, which no scenario may have."""


def gives_credit(family: str) -> bool:
    """Return whether rows of this family count their partial credit: those of checks and of other tools."""
    return is_check(family) or family == IMPORTED


@dataclass(frozen=True, slots=True)
class Family:
    """A family as the rest of the library knows it.

    Example:
        >>> family = Family(Echo, EchoGrid, title="Echo", unit="digits", size="digits")
        >>> family.name
        'echo'
    """

    scenario: type[Scenario]
    grid: type[Axes]
    title: str
    """Its name in headings."""
    unit: str = "tokens"
    """The unit of its scenarios' lengths, in the plural."""
    documents: bool = False
    """Whether its scenarios ask questions about documents."""
    filtered: bool = False
    """Whether a model's "too hard" filter decides what is asked."""
    size: str | None = ""
    """The parameter that gives the length of the context; empty if that is the prompt's tokens, and None if the needle
    has no depth."""
    variant: str = ""
    """The parameter, if any, that makes scenarios of one length so unlike that heat maps compare lengths only by the
    variants that all of them have."""
    guessing: float = 0.0
    """The rate that guessing alone reaches."""
    report: Report | str | None = field(default=None, compare=False, repr=False)
    """What it reports in addition to accuracies, or MODULE:NAME of a Report that is loaded when a run ends."""

    def __post_init__(self) -> None:
        """Raise TypeError for a mistake, so that it shows when the family is registered and not when a run ends."""
        if fault := next(_faults(self), None):
            raise TypeError(fault)

    @property
    def name(self) -> str:
        """The family's name in profiles, prompt sets, cassettes and rows."""
        return self.scenario.family


def _faults(family: Family) -> Iterator[str]:
    """Yield the mistakes that keep a family from being used. Only the first is reliable: later checks rely on it."""
    for given, kind in ((family.scenario, Scenario), (family.grid, Axes)):
        if not (isinstance(given, type) and issubclass(given, kind)):
            yield f"{given!r} is not a subclass of {kind.__name__}"
            return
    scenario, grid = family.scenario, family.grid
    wanted = ("family", "version", "identified_by", "templates")
    missing = [*(name for name in wanted if not hasattr(scenario, name)), *sorted(scenario.__abstractmethods__)]
    if missing:
        yield f"{scenario.__name__} lacks {', '.join(missing)}"
        return
    if not re.fullmatch("[a-z][a-z0-9_]*", scenario.family):
        yield f"{scenario.family!r} is not a valid name of a family: give lower-case letters, digits and underscores"
    if not is_dataclass(scenario) or (
        unknown := set(scenario.identified_by) - {each.name for each in fields(scenario)}
    ):
        what = f"no field {min(unknown)!r}, which identified_by names" if is_dataclass(scenario) else "no fields"
        yield f"{scenario.__name__} has {what}: it must be a dataclass of its parameters"
    if grid.scenarios is Axes.scenarios and grid.cells is Axes.cells:
        yield f"{grid.__name__} lacks cells"
    if not 0 <= family.guessing < 1:
        yield f"its rate of guessing is {family.guessing}: give a share from 0 to below 1"
    report = family.report if isinstance(family.report, Report) else Report()
    named = [("size", family.size), ("variant", family.variant), ("report's `x`", report.x)]
    for name, parameter in (*named, *(("report's `by`", parameter) for parameter in report.by)):
        if parameter and parameter not in scenario.identified_by:
            yield f"its {name} is {parameter!r}, which is none of its parameters {', '.join(scenario.identified_by)}"
