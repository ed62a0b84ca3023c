"""A cell of a notebook: a call in a running event loop, which the person may interrupt."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable


def interrupted(call: Callable[[], object], when: Callable[[], object], then: Callable[[], object]) -> None:
    """Call in an event loop of this thread, which is sent SIGINT after `when` has returned; `then` follows it."""

    def interrupt() -> None:
        when()
        main_thread = threading.main_thread().ident
        assert main_thread is not None
        signal.pthread_kill(main_thread, signal.SIGINT)
        then()

    stopper = threading.Thread(target=interrupt)

    async def cell() -> None:
        stopper.start()
        call()

    loop = asyncio.new_event_loop()
    try:
        loop.run_until_complete(cell())
    finally:
        stopper.join()
        loop.close()
