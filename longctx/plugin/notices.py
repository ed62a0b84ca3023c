"""What is ignored without failing a run, printed once before any request and test."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pytest

from longctx import clocks
from longctx.engine.settings import GATE, OPTIONS, Settings
from longctx.errors import UserError
from longctx.extras import PAGE, missing_extras
from longctx.gate.rules import ignored_options
from longctx.plugin import absent
from longctx.plugin.options import is_typed
from longctx.plugin.session import run_of, session_of
from longctx.text import count

if TYPE_CHECKING:
    from longctx.engine.run import Run

WARNED_DAYS = 60
"""From how many days before a model retires a run says so."""


def check_once(config: pytest.Config) -> None:
    """Raise UserError if the command line gives an option twice that has one value.

    Options of the configuration (addopts) and the environment do not count: the command line overrides them.
    """
    names = [str(argument).partition("=")[0] for argument in config.invocation_params.args]
    for name in dict.fromkeys(name for name in names if name.startswith("--ctx-") and names.count(name) > 1):
        if not isinstance(getattr(config.option, name[2:].replace("-", "_"), True), bool | list):
            raise UserError("option-given-twice", f"{name} is given {names.count(name)} times: keep one.")


def print_ignored(config: pytest.Config) -> None:
    """Print what is ignored; under -qq nothing."""
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is not None and config.get_verbosity() > -2:
        for sentence in (*_ignored(config), *_sentences(run_of(config))):
            terminal.write_line(sentence, yellow=True)


def _ignored(config: pytest.Config) -> Iterator[str]:
    terms = [OPTIONS[name] for name in GATE if is_typed(config, f"--ctx-{name}")]
    if ignored := ignored_options(run_of(config).settings, "--ctx-", [each.field for each in terms]):
        yield ignored


def _sentences(run: Run) -> Iterator[str]:
    settings = run.settings
    if settings.page and not (settings.estimate or settings.ask_only) and (clause := missing_extras(*PAGE)):
        yield f"The report is text and JSON: its page {clause}."
    yield from _retiring(run)
    from longctx.corpus.documents import bank_files, noticed
    from longctx.vocabulary.bank import SHIPPED

    banks = sorted({grid.draws_on for grids in run.plan.grids().values() for grid in grids})
    if run.settings.corpus:
        banks = [SHIPPED]  # the option replaces the documents of every bank
    for bank in banks:
        with contextlib.suppress(UserError):  # of a table whose tests are not run
            if sentence := noticed(run.settings.corpus or bank_files(run.workspace, bank)[0]):
                yield sentence


def _retiring(run: Run) -> Iterator[str]:
    """Yield a sentence for each model of the run that its provider soon serves no more."""
    plan, today = run.plan, clocks.local().date()
    named = plan.models_named_for_functions | {name for _, name in plan.grids()}
    for name in sorted(named):
        with contextlib.suppress(UserError):  # of a model whose tests are not run
            if (day := plan.model(name).retires) and (left := (day - today).days) <= WARNED_DAYS:
                when = f"retires on {day}, in {count(left, 'day')}" if left > 0 else f"retired on {day}"
                yield f"{name} {when}: longctx upgrade {name} NEW shows whether NEW can replace it."


def profile(run: Run) -> str:
    return f"profile {run.plan.profile_name}" if run.plan.own else "no profile"


def header(config: pytest.Config) -> str:
    """Return the line at the top of a run: its profile, what that changes of tests, and what it records or replays."""
    from longctx.functions.cells import FUNCTION_ENTRIES

    run = run_of(config)
    settings, own = run.settings, run.plan.own
    tables = own.functions if own else {}
    axes = [f"{name}.{entry}" for name, table in tables.items() for entry in table if entry not in FUNCTION_ENTRIES]
    parts = [
        profile(run),
        *([f"which sets {', '.join(axes)}"] if axes else []),
        *([", ".join(settings.models)] if settings.models else []),
        "replay only" if settings.record == "none" else f"record mode {settings.record}",
        *([f"baseline {settings.baseline}"] if settings.baseline else []),
    ]
    return f"longctx: {' · '.join(parts)}"


def check_batching(settings: Settings) -> None:
    """Raise UserError if --ctx-batch or batch_wait is combined with options that contradict it."""
    if settings.batch_wait is not None and not settings.batch:
        raise UserError(
            "batch-wait-without-batch",
            "The setting batch_wait limits the wait for batches: add --ctx-batch.",
        )
    if not settings.batch:
        return
    if settings.record == "none" and not settings.estimate:
        raise UserError("batch-without-record", "--ctx-batch needs --ctx-record MODE, such as --ctx-record once.")
    if settings.no_text:
        raise UserError(
            "batch-with-no-text",
            "--ctx-batch and LONGCTX_TEXT=0 cannot be used together: the answers of a batch are collected once it has "
            "ended, possibly by a later run, which cannot find them without their text.",
        )


TABLE = re.compile(r"\[\w+\]")
"""How a profile's table is named in a sentence."""


def why_skipped(terminal: pytest.TerminalReporter) -> Iterator[str]:
    """Yield a sentence for each reason, with the number of its tests; one for all tables that the profile lacks."""
    reports = terminal.getreports("skipped")
    marked = (report for report in reports if isinstance(report, pytest.TestReport) and "longctx" in report.keywords)
    yield from (f"{each} skipped: {reason}." for each, reason in _counted(map(_reason, marked)))


def why_left_out(config: pytest.Config, measured: bool) -> Iterator[str]:
    """Yield a sentence for each reason why tests are left out: for the profile's only with -v, or without a result."""
    all_of_them = not measured or config.get_verbosity() > 0
    reasons = (why for why in session_of(config).left_out.values() if all_of_them or why.startswith(absent.REASON))
    yield from (f"{each} deselected: {reason}." for each, reason in _counted(reasons))


def _counted(given: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield how many tests have a reason, with it; reasons that differ in their table alone are one."""
    reasons: dict[tuple[str, str], list[str]] = {}
    for reason in given:
        table = TABLE.search(reason)
        start, end = (reason[: table.start()], reason[table.end() :]) if table else (reason, "")
        reasons.setdefault((start, end), []).append(table[0] if table else "")
    for (start, end), tables in reasons.items():
        named = ", ".join(filter(None, dict.fromkeys(tables)))
        yield count(len(tables), "test was", "tests were"), f"{start}{named}{end}"


def _reason(report: pytest.TestReport) -> str:
    """Return the reason that pytest.skip was given."""
    *_, message = report.longrepr if isinstance(report.longrepr, tuple | list) else [str(report.longrepr)]
    return str(message).removeprefix("Skipped: ")
