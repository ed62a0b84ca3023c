"""An event loop whose clock jumps to the next timer, so that hours of waiting take no time."""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Result = TypeVar("Result")


class VirtualLoop(asyncio.SelectorEventLoop):
    """A loop for code that waits for nothing but timers: no sockets, and what threads would do is done at once."""

    def __init__(self) -> None:
        self.now = 0.0
        super().__init__(_Jumping(self))

    def time(self) -> float:
        return self.now

    def run_in_executor(self, executor: Any, call: Callable[..., Result], *given: Any) -> asyncio.Future[Result]:
        done = self.create_future()
        done.set_result(call(*given))
        return done


class _Jumping(selectors.SelectSelector):
    def __init__(self, loop: VirtualLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "all tasks wait for something that never comes"
        self._loop.now += max(timeout, 0.0)
        return super().select(0)


def run(coroutine: Coroutine[Any, Any, Result]) -> Result:
    """Do what `asyncio.run` does, in virtual time."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(coroutine)
