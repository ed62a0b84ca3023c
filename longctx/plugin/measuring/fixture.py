"""The measuring of a cell in its test: its rows are handed over, and the test fails if they say so."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from longctx.engine.measure import MeasuredCase, Measurer
from longctx.errors import UserError
from longctx.gate.minimum import Requirement, below_minimum_among
from longctx.plugin import options
from longctx.plugin.ending.unrecorded import NO_ANSWER
from longctx.plugin.measuring import writing
from longctx.plugin.measuring.properties import CaseResult
from longctx.plugin.selection import with_minimum
from longctx.plugin.session import run_of, session_of
from longctx.results.store import as_lines, cell_names

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.results.row import Row


def measure_cell(item: pytest.Item, case: Case) -> None:
    """Hand over a row for each trial of the case.

    The test fails if a trial was not measured (`invalid`), or if the rate is shown to be below the minimum. A case
    that an early stop cut short is not tested against a minimum.
    """
    session = session_of(item.config)
    session.measurer = session.measurer or Measurer(session.run)
    measured = session.measurer.measure(case, item.nodeid)
    rows, problem = measured.rows, measured.problem
    skip_unrecorded(item, measured)
    if not (rows or problem):
        pytest.fail(f"invalid: it has no question: {case.cell.why_empty}.", pytrace=False)
    writing.attach(item, as_lines(rows, [] if session.run.settings.no_text else measured.views))
    if measured.facts:
        [name] = cell_names(measured.own_rows)
        writing.attach_facts(item, name, measured.facts)
    conclude(item, case, measured.own_rows, problem, measured.left_out)


def skip_unrecorded(item: pytest.Item, measured: MeasuredCase) -> None:
    """Skip a test of which nothing is recorded, if no option of longctx was given: nobody asked for its answers yet.

    It fails if a baseline has its answers, since the recordings are lost then, and if the project is strict.
    """
    if not measured.unrecorded or options.any_given(item.config):
        return
    case = measured.case
    if baseline := _baselines(item.config).get((case.file, case.wording.prompt_set)):
        pytest.fail(
            f"invalid: no answer of {case.model.model} is recorded, but the baseline {baseline} has answers to this "
            f"test: restore cassettes/{case.file}, or save the baseline again without the test.",
            pytrace=False,
        )
    if not item.config.getini(options.STRICT):
        folder = os.path.relpath(item.path.parent, item.config.invocation_params.dir)
        pytest.skip(
            f"{NO_ANSWER}{case.model.model} is recorded. To record them: pytest {folder} --ctx-record once; "
            "to see the cost first: --ctx-estimate instead of --ctx-record once"
        )


def _baselines(config: pytest.Config) -> Mapping[tuple[str, str], str]:
    """Return the baseline that has answers of a cassette's cell in a prompt set."""
    from longctx.engine.terms import file_of
    from longctx.results.baseline import load_baseline

    session = session_of(config)
    if session.baselines is None:
        session.baselines = {}
        for path in session.run.workspace.baselines():
            with contextlib.suppress(UserError):  # a damaged one is reported where it is used
                rows = load_baseline(path).rows
                session.baselines |= {(file_of(row), row.prompt_set): path.stem for row in rows if row.measured}
    return session.baselines


def conclude(item: pytest.Item, case: Case, rows: Sequence[Row], problem: str, left_out: int) -> None:
    """Attach the result of a case to its test, and fail the test if a trial was not measured or the rate is too low.

    problem: why a trial was not measured; empty if all were. left_out: how many trials an early stop left out.
    """
    settings = run_of(item.config).settings
    # Shards are tested when they are merged.
    requirement = None if problem or settings.shard else Requirement.of(rows, case.min_rate)
    CaseResult.of(case, rows, minimum=requirement.minimum if requirement else None).attach(item)
    if problem:
        pytest.fail(f"invalid: {problem}", pytrace=False)
    if left_out == len(rows):
        pytest.skip("stopped early: none of its trials was asked")
    if requirement and below_minimum_among(requirement, _with_minimum(item)):
        pytest.fail(str(requirement), pytrace=False)


def _with_minimum(item: pytest.Item) -> int:
    """Return the number of selected cases with a minimum rate, which is counted once per process."""
    session = session_of(item.config)
    if session.with_minimum is None:
        session.with_minimum = with_minimum(item.session.items)
    return session.with_minimum
