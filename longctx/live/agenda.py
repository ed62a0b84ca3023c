"""The order of questions: as given, but each after the question that writes its prefix to the prompt cache.

A cached prefix can be read only once the request that wrote it was answered. Neighbours that are in flight at the same
time would each pay for writing the prefix that they share.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from longctx.cases.case import Question


class Agenda:
    """The questions of one asking pass, from which workers take."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self._ready: deque[Question] = deque()
        self._waiting: dict[str, list[Question]] = defaultdict(list)
        self.size = len(questions)
        """How many there are."""
        here = {question.key for question in questions}
        for question in questions:
            first = question.shared.after
            (self._waiting[first] if first in here else self._ready).append(question)
        self._changed = asyncio.Condition()
        self._closed = False

    async def next(self) -> Question | None:
        """Wait for a question that may be asked; return None if none is left, or the agenda is closed."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._ready or not self._waiting or self._closed)
            return self._ready.popleft() if self._ready and not self._closed else None

    async def ended(self, question: Question) -> None:
        """Note that a question was answered, or never will be: those that waited for it are asked next."""
        async with self._changed:
            self._ready.extendleft(reversed(self._waiting.pop(question.key, [])))
            self._changed.notify_all()

    async def close(self) -> None:
        """Let workers take no further question."""
        async with self._changed:
            self._closed = True
            self._changed.notify_all()

    def left(self) -> Iterator[Question]:
        """Yield the questions that no worker took."""
        yield from self._ready
        for waiting in self._waiting.values():
            yield from waiting
