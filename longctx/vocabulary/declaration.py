"""What is declared of a protocol, beside what is of every test: its function, its axes, its report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from longctx.vocabulary.cell import Cell, Declaration, Items, Outcome
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.report import Report


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Protocol(Declaration):
    """What is known of a protocol without running it; `protocol` makes it of a function, and explains each.

    Functions take a cell, whose parameters are attributes.
    """

    function: Callable[..., Outcome]
    arguments: tuple[str, ...]
    """The names of the function's parameters."""
    cell: type[Cell]
    """The type of its cells: a dataclass of its parameters."""
    axes: type[Axes]
    title: str
    unit: str
    context: str | None
    variant: str
    guessing: float
    report: Report | str | None = field(repr=False)
    items: type[Items] | None

    def __post_init__(self) -> None:
        """Raise TypeError for a mistake, so that it shows when the protocol is declared and not when a run ends."""
        if fault := next(self._faults(), None):
            raise TypeError(fault)

    @property
    def documents(self) -> bool:
        """Whether it asks questions about documents."""
        return "bank" in self.arguments

    @property
    def filtered(self) -> bool:
        """Whether a model's "too hard" filter decides what is asked."""
        return self.items is not None and self.items.filtered

    def _faults(self) -> Iterator[str]:
        if self.axes.cells is Axes.cells and self.axes.cells is Axes.cells:
            yield f"{self.axes.__name__} lacks cells"
        if not re.fullmatch("[a-z][a-z0-9_]*", self.name):
            yield f"{self.name!r} is not a valid name of a protocol: use lower-case letters, digits and underscores"
        if not 0 <= self.guessing < 1:
            yield f"its accuracy of guessing is {self.guessing}: use a share from 0 to below 1"
        report = self.report if isinstance(self.report, Report) else Report()
        named = [(name, getattr(self, name)) for name in ("context", "variant", "length")]
        named += [("report's `x`", report.x), *(("report's `by`", parameter) for parameter in report.by)]
        known = self.parameters
        for name, parameter in named:
            if parameter and parameter not in known:
                yield f"its {name} is {parameter!r}, which is not one of its parameters {', '.join(known)}"
