"""Axes: the parameters of a test function whose values a profile gives, checked by their annotations."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel, TypeAdapter, ValidationError

from longctx.errors import UserError, did_you_mean
from longctx.fields import fault, hints_of
from longctx.functions.cells import FUNCTION_ENTRIES

NAMES = ("ctx", "ask", "draw", "case", "check", "judge", "prompt")
"""The fixtures of longctx: `ctx`, and its attributes."""


@dataclass(frozen=True, slots=True)
class Parameters:
    """What a test is parametrized with instead of its own values."""

    names: tuple[str, ...]
    cells: tuple[tuple[object, ...], ...]


def parameters(function: Callable[..., object], own: Mapping[str, Any], axes: Any) -> list[Parameters]:
    """Return what a test is parametrized with, by the entries of its table that are its own.

    Args:
        own: The entries of the profile's table that no other test has.
        axes: The model that the test's marker names as `axes`; None if its parameters are the axes.

    Raises:
        UserError: An entry is no parameter, or does not fit its annotation or the model.
    """
    name = function.__name__
    if axes is not None:
        return [_of_model(name, own, axes)]
    known = inspect.signature(function).parameters
    hints = hints_of(function, own, extras=True)
    if unknown := [entry for entry in own if entry not in known]:
        raise _unknown(name, unknown[0], known)
    result = []
    for entry, values in ((entry, own[entry]) for entry in known if entry in own):  # whatever the order in the table
        if not isinstance(values, list) or not values:
            raise UserError(
                "axis-without-values",
                f"The table [{name}] of the profile: {entry} is a parameter of the test, so it takes a list of values, "
                f"as in {entry} = [1000, 2000].",
            )
        if entry in hints:
            values = [_checked(name, entry, value, hints[entry]) for value in values]
        once = [value for index, value in enumerate(values) if value not in values[:index]]
        result.append(Parameters((entry,), tuple((value,) for value in once)))
    return result


def _of_model(name: str, own: Mapping[str, Any], axes: Any) -> Parameters:
    if not (isinstance(axes, type) and issubclass(axes, BaseModel) and hasattr(axes, "cells")):
        raise UserError(
            "bad-axes",
            f"{name}: axes in its marker must be a pydantic model with a method `cells` that yields the parameters of "
            f"each cell, not {str(axes)[:40]!r}.",
        )
    known = {*axes.model_fields, *(field.alias for field in axes.model_fields.values())}
    if axes.model_config.get("extra") != "allow" and (unknown := [entry for entry in own if entry not in known]):
        raise _unknown(name, unknown[0], [*axes.model_fields])
    try:
        cells = [dict(cell) for cell in axes.model_validate(dict(own)).cells()]
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "its entries"
        raise UserError("bad-axis", f"The table [{name}] of the profile: {where}: {fault(first)}.") from None
    except ValueError as error:
        raise UserError("bad-axis", f"The table [{name}] of the profile: {error}") from None
    names = tuple(dict.fromkeys(key for cell in cells for key in cell))
    if not cells or any(set(cell) != set(names) for cell in cells):
        raise UserError(
            "bad-cells",
            f"{name}: {axes.__name__}.cells() must yield at least one cell, each with the same parameters: "
            f"{', '.join(names) or 'it yields none'}.",
        )
    return Parameters(names, tuple(tuple(cell[key] for key in names) for cell in cells))


def _checked(name: str, entry: str, value: object, hint: Any) -> object:
    try:
        return TypeAdapter(hint).validate_python(value, strict=True)
    except ValidationError as error:
        message = fault(error.errors()[0])
        raise UserError(
            "bad-axis", f"The table [{name}] of the profile: {entry} has the value {value!r}: {message}."
        ) from None


def _unknown(name: str, entry: str, known: Collection[str]) -> UserError:
    options = sorted(FUNCTION_ENTRIES)
    return UserError(
        "unknown-entry",
        f"The table [{name}] of the profile has an entry {entry!r}, which is neither an option of a test nor a "
        f"parameter of this one. {did_you_mean(entry, [*(each for each in known if each not in NAMES), *options])}",
    )


def parameters_of(mark: Any) -> list[str]:
    """Return the parameters of a `parametrize` mark."""
    return parameter_names(mark.args[0] if mark.args else mark.kwargs.get("argnames", ()))


def parameter_names(names: str | Sequence[str]) -> list[str]:
    """Return the names in the first argument of `parametrize`."""
    return [each for name in names.split(",") if (each := name.strip())] if isinstance(names, str) else [*names]


def replaced(marks: Sequence[Sequence[str]], given: Sequence[Parameters], name: str) -> list[int]:
    """Return the places of the `parametrize` marks that are replaced. marks: the parameters of each.

    Raises UserError if a mark has other parameters, too, whose values would then be missing.
    """
    names = {each for parameters in given for each in parameters.names}
    places = []
    for index, marked in enumerate(marks):
        if not names.isdisjoint(marked):
            if missing := [each for each in marked if each not in names]:
                raise UserError(
                    "axis-in-part",
                    f"{name} is parametrized with {', '.join(marked)} together, and the table [{name}] of the profile "
                    f"has no values for {', '.join(missing)}: add them, or pass a pydantic model as axes=.",
                )
            places.append(index)
    return places
