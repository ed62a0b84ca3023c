"""A cell: its names, its size, the tokens of its requests and replies, and whether it can be built for its model."""

from __future__ import annotations

import dataclasses

from longctx.cells.cell import TOOLS_PROMPT, ReplyTokens, added_tokens
from longctx.config.file_names import file_name
from longctx.config.models import ModelProfile
from tests.protocols import Passkey
from tests.recording.examples import line_cell, passkey_cell
from tests.refusals import refused


def test_names() -> None:
    cell = line_cell(20, 5, model="org/toy:1")
    assert cell.id == f"{file_name('org/toy:1')}-protocol-lines-20-block_size-5"
    assert cell.file == f"{file_name('org/toy:1')}/line_retrieval/lines-20-block_size-5.jsonl"
    plain = line_cell(20, 5, model="toy")
    assert (plain.id, plain.file) == (
        "toy-protocol-lines-20-block_size-5",
        "toy/line_retrieval/lines-20-block_size-5.jsonl",
    )


def test_each_trial_is_asked_as_often_as_wanted() -> None:
    cell = dataclasses.replace(line_cell(trials=3), repeats=2)
    asked = [(trial.index, trial.repeat) for trial in cell.each_trial()]
    assert asked == [(0, 0), (1, 0), (2, 0), (0, 1), (1, 1), (2, 1)]
    assert cell.size == 6


def test_a_repeat_asks_the_same_prompt_under_another_identity() -> None:
    first, second = dataclasses.replace(line_cell(trials=1), repeats=2).each_trial()
    assert first.build().user == second.build().user
    assert first.identity != second.identity
    assert first.key != second.key


def test_a_key_distinguishes_models_and_wordings() -> None:
    cell = line_cell(trials=1)
    other = dataclasses.replace(cell, wording=dataclasses.replace(cell.wording, digest="other"))
    keys = {trial.key for each in (cell, line_cell(trials=1, model="b"), other) for trial in each.each_trial()}
    assert len(keys) == 3


def test_a_test_without_probes_is_always_measured() -> None:
    assert line_cell().token_values == {}
    assert line_cell().fitted() == line_cell()


def test_a_measured_model_fits_the_cell() -> None:
    point = passkey_cell().fitted().point
    assert isinstance(point, Passkey)
    assert point.tokens == {"filler": 24.0, "fixed": 94, "after_key": 15}


def test_a_model_that_was_never_measured() -> None:
    with refused("prompt-set-not-measured", "toy"):
        passkey_cell(measured=()).fitted()


def test_a_window_smaller_than_the_cell() -> None:
    with refused("window-too-small", "toy-protocol-lines-500 ", "7,600", "10", "4,096"):
        line_cell(500, window=4096).fitted()
    passkey_cell(512, window=512).fitted()
    with refused("window-too-small", "496", "16", "511"):
        passkey_cell(512, window=511).fitted()


def test_tools_take_room_in_the_window() -> None:
    tools = [{"name": "look_up", "description": "x" * 3000, "input_schema": {"type": "object"}}]
    with refused("window-too-small", "toy-protocol-window-512-k-512"):
        passkey_cell(512, window=1024, extra_body={"tools": tools}).fitted()
    passkey_cell(512, window=4096, extra_body={"tools": tools}).fitted()


def test_replies_longer_than_the_server_takes_requests_for() -> None:
    with refused("reply-too-long", "toy-protocol-lines-5 ", "2,010", "1,000"):
        line_cell(5, thinking_tokens=2000, max_output=1000).fitted()
    line_cell(5, thinking_tokens=990, max_output=1000).fitted()


def test_a_window_smaller_than_the_prompts_fixed_text() -> None:
    with refused("cell-not-buildable", "toy-protocol-window-100-k-100", "100", "110"):
        passkey_cell(100, 100).fitted()


def test_the_only_trial_of_a_cell() -> None:
    [trial] = dataclasses.replace(line_cell(trials=3), only_trial="7").fitted().each_trial()
    assert trial.index == 7


def test_a_cell_that_lacks_its_only_trial_asks_nothing() -> None:
    cell = dataclasses.replace(line_cell(trials=3), only_trial="q7")
    assert (cell.size, list(cell.each_trial())) == (0, [])
    with refused("unknown-trial", "no trial 'q7': its trials are numbered from 0"):
        cell.fitted()


def test_the_tokens_of_replies_are_the_mean_of_three_or_more() -> None:
    replies = ReplyTokens.of([90, 110, 100])
    assert replies == ReplyTokens(100, 3)
    assert str(replies) == "100 tokens"
    assert ReplyTokens.of([90, 110]) is None


def test_what_a_profile_adds_is_estimated() -> None:
    tools = [{"name": "look_up", "description": "x" * 3000, "input_schema": {"type": "object"}}]
    plain, with_tools = ModelProfile(model="toy"), ModelProfile(model="toy", extra_body={"tools": tools})
    assert added_tokens(plain, "", system_counted=False) == 0
    assert added_tokens(with_tools, "", system_counted=False) > 1000 + TOOLS_PROMPT
    product = ModelProfile(model="toy", system="y" * 4000)
    assert added_tokens(product, "z" * 4000, system_counted=False) > 2000
    assert added_tokens(product, "z" * 4000, system_counted=True) == 0
