"""Answers by trial and position: the n-th request of a kind gets the n-th answer of that kind."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.recording.by_position import RequestsOfTrial, UsedAnswer
from longctx.recording.request import PATH, Place

PLACE = Place("toy/test_it/all.jsonl", "trial", "other", "protocol", "wording")
JUDGE = "judge/test_it/all.jsonl"


@pytest.fixture
def requests() -> RequestsOfTrial:
    """Return a trial that was given two answers of the model, with a judge's between them, and a count of tokens."""
    made = RequestsOfTrial()
    for file, key, counts in (
        (PLACE.file, "count", True),
        (PLACE.file, "first", False),
        (JUDGE, "judged", False),
        (PLACE.file, "second", False),
    ):
        answer = UsedAnswer("trial", file, "toy", key, PATH, counts)
        made.used[answer.kind].append(answer)
    return made


def key_of(requests: RequestsOfTrial, number: int, **fields: object) -> str | None:
    answer = requests.answer_to(replace(PLACE, number=number, **fields))  # type: ignore[arg-type]
    return answer.key if answer else None


def test_positions_count_within_a_kind(requests: RequestsOfTrial) -> None:
    assert [key_of(requests, number) for number in (0, 0, 4)] == ["first", "first", "second"]
    assert key_of(requests, 2, file=JUDGE) == "judged"
    assert requests.has_fewer
    assert key_of(requests, 1, counts=True) == "count"
    assert (requests.has_fewer, requests.lack, requests.differ) == (False, False, True)


def test_a_request_too_many_or_of_another_api_has_no_answer(requests: RequestsOfTrial) -> None:
    assert key_of(requests, 0, sha256="first") == "first"
    assert not requests.differ
    assert key_of(requests, 1, path="/v1/chat/completions") is None
    assert requests.lack
    assert key_of(requests, 2) is None
