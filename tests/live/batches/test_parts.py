"""Dividing the missing questions into batches."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator
from itertools import zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx import clocks
from longctx.cells.cell import Cell, Trial
from longctx.live.batches.ledger import AROUND, ID_LENGTH, custom_id, new_name, size_of, split_by_limits
from longctx.recording.request import Place, Request, Shared, digest
from tests.batch_server import CUSTOM_ID
from tests.recording.examples import line_cell, passkey_cell


@given(st.lists(st.integers(1, 50)), st.integers(20, 120), st.integers(1, 7))
def test_nothing_is_lost_and_no_limit_crossed(sizes: list[int], most_bytes: int, most_requests: int) -> None:
    divided = list(split_by_limits(((place, size) for place, size in enumerate(sizes)), most_bytes, most_requests))
    assert [place for part in divided for place in part] == list(range(len(sizes)))
    for part, after in zip_longest(divided, divided[1:]):
        taken = AROUND + sum(sizes[place] for place in part)
        assert len(part) == 1 or taken <= most_bytes
        assert len(part) <= most_requests
        if after:
            assert len(part) == most_requests or taken + sizes[after[0]] > most_bytes, "no more fits"


def test_one_part_is_built_at_a_time() -> None:
    taken: list[int] = []

    def items() -> Iterator[tuple[int, int]]:
        for number in range(100):
            taken.append(number)
            yield number, 1

    assert len(next(split_by_limits(items(), most_requests=10))) == 10
    assert len(taken) == 11


@pytest.mark.parametrize(
    "cell", [line_cell(), passkey_cell(prefill=True), line_cell(extra_body={"top_k": 1, "ü": "é"})]
)
def test_what_is_sent_has_the_digest_of_a_direct_request(cell: Cell) -> None:
    trial = Trial(cell.fitted(), 0)
    assert digest(Request.of(trial).ready().body) == Place.of(trial, trial.build()).sha256


def test_marks_and_a_stream_do_not_change_it() -> None:
    cell = line_cell(caching={"ttl": "1h"}, extra_body={"stream": True})
    trial = dataclasses.replace(Request.of(Trial(cell, 0)), shared=Shared(100, (50,)))
    body = trial.ready().in_batch.body
    assert "stream" not in body
    assert body["messages"][0]["content"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    assert digest(body) == Place.of(Trial(cell, 0), Trial(cell, 0).build()).sha256


def test_a_batch_is_as_large_as_its_parts() -> None:
    trials = [Trial(line_cell(), index) for index in range(2)]
    bodies = [Request.of(trial).ready().body | {"ü": "\ud800"} for trial in trials]
    whole = {"requests": [{"custom_id": "x" * 64, "params": body} for body in bodies]}
    text = json.dumps(whole, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    assert AROUND + sum(size_of("x" * 64, body) for body in bodies) == len(text) + 1


def test_an_id_stands_for_trial_and_repeat_in_one_batch() -> None:
    trials = [Trial(line_cell(), index, repeat) for index in range(2) for repeat in range(2)]
    places = [Place.of(trial, trial.build()) for trial in trials]
    names = [new_name(clocks.now()) for _ in range(2)]
    ids = {custom_id(name, place) for name in names for place in places}
    assert len(ids) == 8
    assert all(CUSTOM_ID.fullmatch(id) and len(id) == ID_LENGTH for id in ids)
    assert custom_id(names[0], places[0]) == custom_id(names[0], places[0])
