"""A protocol: a function that asks one question and judges the answer, with what is known of it before it runs.

The function takes fixtures (FIXTURES) and the parameters of its cell.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Mapping
from dataclasses import field
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


def protocol(
    *,
    axes: type[Axes],
    title: str,
    templates: Mapping[str, tuple[str, ...]],
    size: Callable[[Any, Mapping[str, float]], float],
    version: int = 1,
    unit: str = "tokens",
    length: str = "",
    context: str | None = "",
    variant: str = "",
    longest: Callable[[Any, Mapping[str, float]], float] | None = None,
    treatments: tuple[str, ...] = (),
    guessing: float = 0.0,
    counts: Counts | None = None,
    fills_window: bool = False,
    units: Callable[[Words], Mapping[str, tuple[str, str, int]]] | None = None,
    prefix: Callable[[Any, Words, int, int], str | None] | Literal["asked"] | None = None,
    cluster: Callable[[Any, int], str] | None = None,
    items: type[Items] | None = None,
    pieces: Callable[[Any], int] | None = None,
    check: Callable[[Any], object] | None = None,
    gated: Callable[[Any], bool] | None = None,
    apart: tuple[str, ...] = (),
    report: Report | str | None = None,
) -> Callable[[Function], Function]:
    """Declare a function as a protocol.

    Its name, without `test_`, is that of the profile's table, of the prompt set's folder and of its rows.

    Args:
        axes: The entries of the profile's table, and the cells that they span.
        title: The name in headings.
        templates: The templates that a prompt set must have, and the placeholders of each.
        size: The tokens of a prompt on average, from a cell and the model's tokens per unit.
        version: A number to raise whenever other trials are drawn.
        unit: The unit of lengths, in the plural.
        length: The parameter that decides the band of a cell.
        context: The parameter that gives the length of the context; empty if that is the prompt's tokens, and None if
            the needle has no depth.
        variant: The parameter, if any, that makes cells of one length so unlike that heat maps compare lengths only by
            the variants that all of them have.
        longest: The tokens of the longest prompt, where prompts of a cell differ in size.
        treatments: The parameters that change how an item is asked, and not the item.
        guessing: The accuracy that guessing alone reaches.
        counts: What must be known of the model's tokenizer.
        fills_window: Whether `size` includes the system prompt.
        units: For each unit of a model profile's [tokens], two texts and by how many units the second is longer.
        prefix: The sort key of what trials share; ASKED if the function gives it to `ask`.
        cluster: The name of what an item shares with others, which are then correlated.
        items: What the items are, if they are not drawn one by one.
        pieces: About how many pieces the context of a prompt has, for shapes.
        check: Raises ValueError for a cell that cannot be.
        gated: Whether the gate judges a cell.
        apart: Parameters of the function that do not distinguish cells.
        report: What it reports in addition to accuracies; or MODULE:NAME of a Report, which is loaded when a run ends.

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

    if not (isinstance(axes, type) and issubclass(axes, Axes)):
        raise TypeError(f"{axes!r} is not a subclass of Axes")

    def declare(function: Function) -> Function:
        signature = inspect.signature(function)
        arguments = tuple(signature.parameters)
        own = [name for name in arguments if name not in FIXTURES and name != "max_tokens"]
        hints = hints_of(function, own)
        made = [
            (name, hints.get(name, Any))
            if (default := signature.parameters[name].default) is inspect.Parameter.empty
            else (name, hints.get(name, Any), field(default=default, compare=name not in apart))
            for name in own
        ]
        most = axes.model_fields.get("max_tokens")
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
        axes.cell_type = kind
        declared = kind.declared = Protocol(
            name=name,
            version=version,
            parameters=tuple(parameter for parameter in own if parameter not in apart),
            treatments=treatments,
            templates=templates,
            fills_window=fills_window,
            run=ProtocolRun(function, arguments),
            function=function,
            arguments=arguments,
            cell=kind,
            axes=axes,
            title=title,
            unit=unit,
            context=context,
            variant=variant,
            guessing=guessing,
            report=report,
            size=size,
            longest=longest,
            length=length,
            prefix=prefix,
            cluster=cluster,
            pieces=pieces,
            counts=counts,
            units=units,
            check=check,
            gated=gated,
            items=items,
        )
        setattr(function, KEY, declared)
        return function

    return declare


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
