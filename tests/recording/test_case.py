"""A case: its names, its size, and whether it can be built for its model."""

from __future__ import annotations

import dataclasses

import pytest

from longctx.config.folders import file_name
from longctx.errors import UserError
from longctx.families.passkey.protocol import FillerTokens, Passkey
from longctx.recording.case import Case
from tests.recording.examples import line_case, passkey_case


def test_names() -> None:
    case = line_case(20, 5, model="org/toy:1")
    assert case.id == f"{file_name('org/toy:1')}-protocol-lines-20-block_size-5"
    assert case.file == f"{file_name('org/toy:1')}/line_retrieval/lines-20-block_size-5.jsonl"
    plain = line_case(20, 5, model="toy")
    assert (plain.id, plain.file) == (
        "toy-protocol-lines-20-block_size-5",
        "toy/line_retrieval/lines-20-block_size-5.jsonl",
    )


def test_each_trial_is_asked_as_often_as_wanted() -> None:
    case = dataclasses.replace(line_case(trials=3), repeats=2)
    asked = [(question.index, question.repeat) for question in case.questions()]
    assert asked == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    assert case.size == 6


def test_a_repeat_asks_the_same_prompt_under_another_identity() -> None:
    first, second = dataclasses.replace(line_case(trials=1), repeats=2).questions()
    assert first.build().user == second.build().user
    assert first.identity != second.identity
    assert first.key != second.key


def test_a_key_tells_models_and_wordings_apart() -> None:
    case = line_case(trials=1)
    other = dataclasses.replace(case, wording=dataclasses.replace(case.wording, digest="other"))
    keys = {question.key for one in (case, line_case(trials=1, model="b"), other) for question in one.questions()}
    assert len(keys) == 3


def test_a_family_without_probes_is_always_measured() -> None:
    assert line_case().measured == {}
    assert line_case().fitted() == line_case()


def test_a_measured_model_fits_the_scenario() -> None:
    scenario = passkey_case().fitted().scenario
    assert isinstance(scenario, Passkey)
    assert scenario.tokens == FillerTokens(24.0, 94, 15)


def sentence(case: Case) -> str:
    with pytest.raises(UserError) as caught:
        case.fitted()
    return str(caught.value)


def test_a_model_that_was_never_measured() -> None:
    said = sentence(passkey_case(measured=()))
    assert "was never measured" in said
    assert "record it with --ctx-record once" in said


def test_a_window_smaller_than_the_scenario() -> None:
    said = sentence(line_case(500, window=4096))
    assert said.startswith("toy-protocol-lines-500 takes about 7,600 tokens and its reply up to 10, but the window of ")
    passkey_case(512, window=512).fitted()
    small = sentence(passkey_case(512, window=511))
    assert "takes about 496 tokens and its reply up to 16, but the window of toy is 511" in small


def test_replies_longer_than_the_server_takes_requests_for() -> None:
    said = sentence(line_case(5, thinking_tokens=2000, max_output=1000))
    assert said.startswith(
        "toy-protocol-lines-5 asks for replies of up to 2,010 tokens, but toy takes no request for more"
    )
    line_case(5, thinking_tokens=990, max_output=1000).fitted()


def test_a_window_smaller_than_the_prompts_fixed_text() -> None:
    said = sentence(passkey_case(100, 100))
    assert said.startswith(
        "toy-protocol-window-100-k-100: a window of 100 tokens is smaller than the prompt's fixed text"
    )
    assert said.endswith("give at least 110.")
