"""What is declared of a protocol: its axes, its items, its counts of tokens, its report."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from longctx.vocabulary.bank import Bank
from longctx.vocabulary.cell import Cell, Identity, Outcome, Words
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.report import Report


def no_bank() -> Bank:
    """Load the bank of a cell that has none."""
    raise ValueError("the cell has no documents and questions.")


@dataclass(frozen=True, slots=True)
class ProtocolCell(Cell):
    """The fixture `cell` of a protocol, which functions such as `size` take, too: its parameters are attributes.

    Example:
        >>> def check(cell: ProtocolCell) -> None:
        ...     if cell.digits > 9:
        ...         raise ValueError(f"{cell.digits} digits are too many: give 1 to 9.")
    """

    tokens: Mapping[str, float] | None = field(default=None, kw_only=True, hash=False, repr=False)
    """What `ask.tokens()` gives; None before it was counted."""
    bank: Callable[[], Bank] = field(default=no_bank, kw_only=True, repr=False, compare=False)
    """Loads documents and questions when they are first needed."""

    if TYPE_CHECKING:  # each protocol has parameters of its own, which its subclass has as fields

        def __getattr__(self, name: str) -> Any: ...

    @property
    def counted(self) -> Mapping[str, float]:
        """What `counts` makes of the model's token counts. Raises ValueError before they are known."""
        if self.tokens is None:
            raise ValueError("the model's tokens of this wording are not known.")
        return self.tokens


@dataclass(frozen=True, slots=True)
class Counts:
    """What a protocol or a test function must know of a model's tokenizer, before its first trial is drawn.

    A live run has the server count what the model profile does not have yet, which is free, and keeps it there.

    Example:
        >>> def probes(words):
        ...     return {"10": "The sky is blue. " * 10, "20": "The sky is blue. " * 20}
        >>> def values(counts):
        ...     return {"sentence": (counts["20"] - counts["10"]) / 10}
        >>> Counts(probes, values, needs=("sentence",)).values({"10": 57, "20": 107})
        {'sentence': 5.0}
    """

    probes: Callable[[Words], dict[str, str]] = field(repr=False)
    """Returns the texts whose tokens are counted, by name, from the templates of the prompt set.

    Each is counted as one user turn, after the system prompt of the model profile and the template `system`, if any."""
    values: Callable[[Mapping[str, int]], dict[str, float]] = field(repr=False)
    """Returns what `ask.tokens()` gives, from these counts. Raises ValueError if they cannot be right."""
    needs: tuple[str, ...]
    """The names of these values that are always there, and above 0."""
    fits: Callable[[Any], object] = field(default=lambda cell: None, repr=False)
    """Raises ValueError if a cell does not fit the model. It has its parameters, and the values as `cell.counted`."""

    def __post_init__(self) -> None:
        if isinstance(self.needs, str):
            raise TypeError(f"needs is a tuple of names: write needs=({self.needs!r},)")


