"""The run of a test function, once for each trial of a cell."""

from __future__ import annotations

import asyncio
import contextvars
import inspect
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from longctx.errors import UserError
from longctx.functions.measure import Result, RunOnce, TrialOf, run
from longctx.functions.strategies import Strategy
from longctx.functions.trial import FunctionTrial, TestMistake
from longctx.vocabulary.scenario import MEASURED
from longctx.vocabulary.shapes import NO_STRATEGY

if TYPE_CHECKING:
    from longctx.cases.case import Case, Question
    from longctx.connections import Guard
    from longctx.functions.cells import Function
    from longctx.functions.fixtures import FunctionState
    from longctx.recording.tape import Tape


@dataclass(frozen=True, slots=True)
class CellRunner:
    """Runs a test function for the trials of one of its cells."""

    function: Function
    state: FunctionState
    guard: Guard
    """That of the test, which is in force while it runs."""
    call: Callable[[], object]
    """Calls the function once, and returns what it returns."""
    strategy: Strategy | None = None
    """None if the strategy of context management is not varied."""
    judge: str = ""
    """The model that judges; empty if there is none."""

    def trial_of(self, question: Question) -> FunctionTrial:
        """Return a trial that has not run yet."""
        state, judge = self.state, self.judge
        return FunctionTrial(question, state.tape, state.model(judge) if judge else None, self.strategy or Strategy())

    def start(self, trial: FunctionTrial) -> Result:
        """Run the function once for a trial."""
        state, function = self.state, self.function
        state.current = trial
        state.case = function.cases[trial.question.index] if function.cases is not None else None
        try:
            result = run(trial, self.call)
        finally:
            state.current = None
        caught = self.guard.taken()
        if caught and not isinstance(result.error, TestMistake):
            result = Result("error", str(caught), caught)
        if not trial.answers and result.kind not in ("suspended", "skipped", "error"):
            sentence = f"{function.name} never asks: its trials need the fixture ask, which is missing or not called."
            return Result("error", sentence, TestMistake(UserError("test-never-asks", sentence)))
        if trial.strategy.name != NO_STRATEGY and not trial.managed and result.kind in MEASURED:
            sentence = (
                f"{function.name} asks about no transcript, so the strategy {trial.strategy.name!r} changes nothing: "
                "ask(transcript, question) uses it; or leave the test out of this run with -k."
            )
            return Result("error", sentence, TestMistake(UserError("strategy-not-used", sentence)))
        return result


class FunctionRun:
    """One run of all test functions, for each trial of all of their cells, in which they are not measured."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.broken: dict[str, str] = {}
        """Why tests could not run, such as a fixture that fails, by their names."""
        self.test = ""
        """The id of the test that runs."""

    def fitted(self, case: Case) -> Case | None:
        """Return a cell as it is run; None if its probes could not be counted, as was said. Raises UserError."""
        return None if case.token_values is None else case.fitted()

    def cell(self, case: Case, trial_of: TrialOf, start: RunOnce) -> None:
        """Do with the trials of a cell what this run is for."""
        raise NotImplementedError


class Functions(Protocol):
    """The test functions of a run."""

    def run(self, functions: FunctionRun) -> None:
        """Run all of them. Raises KeyboardInterrupt."""


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
