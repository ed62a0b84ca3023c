"""The agenda: no question is asked before the one whose prefix it reads from the cache."""

from __future__ import annotations

import asyncio

from longctx.cases.case import Question, Shared
from longctx.live.agenda import Agenda
from tests.recording.examples import line_case

CASE = line_case(trials=6)


def question(index: int, after: int | None = None) -> Question:
    return Question(CASE, index, shared=Shared(after=None if after is None else Question(CASE, after).key))


def run(questions: list[Question], in_flight: int) -> list[list[int]]:
    """Return the questions that are in flight together, if all of them end at once."""

    async def ask() -> list[list[int]]:
        agenda, seen = Agenda(questions), []
        while True:
            together = []
            for _ in range(in_flight):
                taking = asyncio.ensure_future(agenda.next())
                await asyncio.sleep(0)
                if not taking.done() or (taken := taking.result()) is None:
                    taking.cancel()
                    break
                together.append(taken)
            if not together:
                return seen
            seen.append([question.index for question in together])
            for question in together:
                await agenda.ended(question)

    return asyncio.run(ask())


def test_without_a_cache_the_order_is_kept() -> None:
    assert run([question(index) for index in range(5)], 2) == [[0, 1], [2, 3], [4]]


def test_what_reads_waits_for_what_writes() -> None:
    """Of two records with three questions each, a question is never in flight with the one that it waits for."""
    questions = [question(0), question(1, 0), question(2, 0), question(3), question(4, 3), question(5, 4)]
    assert run(questions, 1) == [[0], [1], [2], [3], [4], [5]]
    assert run(questions, 4) == [[0, 3], [4, 1, 2], [5]]


def test_nothing_is_taken_once_it_is_closed() -> None:
    async def ask() -> tuple[Question | None, Question | None, list[int]]:
        agenda = Agenda([question(0), question(1, 0), question(2)])
        await agenda.next(), await agenda.next()
        waiting = asyncio.ensure_future(agenda.next())
        await asyncio.sleep(0)
        await agenda.close()
        return await waiting, await agenda.next(), [question.index for question in agenda.left()]

    assert asyncio.run(ask()) == (None, None, [1])