class Items:
    """What the items of a cell are, unless they are drawn one by one. Subclasses replace what differs."""

    filtered: ClassVar[bool] = False
    """Whether a model's "too hard" filter decides what is asked."""

    def __init__(self, cell: ProtocolCell) -> None:
        self.cell = cell
        """The cell, whose parameters are its attributes."""

    def indices(self, trials: int) -> Sequence[int]:
        """Return the indices of the items that a run of `trials` asks."""
        return range(trials)

    def cluster(self, index: int) -> str:
        """Return the cluster of an item; empty for an independent one."""
        return ""

    def identity(self, identity: Identity, index: int) -> Identity:
        """Return the identity of a trial. identity: the one that it would have as a drawn trial."""
        return identity

    def index_of(self, name: str) -> int:
        """Return the index of the item with this name. Raises ValueError if there is none."""
        return int(name)

    @property
    def facts(self) -> Mapping[str, int]:
        """Facts that a run records once for each cell."""
        return {}

    @property
    def why_empty(self) -> str:
        """Why there are none, if there are none."""
        return "the protocol has no questions of this size"


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Declaration:
    """What a protocol says of itself. Its functions take a cell, whose parameters are attributes."""

    axes: type[Axes]
    """The entries of the profile's table, and the cells that they span."""
    title: str
    """The name in headings."""
    templates: Mapping[str, tuple[str, ...]]
    """The templates that a prompt set must have, and the placeholders of each."""
    size: Callable[[Any, Mapping[str, float]], float]
    """The tokens of a prompt on average, from a cell and the model's tokens per unit."""
    version: int = 1
    """A number to raise whenever other trials are drawn."""
    unit: str = "tokens"
    """The unit of lengths, in the plural."""
    length: str = ""
    """The parameter that decides the band of a cell."""
    context: str | None = ""
    """The parameter that gives the length of the context; empty if that is the prompt's tokens, and None if the needle
    has no depth."""
    variant: str = ""
    """The parameter that makes cells of one length so unlike that heat maps compare lengths only by the variants that
    all of them have."""
    longest: Callable[[Any, Mapping[str, float]], float] | None = None
    """The tokens of the longest prompt, where prompts of a cell differ in size."""
    treatments: tuple[str, ...] = ()
    """The parameters that change how an item is asked, and not the item."""
    guessing: float = 0.0
    """The accuracy that guessing alone reaches."""
    counts: Counts | None = None
    """What must be known of the model's tokenizer."""
    fills_window: bool = False
    """Whether `size` includes the system prompt."""
    units: Callable[[Words], Mapping[str, tuple[str, str, int]]] | None = None
    """For each unit of a model profile's [tokens], two texts and by how many units the second is longer."""
    prefix: Callable[[Any, Words, int, int], str | None] | Literal["asked"] | None = None
    """The sort key of what trials share; ASKED if the function gives it to `ask`."""
    cluster: Callable[[Any, int], str] | None = None
    """The name of what an item shares with others, which are then correlated."""
    items: type[Items] | None = None
    """What the items are, if they are not drawn one by one; by default, with BankAxes, the questions of its bank."""
    pieces: Callable[[Any], int] | None = None
    """About how many pieces the context of a prompt has, for shapes."""
    check: Callable[[Any], object] | None = None
    """Raises ValueError for a cell that cannot be."""
    gated: Callable[[Any], bool] | None = None
    """Whether the gate judges a cell."""
    apart: tuple[str, ...] = ()
    """Parameters of the function that do not tell cells apart."""
    report: Report | str | None = field(default=None, repr=False)
    """What it reports in addition to accuracies; or MODULE:NAME of a Report, which is loaded when a run ends."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Protocol(Declaration):
    """What is known of a protocol without running it; `protocol` makes it of a function and its declaration."""

    function: Callable[..., Outcome]
    arguments: tuple[str, ...]
    """The names of the function's parameters."""
    cell: type[Cell]
    """The type of its cells: a dataclass of its parameters."""

    def __post_init__(self) -> None:
        """Raise TypeError for a mistake, so that it shows when the protocol is declared and not when a run ends."""
        if fault := next(self._faults(), None):
            raise TypeError(fault)

    @property
    def name(self) -> str:
        """Its name in profiles, prompt sets, cassettes and rows."""
        return self.cell.test

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
            yield f"{self.name!r} is not a valid name of a protocol: give lower-case letters, digits and underscores"
        if not 0 <= self.guessing < 1:
            yield f"its rate of guessing is {self.guessing}: give a share from 0 to below 1"
        report = self.report if isinstance(self.report, Report) else Report()
        named = [(name, getattr(self, name)) for name in ("context", "variant", "length")]
        named += [("report's `x`", report.x), *(("report's `by`", parameter) for parameter in report.by)]
        known = self.cell.identified_by
        for name, parameter in named:
            if parameter and parameter not in known:
                yield f"its {name} is {parameter!r}, which is none of its parameters {', '.join(known)}"
