"""Silences of the asking pass: each is reported, and again each time it has lasted twice as long."""

from __future__ import annotations

import pytest

from longctx.live.watch import Watch
from tests.live.clock import Clock


@pytest.fixture
def clock() -> Clock:
    return Clock()


def watch(clock: Clock, told: list[tuple[float, str]]) -> Watch:
    return Watch(lambda: "an answer", lambda silent_s, what: told.append((silent_s, what)), clock)


def test_a_silence_is_reported_ever_more_rarely(clock: Clock) -> None:
    reported: list[tuple[float, str]] = []
    silence = watch(clock, reported)
    silence.begin()
    clock.passes(1.9)
    assert reported == []
    clock.passes(30)
    assert reported == [(2, "an answer"), (4, "an answer"), (8, "an answer"), (16, "an answer")]
    silence.end()
    clock.passes(1000)
    assert len(reported) == 4


def test_an_answer_ends_it(clock: Clock) -> None:
    reported: list[tuple[float, str]] = []
    silence = watch(clock, reported)
    silence.begin()
    for _ in range(10):
        clock.passes(1.5)
        silence.begin()
    assert reported == []
    clock.passes(2)
    assert [silent_s for silent_s, _ in reported] == [2]
