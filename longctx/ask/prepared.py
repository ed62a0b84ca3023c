"""Questions made ready to be sent, beside the event loop: a long prompt takes milliseconds, in which others could be
answered."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from longctx.ask.case import Question
from longctx.ask.request import call
from longctx.ask.tape import Wanted
from longctx.scenarios.base import Trial


@dataclass(frozen=True, slots=True)
class Prepared:
    """A question that is ready to be sent, as often as it takes. sent: the arguments of the SDK's call."""

    question: Question
    trial: Trial
    wanted: Wanted
    sent: dict[str, Any]

    @classmethod
    def of(cls, question: Question) -> Prepared:
        """Raises UserError where the trial cannot be built."""
        trial = question.build()
        sent = call(trial, question.case.model, question.shared.cuts)
        return cls(question, trial, Wanted.of(question, trial), sent)


class Builder:
    """Prepares questions on a thread of its own while it is entered. More threads would take turns with the event
    loop's as often as there are threads."""

    def __enter__(self) -> Self:
        self._thread = ThreadPoolExecutor(max_workers=1)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._thread.shutdown()

    async def prepared(self, question: Question) -> Prepared:
        return await asyncio.get_running_loop().run_in_executor(self._thread, Prepared.of, question)
