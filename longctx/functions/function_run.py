"""One run of all test functions of a project."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from longctx.functions.measure import RunOnce, TrialOf

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.recording.tape import Tape


class FunctionRun:
    """One run of all test functions, for each trial of all of their cells, in which they are not measured."""

    def __init__(self, tape: Tape) -> None:
        self.tape = tape
        self.broken: dict[str, str] = {}
        """Why tests could not run, such as a fixture that fails, by their names."""
        self.test = ""
        """The id of the test that runs."""

    def fitted(self, cell: Cell) -> Cell | None:
        """Return a cell as it is run; None if its probes could not be counted, which was reported. Raises UserError."""
        return None if cell.token_values is None else cell.fitted()

    def run_cell(self, cell: Cell, trial_of: TrialOf, start: RunOnce) -> None:
        """Run the trials of a cell, for what this run is for."""
        raise NotImplementedError


class Functions(Protocol):
    """The test functions of a run."""

    def run(self, functions: FunctionRun) -> None:
        """Run all of them. Raises KeyboardInterrupt."""
