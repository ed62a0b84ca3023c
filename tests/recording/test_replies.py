"""How long a model's replies are, by what it has answered."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from longctx.recording.replies import with_recorded_replies
from longctx.recording.tape import Tape
from tests.recording.examples import AT, answer, line_case, wanted
from tests.servers import message


def test_answers_on_the_tape_say_it_for_their_model_and_family(tmp_path: Path) -> None:
    tape, case = Tape(tmp_path, "once"), line_case(trials=4)
    other = line_case(lines=9, trials=4)
    for index, tokens in enumerate((30, 40, 50)):
        body = message("42", usage={"input_tokens": 9, "output_tokens": tokens})
        tape.record(wanted(case, index), answer(body), AT, 0.5)
    of_model, of_other = with_recorded_replies(tape, [case, dataclasses.replace(other)])
    assert of_model.expected_reply_tokens == case.reply_tokens, "no reply is longer than it may be"
    roomy = dataclasses.replace(of_model, scenario=dataclasses.replace(case.scenario, max_tokens=500))
    assert roomy.expected_reply_tokens == 40
    assert of_other.replies == of_model.replies, "the answers of a family count for all of its scenarios"


@pytest.mark.parametrize(
    "usage", [b'{"output_tokens": -5}', b'{"output_tokens": "9"}', b'{"output_tokens": true}', b"7"]
)
def test_an_answer_with_a_strange_usage_says_nothing(tmp_path: Path, usage: bytes) -> None:
    tape, case = Tape(tmp_path, "once"), line_case(trials=3)
    for index in range(3):
        tape.record(wanted(case, index), answer(b'{"content": [], "usage": ' + usage + b"}"), AT, 0.5)
    assert with_recorded_replies(tape, [case])[0].replies is None
