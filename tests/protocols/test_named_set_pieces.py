"""The context in pieces of cells that fill a window and ask for names."""

from __future__ import annotations

import pytest

from longctx.vocabulary.cell import Cell
from tests.given import reply, words_of
from tests.protocols import FrequentWords, MultipleNeedles, VariableTracking
from tests.protocols.tokens import fitted


@pytest.mark.parametrize(
    "cell",
    [
        MultipleNeedles.from_slug("window-3000-keys-4-values-1-queries-4"),
        VariableTracking.from_slug("window-3000-chains-2-hops-2"),
        FrequentWords.from_slug("window-3000-alpha_percent-200"),
    ],
    ids=lambda cell: cell.test,
)
def test_the_piece_is_the_text_before_the_question(cell: Cell) -> None:
    words, fit = words_of(type(cell)), fitted(cell)
    trial = fit.build(words, 0, 1)
    context = trial.pieces()
    [piece] = context.pieces
    assert trial.user.split() == [*piece.text.split(), *context.question.split()]
    question = next(mark for mark in trial.judge(reply("")).marks if mark.name == "question")
    assert trial.user[question.start :].strip() == context.question
