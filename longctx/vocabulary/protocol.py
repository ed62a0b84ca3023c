"""A protocol: a function that asks one question and judges the answer, with what is known of it before it runs.

The function takes fixtures (FIXTURES) and the parameters of its cell.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from longctx.fields import hints_of
from longctx.vocabulary.cell import Items, Outcome, Words
from longctx.vocabulary.counts import Counts
from longctx.vocabulary.declaration import Protocol
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.protocol_cell import FIXTURES, ProtocolCell, ProtocolRun
from longctx.vocabulary.report import Report

Function = TypeVar("Function", bound=Callable[..., Outcome])
MAX_TOKENS = 16
"""The most tokens of a reply, if the axes have no entry `max_tokens`."""
KEY = "__longctx__"
"""The attribute of a function that contains what is declared of it."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class protocol:  # a decorator
    """Declares a function as a protocol.

    Its name, without `test_`, is that of the profile's table, of the prompt set's folder and of its rows. Functions
    take a cell, whose parameters are attributes.

    Example:
        >>> class Digits(Axes):
        ...     digits: tuple[int, ...]
        ...
        ...     def cells(self):
        ...         yield from ({"digits": digits} for digits in self.digits)
        >>> @protocol(
        ...     axes=Digits,
        ...     title="Echo",
        ...     templates={"system": (), "question": ("number",)},
        ...     size=lambda cell, tokens: cell.digits + 10,
        ... )
        ... def echo(ask, draw, prompt, digits: int):
        ...     number = str(draw.stream().randint(10**digits))
        ...     reply = ask(prompt("question", number=number), expected=number)
        ...     return Outcome("correct" if reply.text.strip() == number else "wrong", reply.text)
        >>> echo.__name__
        'echo'
    """

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
    """Parameters of the function that do not distinguish cells."""
    report: Report | str | None = field(default=None, repr=False)
    """What it reports in addition to accuracies; or MODULE:NAME of a Report, which is loaded when a run ends."""

    def __call__(self, function: Function) -> Function:
        if not (isinstance(self.axes, type) and issubclass(self.axes, Axes)):
            raise TypeError(f"{self.axes!r} is not a subclass of Axes")
        signature = inspect.signature(function)
        arguments = tuple(signature.parameters)
        own = [name for name in arguments if name not in FIXTURES and name != "max_tokens"]
        hints = hints_of(function, own)
        made = [
            (name, hints.get(name, Any))
            if (default := signature.parameters[name].default) is inspect.Parameter.empty
            else (name, hints.get(name, Any), field(default=default, compare=name not in self.apart))
            for name in own
        ]
        most = self.axes.model_fields.get("max_tokens")
        made.append(("max_tokens", int, field(default=most.default if most else MAX_TOKENS, kw_only=True)))
        name = function.__name__.removeprefix("test_")
        kind: type[ProtocolCell] = dataclasses.make_dataclass(
            "".join(part.capitalize() for part in name.split("_")),
            made,
            bases=(ProtocolCell,),
            namespace={"__doc__": function.__doc__, "__module__": function.__module__},
            frozen=True,
            slots=True,
        )
        self.axes.cell_type = kind
        said = {each.name: getattr(self, each.name) for each in dataclasses.fields(self) if each.name != "apart"}
        said["items"] = self.items or self.axes.default_items
        kind.declared = Protocol(
            **said,
            name=name,
            parameters=tuple(parameter for parameter in own if parameter not in self.apart),
            run=ProtocolRun(function, arguments),
            function=function,
            arguments=arguments,
            cell=kind,
        )
        setattr(function, KEY, kind.declared)
        return function


def declared_of(function: object) -> Protocol | None:
    """Return what is declared of a protocol; None for any other object."""
    found = getattr(function, "__dict__", {}).get(KEY)
    return found if isinstance(found, Protocol) else None


def cells_of(function: object) -> Any:
    """Return the type of a protocol's cells: a dataclass of its parameters."""
    declared = declared_of(function)
    if declared is None:
        raise TypeError(f"{function!r} is not a protocol")
    return declared.cell
