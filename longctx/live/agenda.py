"""Which question is asked next: in their order, but none before the one whose beginning it reads from the cache.

What a server keeps can be read once it has answered, so neighbours that are in flight together would each pay for
writing what they share.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict, deque
from collections.abc import Iterator, Sequence

from longctx.recording.case import Question


class Agenda:
    """The questions of one asking pass, for workers to take from."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self._ready: deque[Question] = deque()
        self._waiting: dict[str, list[Question]] = defaultdict(list)
        for question in questions:
            (self._ready if question.shared.after is None else self._waiting[question.shared.after]).append(question)
        self._changed = asyncio.Condition()
        self._closed = False

    async def next(self) -> Question | None:
        """Wait for a question that may be asked; None where none is left, or the agenda is closed."""
        async with self._changed:
            await self._changed.wait_for(lambda: self._ready or not self._waiting or self._closed)
            return self._ready.popleft() if self._ready and not self._closed else None

    async def ended(self, question: Question) -> None:
        """It is answered, or never will be: those that waited for it are next, while the server keeps it."""
        async with self._changed:
            self._ready.extendleft(reversed(self._waiting.pop(question.key, [])))
            self._changed.notify_all()

    async def close(self) -> None:
        """Let no further question be taken."""
        async with self._changed:
            self._closed = True
            self._changed.notify_all()

    def left(self) -> Iterator[Question]:
        """What was never taken."""
        yield from self._ready
        for waiting in self._waiting.values():
            yield from waiting
