"""What is declared of a protocol, besides what is of every test: its function, its axes, its report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from longctx.vocabulary.grid import Axes
from longctx.vocabulary.point import Declaration, Items, Outcome, Point
from longctx.vocabulary.report import Report


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class ProtocolDeclaration(Declaration):
    """What a protocol declares about itself. Its functions take a cell, whose parameters are attributes."""

    axes: type[Axes]
    """The entries of the profile's table, and the cells that they span."""
    title: str
    """The display name in headings."""
    templates: Mapping[str, tuple[str, ...]]
    size: Callable[[Any, Mapping[str, float]], float]
    """Returns the average prompt length in tokens, given a cell and the model's tokens per unit."""
    unit: str = "tokens"
    """The unit of lengths, in the plural."""
    length: str = ""
    """The parameter that decides the band of a cell."""
    context: str | None = ""
    """The parameter with the context length. If empty, the prompt's tokens are used; None if the needle has no
    depth."""
    position: str = ""
    """The parameter with the needle's position in percent; empty if the position is drawn at random."""
    variant: str = ""
    """The parameter whose values are not comparable. Heat maps use only the values that occur at every length."""
    guessing: float = 0.0
    """The accuracy of random guessing, from 0 to 1."""
    choices: int = 0
    """The number of answer letters; 0 if not multiple choice. The accuracy of the best constant letter is reported."""
    items: type[Items] | None = None
    """The source of the items; None if the function draws each item itself. With BankAxes, the default is the bank's
    questions."""
    apart: tuple[str, ...] = ()
    """Function parameters that are not part of a cell's identity."""
    report: Report | str | None = field(default=None, repr=False)
    """The Report of this protocol; or its `MODULE:NAME`, which is imported at the end of a run."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Protocol(ProtocolDeclaration):
    """A declared protocol with its function. The decorator `protocol` makes it."""

    function: Callable[..., Outcome]
    arguments: tuple[str, ...]
    """The names of the function's parameters."""
    cell: type[Point]
    """The type of its cells: a dataclass of its parameters."""

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
        """Whether a model's "too hard" filter chooses the questions."""
        return self.items is not None and self.items.filtered

    def _faults(self) -> Iterator[str]:
        if self.axes.cells is Axes.cells:
            yield f"{self.axes.__name__} lacks cells"
        if not re.fullmatch("[a-z][a-z0-9_]*", self.name):
            yield f"{self.name!r} is not a valid name of a protocol: use lower-case letters, digits and underscores"
        if not 0 <= self.guessing < 1:
            yield f"its accuracy by guessing is {self.guessing}: use a share from 0 to below 1"
        report = self.report if isinstance(self.report, Report) else Report()
        named = [(name, getattr(self, name)) for name in ("context", "position", "variant", "length")]
        named += [("report's `x`", report.x), *(("report's `by`", parameter) for parameter in report.by)]
        known = self.parameters
        for name, parameter in named:
            if parameter and parameter not in known:
                yield f"its {name} is {parameter!r}, which is not one of its parameters {', '.join(known)}"
