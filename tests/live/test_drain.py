"""The one loop: what is sent when, what goes on, what is sent once more; and the order of prefixes."""

from __future__ import annotations

import dataclasses
from collections import deque
from collections.abc import Sequence

import pytest

from longctx.cells.cell import Trial
from longctx.live.drain import Drain, InOrder, Paused, Sent
from longctx.live.failure import Failure
from longctx.recording.request import Request, Shared
from tests.given import reply
from tests.recording.examples import line_cell

CELL = line_cell(trials=6)
REPLY = reply("42")
BUSY = Failure("rate_limit", "busy")
REFUSED = Failure("invalid_request", "refused")


def trial(index: int, after: int | None = None) -> Request:
    shared = Shared(after=None if after is None else Trial(CELL, after).key)
    return dataclasses.replace(Request.of(Trial(CELL, index)), shared=shared)


class Trials:
    """Trials that send so many requests one after another, each `wide` at once."""

    def __init__(self, trials: Sequence[Request], times: int = 1, wide: int = 1) -> None:
        self.order, self.times, self.wide = InOrder(trials), times, wide
        self.ended: list[int] = []
        self.failures: list[tuple[int, Failure]] = []
        self._sent: dict[Paused, int] = {}

    def next(self) -> Paused | None:
        request = self.order.next()
        if request is None:
            return None
        paused = Paused(request.trial, [request] * self.wide)
        self._sent[paused] = 1
        return paused

    def go_on(self, paused: Paused) -> Sequence[Request]:
        if self._sent[paused] == self.times:
            self.ended.append(paused.trial.index)
            return ()
        self._sent[paused] += 1
        return paused.requests

    def readable(self, paused: Paused) -> None:
        self.order.readable(paused.requests[0].key)

    def failed(self, paused: Paused, why: Failure) -> None:
        self.failures.append((paused.trial.index, why))


def taken(loop: Drain) -> list[Sent]:
    return list(loop.take())


def indices(sent: Sequence[Sent]) -> list[int]:
    return [request.trial.index for _, request in sent]


def run(trials: list[Request], in_flight: int) -> list[list[int]]:
    """Return the questions that are in flight together, if all of them end at once."""
    loop, seen = Drain(Trials(trials), lambda: in_flight, lambda: True), []
    while together := taken(loop):
        seen.append(indices(together))
        for sent in together:
            loop.ended(*sent, REPLY)
    return seen


def test_without_a_cache_the_order_is_kept() -> None:
    assert run([trial(index) for index in range(5)], 2) == [[0, 1], [2, 3], [4]]


def test_what_reads_waits_for_what_writes() -> None:
    """Of two records with three questions each, a question is never in flight with the one that it waits for."""
    trials = [trial(0), trial(1, 0), trial(2, 0), trial(3), trial(4, 3), trial(5, 4)]
    assert run(trials, 1) == [[0], [1], [2], [3], [4], [5]]
    assert run(trials, 4) == [[0, 3], [4, 1, 2], [5]]


def test_what_was_not_taken_is_left() -> None:
    order = InOrder([trial(0), trial(1, 0), trial(2)])
    assert [each.trial.index for each in (order.next(), order.next()) if each] == [0, 2]
    assert order.next() is None
    assert [each.trial.index for each in order.left()] == [1]


def test_a_trial_goes_on_before_another_starts() -> None:
    trials = Trials([trial(index) for index in range(3)], times=2)
    loop, seen = Drain(trials, lambda: 1, lambda: True), list[int]()
    while sent := taken(loop):
        seen += indices(sent)
        loop.ended(*sent[0], REPLY)
    assert seen == [0, 0, 1, 1, 2, 2]
    assert trials.ended == [0, 1, 2]


def test_a_trial_goes_on_once_all_of_its_requests_have_ended() -> None:
    trials = Trials([trial(0)], wide=3)
    loop = Drain(trials, lambda: 1, lambda: True)
    first, second, third = taken(loop)
    loop.ended(*first, REPLY)
    loop.ended(*second, REPLY)
    assert not taken(loop)
    assert not trials.ended
    loop.ended(*third, REPLY)
    assert not taken(loop)
    assert trials.ended == [0]


def test_a_trial_starts_once_those_before_it_were_sent() -> None:
    """What a test function does until it asks may take long: its neighbours' requests do not wait for it."""
    waiting = deque([trial(0), trial(1)])
    trials = Trials(list(waiting))
    sending = Drain(trials, lambda: 2, lambda: True).take()
    next(sending)
    assert [each.trial.index for each in trials.order.left()] == [1]


@pytest.mark.parametrize("answered", [True, False])
def test_what_failed_for_a_moment_is_sent_once_more_when_nothing_else_is(answered: bool) -> None:
    trials = Trials([trial(index) for index in range(3)])
    loop = Drain(trials, lambda: 2, lambda: answered)
    zero, one = taken(loop)
    loop.ended(*zero, BUSY)
    [two] = taken(loop)
    loop.ended(*one, REPLY)
    assert not taken(loop), "another is in flight"
    loop.ended(*two, REPLY)
    again = taken(loop)
    assert indices(again) == ([0] if answered else [])
    for sent in again:
        loop.ended(*sent, BUSY)
    assert not taken(loop)
    assert trials.failures == [(0, BUSY)]
    assert sorted(trials.ended) == [1, 2]


def test_of_many_that_are_sent_once_more_no_more_are_in_flight_than_before() -> None:
    trials = Trials([trial(index) for index in range(5)])
    loop, out = Drain(trials, lambda: 2, lambda: True), list[int]()
    while sent := taken(loop):
        out.append(len(sent))
        for each in sent:
            loop.ended(*each, BUSY)
    assert out == [2, 2, 1, 2, 2, 1]
    assert len(trials.failures) == 5


def test_what_is_refused_ends_its_trial_alone() -> None:
    trials = Trials([trial(0), trial(1)])
    loop = Drain(trials, lambda: 2, lambda: True)
    zero, one = taken(loop)
    loop.ended(*zero, REFUSED)
    loop.ended(*one, REPLY)
    assert not taken(loop)
    assert (trials.failures, trials.ended) == ([(0, REFUSED)], [1])
