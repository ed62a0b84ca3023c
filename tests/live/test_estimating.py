"""The estimate: recorded answers that do not count and what asking them again costs, and how long replies are."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from longctx.cells.cell import Cell
from longctx.live.estimating import estimate_live, with_recorded_replies
from longctx.recording.tape import Tape
from tests.given import dollars
from tests.recording.examples import AT, answer, collage_cell, line_cell, of_version, place, recorded
from tests.servers import message

PRICES = dollars(1000)


def said(tape: Tape, cell: Cell) -> str:
    found = estimate_live(tape, [cell], lambda _: None)
    return "\n".join([*map(str, found.each), *found.remarks])


def test_answers_of_an_earlier_version_are_counted_and_priced(tmp_path: Path) -> None:
    recorded(tmp_path, of_version(1))
    cell = of_version(2)
    cell = dataclasses.replace(cell, model=cell.model.model_copy(update={"prices": PRICES}))
    text = said(Tape(tmp_path, "once"), cell)
    cost = f"${cell.size_tokens / 1000:.2f}"
    assert (
        "collage on toy: 1 of these trials has an answer of version 1, not used because these documents are drawn "
        f"by version 2 now. Sending them again costs about {cost}. If they have not changed since, write version = 1"
    ) in text


def test_answers_to_an_earlier_version_of_trials_are_counted_with_the_entry_that_keeps_them(tmp_path: Path) -> None:
    recorded(tmp_path, collage_cell(trials=1))
    assert (
        "collage on toy: 1 of these trials has an answer of an earlier version, not used because it built other "
        'prompts. Sending them again costs an unknown amount. To use them, write letters = "control" in '
        "the profile's table."
    ) in said(Tape(tmp_path, "once"), collage_cell(trials=2, letters="own"))
    recorded(tmp_path, collage_cell(trials=2, letters="own"))
    assert "earlier version" not in said(Tape(tmp_path, "once"), collage_cell(trials=2, letters="own"))


def test_where_all_answers_count_nothing_is_said(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "once")
    assert "of version" not in said(tape, of_version(2))
    recorded(tmp_path, of_version(1))
    recorded(tmp_path, of_version(2))
    assert "of version" not in said(Tape(tmp_path, "once"), of_version(2))


def test_answers_on_the_tape_say_it_for_their_model_and_test(tmp_path: Path) -> None:
    tape, cell = Tape(tmp_path, "once"), line_cell(trials=4)
    other = line_cell(lines=9, trials=4)
    for index, tokens in enumerate((30, 40, 50)):
        body = message("42", usage={"input_tokens": 9, "output_tokens": tokens})
        tape.record(place(cell, index), answer(body), AT, 0.5)
    of_model, of_other = with_recorded_replies(tape, [cell, dataclasses.replace(other)])
    assert of_model.tokens.expected == cell.reply_tokens, "no reply is longer than it may be"
    roomy = dataclasses.replace(of_model, point=dataclasses.replace(cell.point, max_tokens=500))
    assert roomy.tokens.expected == 40
    assert of_other.replies == of_model.replies, "the answers of a test count for all of its cells"


@pytest.mark.parametrize(
    "usage", [b'{"output_tokens": -5}', b'{"output_tokens": "9"}', b'{"output_tokens": true}', b"7"]
)
def test_an_answer_with_a_strange_usage_says_nothing(tmp_path: Path, usage: bytes) -> None:
    tape, cell = Tape(tmp_path, "once"), line_cell(trials=3)
    for index in range(3):
        tape.record(place(cell, index), answer(b'{"content": [], "usage": ' + usage + b"}"), AT, 0.5)
    assert with_recorded_replies(tape, [cell])[0].replies is None
