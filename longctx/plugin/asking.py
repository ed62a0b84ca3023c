"""The live pass: before any worker starts, one process collects the selected cells and asks what they lack.

A nested pytest with the user's own arguments does the collection, so that -k and -m select as they always do.
"""

from __future__ import annotations

import functools
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import pytest

from longctx.cells.cell import Cell
from longctx.config.models import check_api, misspelled
from longctx.config.project import project_settings
from longctx.errors import Interrupted, Invalid, UserError
from longctx.extras import require
from longctx.plugin import gating, report_folder
from longctx.plugin.mistakes import end_of_run
from longctx.plugin.nested import NestedSession, is_nested, run_nested
from longctx.plugin.options import typed
from longctx.plugin.selection import MARKER
from longctx.plugin.session import run_of, session_of, state_of
from longctx.plugin.workers import is_worker
from longctx.text import count, usd, usd_exactly

if TYPE_CHECKING:
    from longctx.config.models import ModelProfile
    from longctx.engine.run import Run
    from longctx.live.watch import Say


def ask_first(config: pytest.Config) -> None:
    """Ask what the record mode requires, if this is the process that may ask. Raises UserError for a user's mistake."""
    run = run_of(config)
    settings = run.settings
    if is_worker(config) or is_nested(config) or config.option.collectonly:
        return
    if settings.record == "none" and settings.ask_only:
        raise UserError(
            "ask-only-without-record",
            "LONGCTX_RECORD_ONLY needs --ctx-record MODE, such as --ctx-record once.",
        )
    if settings.record == "none" and not settings.estimate:
        return
    if not settings.estimate:
        require("Asking a model", "anthropic")
    try:
        nested, code = run_nested(config, functools.partial(_ask, config))
    except KeyboardInterrupt:
        run.say("Stopped: no requests were sent.")
        raise end_of_run(config, pytest.ExitCode.INTERRUPTED) from None
    not_run = code == pytest.ExitCode.TESTS_FAILED and not config.option.continue_on_collection_errors
    if nested.uncollected and not_run:
        run.say(_uncollected(nested.uncollected, goes_on=False))


def _ask(config: pytest.Config, nested: NestedSession) -> None:
    """Ask what the tests collected by a nested pytest lack, or say what that would cost."""
    run, session = run_of(config), nested.session
    settings, say = run.settings, run.say
    if nested.uncollected:
        say(_uncollected(nested.uncollected, goes_on=True))
    cells, functions = nested.protocol_cells(), nested.function_cells()
    if not (cells or functions):
        if settings.estimate or settings.ask_only:
            raise UserError("nothing-to-ask", f"Nothing to send: {_why_none(session)}")
        return
    run.cells, run.functions = functions, run_of(session.config).functions
    try:
        empty = _print_cells_without_question(cells, say)
        models = dict.fromkeys(cell.model.model for cell in [*cells, *functions])
        for cell in (*cells, *functions):
            check_api(cell.model, settings.base_url)
        for sentence in misspelled(run.workspace, models):
            say(sentence)
        if not cells and (preflight := run.preflight([], run.tape())):  # that of protocols covers functions, too
            preflight.check()
            preflight.warn()
        if settings.estimate:
            _estimate(run, nested, cells, functions, config.get_verbosity() > 0)
            raise end_of_run(config, pytest.ExitCode.OK)
        report_folder.check(run)
        _check_server(config, [*cells, *functions])
        from longctx.engine.function_pass import ask_all
        from longctx.engine.servers import keep_says

        done = ask_all(run, nested, cells)
        if done.asked.answered:
            keep_says(run, {cell.model.model: cell.model for cell in (*cells, *functions)}.values())
        complete = done.complete
        if settings.ask_only:
            complete = not _print_stale(config, cells) and complete
    except Interrupted as stopped:
        say(str(stopped))
        raise end_of_run(config, pytest.ExitCode.INTERRUPTED) from None
    except Invalid as error:
        gating.end_before_asking(config, error)
    if settings.ask_only:
        say(f"Recorded{'' if complete else ' in part'}. The tests were not run.")
        raise end_of_run(config, pytest.ExitCode.OK if complete and not empty else pytest.ExitCode.TESTS_FAILED)


