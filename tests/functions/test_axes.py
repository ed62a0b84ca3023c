"""The axes of a test function: values from the profile, checked by annotations or by the test's own model."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from typing import Annotated, Literal

import pytest
from pydantic import BaseModel, Field

from longctx.errors import UserError
from longctx.functions.axes import Parameters, parameters, replaced


def annotated(
    ask: object,
    tokens: Annotated[int, Field(ge=1)],
    order: Literal["ordered", "shuffled"],
    plain=None,  # type: ignore[no-untyped-def]
) -> None: ...


class Lines(BaseModel):
    lines: tuple[int, ...] = (3, 10)
    blocks: tuple[int, ...] = (5,)

    def cells(self) -> Iterator[dict[str, int]]:
        if not self.blocks:
            raise ValueError("give a size of blocks")
        yield from ({"lines": lines, "block": size} for size in self.blocks for lines in self.lines if size < lines)


def of_model(ask: object, lines: int, block: int) -> None: ...


def typed(ask: NotThere, tokens: int) -> None: ...  # type: ignore[name-defined]  # noqa: F821


def test_the_types_of_fixtures_may_be_there_for_type_checkers_alone() -> None:
    assert parameters(typed, {"tokens": [1, 2]}, None) == [Parameters(("tokens",), ((1,), (2,)))]
    with pytest.raises(UserError, match="tokens has the value 'x'"):
        parameters(typed, {"tokens": ["x"]}, None)


def test_values_are_those_of_the_table_in_the_order_of_the_parameters() -> None:
    own = {"order": ["shuffled"], "plain": ["x", 1.5], "tokens": [1, 2000]}
    assert parameters(annotated, own, None) == [
        Parameters(("tokens",), ((1,), (2000,))),
        Parameters(("order",), (("shuffled",),)),
        Parameters(("plain",), (("x",), (1.5,))),
    ]


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"tokens": [0]}, "tokens has the value 0: Input should be greater than or equal to 1"),
        ({"tokens": ["1"]}, "tokens has the value '1': Input should be a valid integer"),
        ({"order": ["sorted"]}, "order has the value 'sorted'"),
        ({"tokens": 5}, "takes a list of values, as in tokens = [1000, 2000]"),
        ({"tokens": []}, "takes a list of values"),
        ({"token": [5]}, "an entry 'token', which is neither an option of a test nor a parameter of this one. Did you"),
        ({"trails": [5]}, "Did you mean 'trials'?"),
        ({"x": [5]}, "There are: tokens, order, plain, allowed_hosts, bands, cases, "),
    ],
)
def test_what_does_not_fit_is_named(own: dict[str, object], told: str) -> None:
    with pytest.raises(UserError, match=r"The table \[annotated\] of the profile") as raised:
        parameters(annotated, own, None)
    assert told in str(raised.value)


def test_a_model_gives_the_cells() -> None:
    assert parameters(of_model, {}, Lines) == [Parameters(("lines", "block"), ((10, 5),))]
    given = parameters(of_model, {"lines": [6, 20], "blocks": [5, 10]}, Lines)
    assert given == [Parameters(("lines", "block"), ((6, 5), (20, 5), (20, 10)))]


@pytest.mark.parametrize(
    ("own", "told"),
    [
        ({"lines": ["many"]}, "lines.0: Input should be a valid integer"),
        ({"blocks": []}, "give a size of blocks"),
        ({"blocks": [50]}, "must yield at least one cell"),
        (
            {"blokcs": [5]},
            "has an entry 'blokcs', which is neither an option of a test nor a parameter of this one. Did",
        ),
    ],
)
def test_a_model_that_refuses_its_entries_is_named(own: dict[str, object], told: str) -> None:
    with pytest.raises(UserError) as raised:
        parameters(of_model, own, Lines)
    assert told in str(raised.value)


@pytest.mark.parametrize("axes", [3, Lines(), BaseModel, int])
def test_axes_that_are_no_model_are_named(axes: object) -> None:
    with pytest.raises(UserError, match="must be a pydantic model with a method `cells`"):
        parameters(of_model, {}, axes)


def test_marks_are_replaced_as_a_whole() -> None:
    given = [Parameters(("lines", "block"), ((10, 5),))]
    assert replaced([["lines", "block"], [], ["other"]], given, "of_model") == [0]
    assert replaced([["other"]], given, "of_model") == []
    with pytest.raises(UserError, match="has no values for depth"):
        replaced([["lines", "depth"]], given, "of_model")


class Size(enum.Enum):
    SMALL = 1


def of_enum(ask: object, size: Size) -> None: ...


def test_an_enum_is_given_by_its_value() -> None:
    with pytest.raises(UserError, match="size has the value 'huge'"):
        parameters(of_enum, {"size": ["huge"]}, None)
