"""The tests that a person selects for a command: pytest collects them, and asks and measures what a run has of them."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, TextIO

import pytest

from longctx.errors import UserError
from longctx.plugin.asking.nested import NestedSession
from longctx.plugin.run import GivenRun

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.engine.function_runs import PlanningRun, ShowingRun
    from longctx.engine.measure import MeasuredCase
    from longctx.engine.run import Run
    from longctx.functions.fixtures import FunctionRun

IMPORTED = "ignore:Module already imported so cannot be rewritten:pytest.PytestAssertRewriteWarning"
"""The filter for pytest's warning that longctx, which the command has imported, cannot be rewritten."""
USUAL = "-plongctx.plugin", f"-W{IMPORTED}", "--ctx-project-tests"
"""The arguments of every pytest that a command starts: by default it takes all tests of the project."""


class SelectedTests:
    """The tests that a person selected, in one run, such as a treatment of an upgrade. Pytest itself prints nothing."""

    def __init__(self, run: Run, selection: Sequence[str]) -> None:
        """selection: the arguments of pytest that select them."""
        self.run = run
        server = run.settings.base_url
        self._arguments = [*USUAL, *selection, "--capture=no", *([f"--ctx-base-url={server}"] if server else [])]

    def estimate(self) -> None:
        """Say what asking would cost. Raises UserError."""
        self._ask(estimate=True)

    def ask(self, max_cost: float) -> float:
        """Ask what is lacking within a cap in USD; return what was spent. Raises UserError."""
        self._ask(ask_only=True, max_cost=max_cost)
        return self.run.spent

    def measure(self) -> Sequence[MeasuredCase]:
        """Replay and judge what is recorded. Raises UserError if a test cannot be run."""
        from longctx.engine.function_runs import MeasuringRun

        measuring = MeasuringRun(self.run, self.run.tape())
        cases = self._run(measuring)
        if not (cases or measuring.cells):
            raise UserError(
                "no-test-to-upgrade",
                "None of the selected tests is marked longctx, or the profile leaves them out: give test functions, as "
                "in --tests tests_longctx/test_refunds.py.",
            )
        for cell in measuring.cells:
            if cell.failed:
                self.run.say(cell.failed)
        return [*self.run.measure(cases).cases, *measuring.cells]

    def show(self, showing: ShowingRun) -> None:
        """Run the trial that is to be shown. Raises UserError if a test cannot be run."""
        self._run(showing)

    def plan(self, planning: PlanningRun) -> list[Case]:
        """Plan the test functions, and return the cases of the protocols. Raises UserError if a test cannot be run."""
        return self._run(planning)

    def _run(self, functions: FunctionRun) -> list[Case]:
        """Run the test functions, and return the cases of the protocols. Raises UserError if a test cannot be run."""
        cases: list[Case] = []

        def work(nested: NestedSession) -> None:
            cases.extend(nested.cases())
            nested.run(functions)

        nested = NestedSession(work)
        with contextlib.redirect_stderr(io.StringIO()):
            code = self._pytest(nested)
        if nested.error is not None:
            raise nested.error
        if nested.interrupted:
            raise KeyboardInterrupt
        for test, why in (nested.uncollected | functions.broken).items():
            raise UserError("tests-not-run", f"{test} cannot be run: {why}. Run it with pytest to see more.")
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
            raise _not_run(code)
        return cases

    def _ask(self, **settings: object) -> None:
        """Run pytest, which asks or estimates and then ends, as its options say."""
        kept = self.run.settings
        self.run.settings = dataclasses.replace(kept, **settings)  # type: ignore[arg-type]
        try:
            code = self._pytest()
        finally:
            self.run.settings = kept
        if code == pytest.ExitCode.INTERRUPTED:
            raise KeyboardInterrupt
        if code not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
            raise _not_run(code)

    def _pytest(self, *plugins: object) -> int:
        """Run pytest on the selected tests; return its exit status. Raises UserError if it refuses them."""
        given, terminal, say = GivenRun(self.run), sys.stdout, self.run.say
        self.run.say = functools.partial(_say, terminal)
        try:
            with contextlib.redirect_stdout(io.StringIO()):
                code = int(pytest.main([*self._arguments], plugins=[given, *plugins]))
        finally:
            self.run.say = say
        if given.mistake:
            raise given.mistake
        return code


def _not_run(code: int) -> UserError:
    """Return the error that pytest ended with a status from which nothing can be measured."""
    return UserError(
        "tests-not-run", f"Running the tests ended with status {code} of pytest: run pytest on them to see why."
    )


def _say(terminal: TextIO, sentence: str) -> None:
    """Print a sentence past what is redirected. If nobody reads on, as after `| head`, the command itself ends."""
    with contextlib.suppress(BrokenPipeError):
        print(sentence, file=terminal, flush=True)
