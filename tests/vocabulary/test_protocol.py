"""A protocol: what is declared of it, what its function must return, and the marker that pytest gives it."""

from __future__ import annotations

from typing import Any

import pytest

from longctx import Axes, Report, protocol
from longctx.plugin.selection import mark_protocol
from longctx.vocabulary.protocol import cells_of
from tests.given import reply

WORDS = {"system": ""}


class Numbers(Axes):
    """A single cell."""


Numbers.cells = lambda self: [{"number": 1}]  # type: ignore[method-assign]


@protocol(axes=Numbers, title="Mine", templates={"system": ()}, size=lambda cell, tokens: 1)
def forgets(ask: Any, number: int) -> Any:
    ask("text", expected="1")


def test_a_protocol_without_an_outcome_is_named() -> None:
    cell = cells_of(forgets)(1)
    trial = cell.build(WORDS, 0, 0)
    with pytest.raises(TypeError, match="forgets returns None: a protocol returns an Outcome"):
        trial.judge(reply("1"))


@protocol(axes=Numbers, title="Mine", templates={"system": ()}, size=lambda cell, tokens: 1)
def typed(ask: NotThere, number: int) -> Any:  # type: ignore[name-defined]  # noqa: F821
    pass


def test_the_types_of_fixtures_may_be_there_for_type_checkers_alone() -> None:
    assert cells_of(typed).from_slug("number-3").number == 3


def test_a_cell_of_no_documents_says_so() -> None:
    with pytest.raises(ValueError, match="no documents and questions"):
        cells_of(typed)(1).bank()


@pytest.mark.parametrize(
    ("declared", "says"),
    [
        ({"axes": dict}, "is not a subclass of Axes"),
        ({"axes": Axes}, "Axes lacks cells"),
        ({"guessing": 25}, "its accuracy by guessing is 25: use a share from 0 to below 1"),
        ({"context": "numbers"}, "its context is 'numbers', which is not one of its parameters number"),
        ({"variant": "depth"}, "its variant is 'depth', which is not one of its parameters"),
        ({"length": "depth"}, "its length is 'depth', which is not one of its parameters"),
        ({"report": Report(x="depth")}, "its report's `x` is 'depth', which is not one of"),
        ({"report": Report(by=("size",))}, "its report's `by` is 'size', which is not one of"),
    ],
)
def test_a_mistake_is_told_when_it_is_declared(declared: dict[str, Any], says: str) -> None:
    given: dict[str, Any] = {"axes": Numbers, "title": "Mine", "templates": {}, "size": lambda cell, tokens: 1}
    with pytest.raises(TypeError, match=says):

        @protocol(**{**given, **declared})
        def mine(ask: Any, number: int) -> Any: ...


def test_a_name_that_cannot_be_that_of_a_table() -> None:
    with pytest.raises(TypeError, match="'Mine' is not a valid name of a protocol"):

        @protocol(axes=Numbers, title="Mine", templates={}, size=lambda cell, tokens: 1)
        def Mine(ask: Any, number: int) -> Any: ...


def test_a_protocol_keeps_its_own_markers() -> None:
    @pytest.mark.usefixtures("tmp_path")
    @protocol(axes=Numbers, title="Mine", templates={"system": ()}, size=lambda cell, tokens: 1)
    def marked(ask: Any, number: int) -> Any:
        ask("text", expected="1")

    for _ in range(2):
        mark_protocol(marked)
    assert [mark.name for mark in marked.pytestmark] == ["usefixtures", "longctx"]  # type: ignore[attr-defined]


def test_ask_names_a_keyword_that_it_does_not_know() -> None:
    @protocol(axes=Numbers, title="Mine", templates={"system": ()}, size=lambda cell, tokens: 1)
    def misspelled(ask: Any, number: int) -> Any:
        ask("text", expected="1", needel="1")

    cell = cells_of(misspelled)(3)
    with pytest.raises(TypeError, match=r"ask\(\) of a protocol takes no needel"):
        cell.build({"system": ""}, 1, 0)
