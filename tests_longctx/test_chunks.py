"""How many documents should be retrieved? The handbook, with a product's own function: the rarest words in common."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import longctx
from longctx.vocabulary.lexical import most_alike

if TYPE_CHECKING:
    from longctx import Ask, Case

HANDBOOK = longctx.chunks("../fixtures/handbook")


def retrieve(question: str, number: int) -> list[object]:
    documents = HANDBOOK.sections
    places = most_alike([document.text for document in documents], question, [])
    return [documents[place] for place in places[:number]]


@pytest.mark.longctx(cases="chunks/questions.jsonl")
@pytest.mark.parametrize("chunks", [1, 2, 4, 10])
def test_chunks(ask: Ask, case: Case, chunks: int) -> None:
    """The same question is asked with more and more documents; 10 are all there are."""
    ask.chunks(retrieve(case.question, chunks), case)
