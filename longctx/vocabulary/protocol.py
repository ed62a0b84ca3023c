"""A protocol: a function that asks one question and judges the answer, with what is known of it before it runs.

The function takes fixtures (FIXTURES) and the parameters of its cell.
"""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar

from longctx.fields import hints_of
from longctx.vocabulary.declaration import Protocol, ProtocolDeclaration
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.point import BuiltTrial, Outcome
from longctx.vocabulary.protocol_cell import FIXTURES, ProtocolCell, ProtocolRun

Function = TypeVar("Function", bound=Callable[..., Outcome])
MAX_TOKENS = 16
"""The most tokens of a reply, if the axes have no entry `max_tokens`."""
KEY = "__longctx__"
"""The attribute of a function with its declaration."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class protocol(ProtocolDeclaration):  # a decorator
    """Decorator that declares a function as a protocol.

    The function's name, without `test_`, names the profile table, the prompt folder and the test in result rows.

    Example:
        >>> @protocol(
        ...     axes=Digits,
        ...     title="Echo",
        ...     templates={"system": (), "question": ("number",)},
        ...     size=lambda cell, tokens: cell.digits + 10,
        ... )
        ... def echo(ask, draw, prompt, digits: int):
        ...     number = str(draw.stream().randint(10**digits))
        ...     answer = ask(prompt("question", number=number), expected=number)
        ...     return Outcome("correct" if answer.text.strip() == number else "wrong", answer.text)
        >>> echo.__name__
        'echo'
    """

    # What the function gives.
    name: str = field(default="", init=False)
    parameters: tuple[str, ...] = field(default=(), init=False)
    run: Callable[..., tuple[BuiltTrial, Outcome | None]] | None = field(default=None, init=False)

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
        said = {each.name: getattr(self, each.name) for each in dataclasses.fields(self) if each.init}
        said["items"] = self.items or self.axes.default_items
        kind.declared = declared = Protocol(
            **said,
            name=name,
            parameters=tuple(parameter for parameter in own if parameter not in self.apart),
            run=ProtocolRun(function, arguments),
            function=function,
            arguments=arguments,
            cell=kind,
        )
        setattr(function, KEY, declared)
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
