"""Runs a test function for the trials of one of its cells."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from longctx.connections import Guard
from longctx.errors import UserError
from longctx.functions.fixtures import FunctionState
from longctx.functions.measure import Result, run
from longctx.functions.own_process import kept
from longctx.functions.strategies import Strategy
from longctx.functions.trial import CACHED, FunctionTrial, TestMistake
from longctx.vocabulary.point import MEASURED
from longctx.vocabulary.shapes import NO_STRATEGY

if TYPE_CHECKING:
    from longctx.cells.cell import Trial
    from longctx.functions.cells import Function


class TrialServer(Protocol):
    """What answers the requests that a trial's code sends around the fixture `ask`."""

    def running(self, call: Callable[[], object]) -> object:
        """Return what `call` returns, which runs code of the trial."""

    def end(self) -> None:
        """Stop answering: the code of the trial has ended, except the teardown of its fixtures."""


class NoServer:
    """Nothing answers them."""

    def running(self, call: Callable[[], object]) -> object:
        return call()

    def end(self) -> None:
        """Nothing is answered anyway."""


SENT: set[str] = set()
"""The test functions that have sent a request in this process, in which code under test may keep answers."""


@dataclass(frozen=True, slots=True)
class CellRunner:
    """Runs a test function for the trials of one of its cells."""

    function: Function
    state: FunctionState
    guard: Guard
    """The guard of the test's connections, in force while it runs."""
    call: Callable[[], object]
    """Calls the function once, and returns what it returns."""
    strategy: Strategy | None = None
    """None if the strategy of context management is not varied."""
    judge: str = ""
    """The model that judges; empty if there is none."""
    set_up: Callable[[], object] = lambda: None
    """Sets up what the function takes, for one run of it: its trial is running then."""
    tear_down: Callable[[], object] = lambda: None
    """Tears down what was set up."""
    serve: Callable[[FunctionTrial], AbstractContextManager[TrialServer]] = lambda trial: nullcontext(NoServer())
    """Answers what the code of a trial sends around the fixture `ask`, while the context is entered."""

    def trial_of(self, trial: Trial) -> FunctionTrial:
        """Return a trial that has not run yet."""
        state, judge = self.state, self.judge
        return FunctionTrial(trial, state.tape, state.model(judge) if judge else None, self.strategy or Strategy())

    def start(self, trial: FunctionTrial) -> Result:
        """Run the function once for a trial."""
        with self.serve(trial) as served:
            result = self._run(trial, served)
        return self._checked(trial, result)

    def _run(self, trial: FunctionTrial, served: TrialServer) -> Result:
        state, function = self.state, self.function
        state.current = trial
        state.case = function.cases[trial.trial.index] if function.cases is not None else None
        if state.case is not None:
            trial.judge_by("case", state.case)
        try:
            with kept(f"{function.name}, trial {trial.item}", self.guard):
                result = run(trial, lambda: served.running(self.call), lambda: served.running(self.set_up))
        finally:
            state.current = None
            served.end()
        SENT.update([function.name] if trial.bodies else [])
        return self._torn_down(result)

    def _checked(self, trial: FunctionTrial, result: Result) -> Result:
        """Return the result, or the mistake that was made in a trial whose code went on."""
        function = self.function
        caught = self.guard.taken()
        if caught and not isinstance(result.error, TestMistake):
            result = Result("error", str(caught), caught)
        if not trial.answers and result.kind not in ("suspended", "skipped", "error"):
            sentence = f"{function.name} sends no request: its trials must call the fixture ask."
            if function.name in SENT:
                sentence = (
                    f"{function.name}, trial {trial.item}: it sends no request, but earlier trials of this test did. "
                    f"Unless the test ends before its request, {CACHED}"
                )
            return Result("error", sentence, TestMistake(UserError("test-never-asks", sentence)))
        if trial.strategy.name != NO_STRATEGY and not trial.managed and result.kind in MEASURED:
            sentence = (
                f"{function.name} uses no transcript, so the strategy {trial.strategy.name!r} has no effect: call "
                "ask(transcript, question), or leave out the test with -k."
            )
            return Result("error", sentence, TestMistake(UserError("strategy-not-used", sentence)))
        return result

    def _torn_down(self, result: Result) -> Result:
        """Tear down what was set up, and return the result: an error of that is the test's own."""
        try:
            self.tear_down()
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt):
                raise
            if result.kind not in ("suspended", "error"):  # what was left in the middle may not be torn down in order
                return Result("error", str(error), error)
        return result


def called(function: Callable[..., object], arguments: Mapping[str, Any]) -> object:
    """Call a test function, and wait for what it returns if it is asynchronous."""
    result = function(**arguments)
    if not inspect.isawaitable(result):
        return result
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(_awaited(result))
    with ThreadPoolExecutor(1) as thread:  # this one has a loop, as a notebook's has
        return thread.submit(contextvars.copy_context().run, asyncio.run, _awaited(result)).result()


async def _awaited(result: Any) -> Any:
    return await result
