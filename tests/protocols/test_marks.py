"""The marked parts of a prompt are what their names say."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.protocols.choices import choices_in
from longctx.protocols.collage import VARIANTS
from longctx.protocols.control import RECORDS
from longctx.protocols.coreference import conversation_of
from longctx.vocabulary.point import BuiltTrial, Outcome, Point
from tests.given import reply, words_of
from tests.protocols import Collage, Control, Coreference, LineRetrieval, Passkey
from tests.protocols.bank import small_bank
from tests.protocols.tokens import fixtures

BANK = small_bank()


def marked(cell: Point, text: str, seed: int = 0, index: int = 0) -> tuple[BuiltTrial, Outcome, dict[str, str]]:
    """Return a trial, its outcome for a reply, and its marked parts by name."""
    words = words_of(type(cell))
    trial = cell.build(words, seed, index)
    outcome = trial.judge(reply(text))
    return (
        trial,
        outcome,
        {mark.name: trial.user[mark.start : mark.end] for mark in outcome.marks},
    )


@given(st.integers(2, 40), st.integers(0, 10**6), st.data())
def test_line_retrieval(lines: int, seed: int, data: st.DataObject) -> None:
    cell = LineRetrieval(lines, data.draw(st.none() | st.integers(1, lines)))
    trial, _, right = marked(cell, "", seed)
    values = dict(re.findall(r"line (\d+): REGISTER_CONTENT is <(\d+)>", trial.user))
    [target] = [line for line, value in values.items() if value == trial.expected]
    assert right["needle"] == f"line {target}: REGISTER_CONTENT is <{trial.expected}>\n"
    assert f"Go to line {target} and report only" in right["instruction"]
    other = data.draw(st.sampled_from(sorted(values.keys() - {target})))
    value = values[other]
    _, outcome, wrong = marked(cell, str(value), seed)
    if "line" in outcome.trace:
        assert wrong["the line that was returned"] == f"line {other}: REGISTER_CONTENT is <{value}>\n"


def test_passkey() -> None:
    cell = Passkey(400, 200, tokens={"filler": 10, "fixed": 60, "after_key": 30})
    trial, _, shown = marked(cell, "7")
    assert trial.expected in shown["needle"]
    assert trial.user.endswith(shown["question"])


@pytest.mark.parametrize("variant", VARIANTS)
def test_collage(variant: str) -> None:
    cell = Collage(280, 200, 50, variant, bank=lambda: BANK)
    trial, outcome, shown = marked(cell, "<Answer>A</Answer>")
    choices = choices_in(BANK, 0, 0)
    assert shown["needle"] == BANK.needle(0).text
    assert shown["question"] == choices.question
    assert shown["answers"] == str(choices)
    assert shown["right answer"] == f"{trial.expected}. {choices.answer(trial.expected)}"
    given = {} if outcome.kind == "correct" else {"answer given": f"A. {choices.answers[0]}"}
    assert {name: text for name, text in shown.items() if name == "answer given"} == given


@pytest.mark.parametrize("record", RECORDS)
def test_control(record: str) -> None:
    trial, _, shown = marked(Control(200, record, bank=lambda: BANK), "")
    choices = choices_in(BANK, 0, 0)
    assert shown["question"] == choices.question
    assert shown["right answer"] == f"{trial.expected}. {choices.answer(trial.expected)}"
    assert "answer given" not in shown
    assert ("record" in shown) == (record != "none")


def test_coreference() -> None:
    cell = Coreference(4, 2048, tokens={"exchange": 98, "fixed": 364})
    words = words_of(Coreference)
    trial = cell.build(words, 0, 1)
    draw, number = fixtures(cell, index=1)
    conversation = conversation_of(draw, words, cell, number)
    texts = conversation.instances
    outcome = trial.judge(reply(conversation.code + texts[3]))
    shown = [(mark.name, trial.user[mark.start : mark.end]) for mark in outcome.marks]
    first, second, third, fourth = texts
    assert shown[:-1] == [
        ("needle", second),
        ("alike", first),
        ("alike", third),
        ("the text that was returned", fourth),
    ]
    assert shown[-1][0] == "question"
    assert shown[-1][1].startswith(f"User: Prepend {conversation.code} to the 2nd (1 indexed) ")
