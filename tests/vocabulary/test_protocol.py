"""A protocol: what its function must return, and the marker that pytest gives it."""

from __future__ import annotations

from typing import Any

import pytest

from longctx import Axes, protocol
from longctx.plugin.selection import mark_protocol
from longctx.vocabulary.protocol import cells_of
from longctx.vocabulary.scenario import Reply

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
        trial.judge(Reply("1", "end_turn", "m", 1))


def test_a_protocol_keeps_its_own_markers() -> None:
    @pytest.mark.usefixtures("tmp_path")
    @protocol(axes=Numbers, title="Mine", templates={"system": ()}, size=lambda cell, tokens: 1)
    def marked(ask: Any, number: int) -> Any:
        ask("text", expected="1")

    for _ in range(2):
        mark_protocol(marked)
    assert [mark.name for mark in marked.pytestmark] == ["usefixtures", "longctx"]  # type: ignore[attr-defined]