def _estimate(run: Run, nested: NestedSession, cells: list[Cell], functions: list[Cell], in_full: bool) -> None:
    """Print what the tests lack and its price, which comes first, or hand it to the command that asked for it.

    in_full: whether each test and model has a sentence, which tells what it is estimated by, and no row of a table.
    """
    from longctx.engine.function_runs import estimated
    from longctx.live.cost.estimate import Estimates
    from longctx.report.estimate_lines import IN_FULL, estimate_lines

    found = run.estimated(cells) if cells else Estimates()
    if functions:
        found += estimated(run, nested)
    if run.take_estimates:
        run.take_estimates(found)
        return
    models = [cell.model for cell in (*cells, *functions)]
    cap = run.default_cap(models) or run.stated_cap
    told = estimate_lines(found, run.settings.batch, "" if cap is None else usd_exactly(cap), in_full)
    for sentence in (*told, *([] if in_full else [IN_FULL]), *_cap_sentence(run, models)):
        run.say(sentence)
    run.say("Estimate only: no requests were sent.")


def _cap_sentence(run: Run, models: Sequence[ModelProfile]) -> Iterator[str]:
    """Yield a sentence on the cap of a live run, if there is one."""
    if (default := run.default_cap(models)) is not None:
        yield (
            f"Cap: {usd(default)}, the default. A run with a higher estimate is refused; --ctx-max-cost or max_cost in "
            "the profile sets another cap."
        )
    elif run.stated_cap is not None:
        yield f"Cap: {usd_exactly(run.stated_cap)}."


def _print_cells_without_question(cells: list[Cell], say: Say) -> bool:
    """Print which cells have no question to ask, and why; return whether there are any. Raises UserError."""
    reasons = Counter(cell.point.items.why_empty for cell in cells if not cell.size and cell.only_trial is None)
    for why, number in reasons.items():
        say(f"{count(number, 'cell has', 'cells have')} no question: {why}.")
    return bool(reasons)


def _print_stale(config: pytest.Config, cells: list[Cell]) -> bool:
    """Print how many trials the record mode leaves stale, since no test reports them; return whether there are any."""
    from longctx.live.estimating import fitted
    from longctx.live.watch import waiting
    from longctx.recording.missing import stale, stale_sentence

    run = run_of(config)
    if run.settings.record != "once":
        return False
    fit, _ = fitted(cells)
    with waiting(run.say, "the recorded prompts to be built, to find those that are stale"):
        number = stale(run.tape("once"), fit)
    if number:
        run.say(stale_sentence(number, sum(cell.size for cell in cells), _chosen_by(config.invocation_params.args)))
    return bool(number)


def _chosen_by(given: Iterable[object]) -> list[str]:
    """Return the user's arguments of pytest, without the record mode."""
    arguments = iter(map(str, given))
    chosen = []
    for argument in arguments:
        if argument == "--ctx-record":
            next(arguments, None)
        elif not argument.startswith("--ctx-record="):
            chosen.append(argument)
    return chosen


def _check_server(config: pytest.Config, cells: list[Cell]) -> None:
    """Raise UserError if the address of the server is known from a file of the project alone."""
    from longctx.live.server.addresses import check_key_may_be_sent
    from longctx.live.server.client import provider_of

    base_url = run_of(config).settings.base_url
    if base_url is not None and base_url not in typed(config, "--ctx-base-url"):
        option = config.option.ctx_base_url
        found_in = "pytest_longctx_config" if option is None else "addopts"
        if option is not None and option == project_settings(config.rootpath).base_url:
            found_in = "[tool.longctx]"
        for provider in dict.fromkeys(provider_of(cell.model) for cell in cells):
            check_key_may_be_sent(base_url, f"{found_in} of the project", provider=provider)


def _uncollected(uncollected: Mapping[str, str], goes_on: bool) -> str:
    """Return a sentence on what could not be collected. goes_on: whether requests of the other tests are sent."""
    named = "; ".join(f"{name}: {why}" for name, why in uncollected.items())
    if goes_on:
        return f"Not run, because pytest cannot collect it: {named}"
    return (
        "No requests were sent, because pytest cannot collect all tests. Correct this, or run the others with "
        f"--continue-on-collection-errors: {named}"
    )


def _why_none(session: pytest.Session) -> str:
    """Return a sentence on why the selected tests hold no cell."""
    if mistake := next(filter(None, (state_of(item).mistake for item in session.items)), None):
        return str(mistake)
    marked = (item for item in session.items if item.get_closest_marker(MARKER))
    skipped = (str(mark.kwargs.get("reason")) for item in marked for mark in item.iter_markers("skip"))
    keyword = session.config.option.keyword.lower()
    left_out = [why for name, why in session_of(session.config).left_out.items() if keyword in name.lower()]
    if reasons := "; ".join(dict.fromkeys([*left_out, *skipped])):
        return f"{reasons}."
    places = map(os.path.relpath, session.config.args)
    where = ("this folder" if place == os.curdir else place for place in places)
    return (
        f"no test marked longctx was selected in {', '.join(where)}. Name the folder that has them, such as "
        "tests_longctx, on the command line or in testpaths; longctx init writes them."
    )
