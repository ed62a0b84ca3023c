"""Stopping a live pass by a signal, so that what is paid for is kept, and the sentence on what is kept.

The first SIGINT or SIGTERM stops the sending and waits for what is in flight; the second ends the pass at once.
"""

from __future__ import annotations

import asyncio
import contextlib
import signal
import threading
from collections.abc import Callable, Iterator

from longctx.errors import Interrupted, UserError
from longctx.live.batches.ledger import Ledger
from longctx.recording.tape import Tape


class Halt:
    """What a signal, or a notebook's interrupt, does to a live pass."""

    def __init__(self) -> None:
        self.requested = False
        """Whether the sending was stopped by a signal."""
        self.to_ask = 0
        """The number of trials to ask; 0 before it is known."""
        self._stop: Callable[[], str] | None = None
        self._stopped: Callable[[int], object] | None = None
        self._signals = 0

    def signal(self) -> None:
        """Stop: the first time the sending, the second time all. Any thread may call it."""
        self._signals += 1
        if self._signals > 2:  # nothing of the loop runs any more
            raise KeyboardInterrupt
        if self._stopped:
            self._stopped(self._signals)

    def check(self, tape: Tape) -> None:
        """Raise Interrupted if the sending was stopped by a signal, once what was in flight has ended."""
        if self.requested:
            raise Interrupted("interrupted", sentence(tape, self.to_ask, lost=False))

    @contextlib.contextmanager
    def stopping(self, stop: Callable[[], str]) -> Iterator[None]:
        """Let the first signal call `stop`, which returns what is then waited for; empty if nothing is in flight."""
        self._stop = stop
        try:
            yield
        finally:
            self._stop = None

    @contextlib.contextmanager
    def on_signals(self, say: Callable[[str], object]) -> Iterator[None]:
        """Handle the signals while the current task runs, unless they are ignored or another program handles them."""
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        assert task is not None

        def stop() -> None:
            awaited = self._stop() if self._stop else ""
            if awaited:
                self.requested = True
                say(stopping(awaited))
            else:
                task.cancel()

        self._stopped = lambda signals: loop.call_soon_threadsafe(stop if signals == 1 else task.cancel)
        if self._signals:  # one came before the loop began
            task.cancel()
        with handled(self.signal):
            yield


@contextlib.contextmanager
def handled(handle: Callable[[], object]) -> Iterator[None]:
    """Let SIGINT and SIGTERM call this, unless they are ignored or another program handles them."""
    with contextlib.ExitStack() as stack:
        if threading.current_thread() is threading.main_thread():
            earlier = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
            ours = [signal.SIGINT] if callable(earlier[signal.SIGINT]) else []
            ours += [signal.SIGTERM] if earlier[signal.SIGTERM] is signal.SIG_DFL else []
            for number in ours:
                signal.signal(number, lambda _, frame: handle())
                stack.callback(signal.signal, number, earlier[number])
        yield


def stopping(awaited: str) -> str:
    """Return what is said at the first signal. awaited: what is in flight; empty if nothing is."""
    waiting = f" Waiting for {awaited}; a second signal (Ctrl-C) ends at once." if awaited else ""
    return f"Stopping: no more requests are sent.{waiting}"


def sentence(tape: Tape, to_ask: int | None, lost: bool = True) -> str:
    """Return the sentence. to_ask: the number of trials to ask, 0 if it was not known yet; None if it never is.

    lost: whether the run did not wait for what was in flight.
    """
    running = _running(tape)
    if to_ask == 0:
        return f"Stopped: no requests were sent.{running}"
    what, others = f"{tape.recorded:,} requests of test functions", "the others"
    if to_ask is not None:
        what, others = f"{tape.recorded:,} of {to_ask:,} trials", f"the other {to_ask - tape.recorded:,}"
    if not tape.keeps:
        consequence = " but nothing is kept without text, so the same command sends all again."
    elif tape.record_mode == "all":
        consequence = (
            " and are recorded. The same command would send all again (record mode all); with --ctx-record once it "
            f"sends only {others}."
        )
    else:
        consequence = f" and are recorded, so the same command sends only {others}."
    in_flight = " Requests in flight are lost, and may be billed." if lost else ""
    return f"Stopped: {what} were answered{consequence}{running or in_flight}"


def sends_the_rest(tape: Tape) -> str:
    """Return a sentence on the command that sends only what was not answered; empty if no answer is kept."""
    if not tape.keeps:
        return ""
    mode = " with --ctx-record once" if tape.record_mode == "all" else ""
    return f"The same command{mode} sends only the rest."


def _running(tape: Tape) -> str:
    """Return a sentence on the batches that go on without this run; empty if there are none."""
    try:
        batches = Ledger(tape.written_to).open()
    except UserError:
        return ""
    if not batches:
        return ""
    requests = sum(len(batch.requests) for batch in batches)
    if not all(batch.id for batch in batches):
        return (
            f" {requests:,} requests are in batches, of which one may not have been created yet: the same command "
            "finds out, collects the answers, and sends nothing twice."
        )
    which = f"Batch {batches[0]} goes" if len(batches) == 1 else f"{len(batches):,} batches go"
    return (
        f" {which} on without this run, with {requests:,} requests: the same command collects the answers, or longctx "
        "models batches collect. Nothing is sent or paid for twice."
    )
