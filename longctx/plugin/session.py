"""What the plugin keeps in pytest: one session in its Config, and one state of each item."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.connections import Guard
    from longctx.engine.finish import Finished
    from longctx.engine.measure import Measurer
    from longctx.engine.run import Run
    from longctx.errors import UserError
    from longctx.functions.cells import Function
    from longctx.functions.code_digest import Project
    from longctx.functions.fixtures import FunctionState
    from longctx.functions.function_run import FunctionRun
    from longctx.results.sent_texts import SentTexts


@dataclass(slots=True)
class LongctxSession:
    """What longctx knows of one pytest, in the process that started it or in a worker of xdist."""

    environment: Mapping[str, str] = field(default_factory=lambda: dict(os.environ))
    """The environment variables before a conftest.py of the tests could change them."""
    run: Run = field(init=False)
    """The run of this process, from `pytest_configure` on."""
    any_given: bool | None = None
    """Whether the person gave any option of longctx; None until that is determined."""
    unplanned: UserError | None = None
    """Why no marked test of this process can be planned, such as a profile that is missing."""
    over: int | None = None
    """The exit status of a run that ended before its tests."""
    decided: int = 0
    """The exit status that the gate and the tests decided, before hooks of the project could change it."""
    left_out: dict[str, str] = field(default_factory=dict)
    """The tests that the profile leaves out, by their ids, each with the reason."""

    functions: dict[str, Function] = field(default_factory=dict)
    """The test functions, by their names."""
    places: dict[str, str] = field(default_factory=dict)
    """The file of each test function, by its name."""
    parametrized: dict[str, list[str | Sequence[str]]] = field(default_factory=dict)
    """The first argument of each call of `parametrize` for a test, by the test's name."""
    reports_in: dict[str, str] = field(default_factory=dict)
    """The files of the test functions that declare a report, from the root folder, by their names."""
    unknown_reports: dict[str, tuple[str, bool]] = field(default_factory=dict)
    """The files of tests with a report, and whether it adds to the gate, from workers: to be collected here."""
    asking: FunctionRun | None = None
    """Sends the trials of functions in a nested pytest; without it they are replayed."""
    of_fixtures: FunctionState | None = None
    """What the fixtures of test functions share, once one was used."""
    elsewhere: dict[str, str] = field(default_factory=dict)
    """How requests of test functions differ in another process, by their names; empty if they do not."""
    measurer: Measurer | None = None
    """Measures the cells of protocols; None until one was measured."""
    code: Project | None = None
    """The code of the project, once that of a test was read."""
    draws_progress: bool = False
    """Whether the process that started the run draws the progress."""
    trials: int | None = None
    """The number of trials of the selected tests, once it was counted; of their cells, if no progress is drawn."""
    with_minimum: int | None = None
    """The number of selected cells with a minimum rate, once it was counted."""

    has_minimum: dict[str, bool] = field(default_factory=dict)
    """Whether a cell of each test that measured any has a minimum rate, by the test's id."""
    received: bool = False
    """Whether this process received any rows."""
    facts: dict[str, dict[str, int]] = field(default_factory=dict)
    """The facts of all cells, by their names."""
    texts: SentTexts | None = None
    """The texts that tests sent; None until rows were received."""
    changes: dict[tuple[Any, ...], None] = field(default_factory=dict)
    """The fields of each TextChange since the recordings that are stale."""
    used: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    """The fields of each UsedAnswer of test functions, by the keys of their cells, in a gate with a base branch."""
    baselines: dict[tuple[str, str], str] | None = None
    """The baseline that has answers of a cassette's cell in a prompt set; None until that is determined."""
    unused: str = ""
    """The sentence on unused recordings, if others are missing."""
    unwritten: str = ""
    """Why the report was not written."""
    finished: Finished | None = None
    """The finished run, in the process that started it."""
    failed_bands: list[pytest.TestReport] = field(default_factory=list)
    """The reports of the bands that fail the gate."""
    nothing_measured: bool = False
    """Whether a gated run ended without any cell measured."""
    saved: list[str] = field(default_factory=list)
    """The sentence on the baseline that the run was saved as."""
    not_saved: bool = False
    """Whether the run could not be saved as a baseline."""
    faults: dict[str, str] = field(default_factory=dict)
    """A sentence on each hook that failed, by its name."""

    @property
    def verdict(self) -> str:
        """The verdict of a gated run; empty if there is none."""
        if self.finished is None:
            return "invalid" if self.nothing_measured else ""
        return self.finished.verdict or ""


@dataclass(frozen=True, slots=True)
class FunctionCell:
    """A cell of a test function, and the function."""

    function: Function
    cell: Cell


@dataclass(slots=True)
class ItemState:
    """What longctx knows of one item of pytest."""

    function_cell: FunctionCell | None = None
    """Its cell, if it is one of a test function."""
    mistake: UserError | None = None
    """The mistake in a marked test, which fails with it."""
    guard: Guard | None = None
    """The guard of a marked test, while a phase of it runs."""
    lines: list[str] = field(default_factory=list)
    """The lines of its measured trials, until its next report is made."""
    if_failed: Callable[[], list[str]] | None = None
    """Returns the lines instead of these if another plugin fails the test, once it has ended well."""
    facts: dict[str, dict[str, int]] = field(default_factory=dict)
    """The facts of its cells, by their names, until then."""
    used: dict[str, list[tuple[Any, ...]]] = field(default_factory=dict)
    """The fields of each UsedAnswer of its trials, by the key of its cell, until then."""
    texts: list[tuple[Any, ...]] = field(default_factory=list)
    """The fields of each SentText of its trials, until then."""
    changes: list[tuple[Any, ...]] = field(default_factory=list)
    """The fields of each TextChange since its recording, until then."""
    own_properties: int | None = None
    """The number of properties that it has before it runs."""


SESSION = pytest.StashKey[LongctxSession]()
STATE = pytest.StashKey[ItemState]()


def session_of(config: pytest.Config) -> LongctxSession:
    return config.stash.setdefault(SESSION, LongctxSession())


def run_of(config: pytest.Config) -> Run:
    return session_of(config).run


def state_of(item: pytest.Item) -> ItemState:
    return item.stash.setdefault(STATE, ItemState())
