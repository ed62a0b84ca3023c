"""The asking pass within pytest: before any worker starts, one process collects what is selected and asks it.

Collection is pytest's own, nested, with the user's own arguments, so that -k and -m mean what they say.
"""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import io
import json
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import pytest

from longctx.ask.case import Case, Question
from longctx.config.folders import CASSETTES
from longctx.errors import UserError
from longctx.plugin import grid
from longctx.plugin.measuring import FAILURES
from longctx.plugin.progress import live_progress
from longctx.plugin.run import RUN, Run

if TYPE_CHECKING:
    from longctx.ask.asking import Asked
    from longctx.ask.tape import Tape

Say = Callable[[str], object]


class Collector:
    """Given to the nested pytest, to take its selected cases. Its presence marks that pytest as nested."""

    def __init__(self) -> None:
        self.cases: list[Case] = []

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.cases = grid.selected(session.items)


def ask_first(config: pytest.Config) -> None:
    """Ask what the record mode asks for, if this is the process that may ask. Mistakes end the run in a sentence."""
    run = config.stash[RUN]
    settings = run.settings
    nested = any(isinstance(plugin, Collector) for plugin in config.pluginmanager.get_plugins())
    if hasattr(config, "workerinput") or nested or config.option.collectonly:
        return
    if settings.record == "none" and not settings.estimate:
        return
    if not (cases := _selected(config)):
        return
    from longctx.ask.writer import only_writer

    capture = config.pluginmanager.get_plugin("capturemanager")
    say = config.get_terminal_writer().line
    with capture.global_and_fixture_disabled() if capture else contextlib.nullcontext():
        try:
            if settings.estimate:
                estimate_only(run, cases, say)
                pytest.exit("estimated, nothing was asked", returncode=0)
            with only_writer(run.private or CASSETTES):
                whole = asyncio.run(ask(run, cases, say))
            grid.cases.cache_clear()  # what the server told of a model is now in its profile
        except UserError as error:
            raise pytest.UsageError(str(error)) from None
    if settings.ask_only:
        pytest.exit("asked, no tests were run", returncode=0 if whole else 1)


def estimate_only(run: Run, cases: list[Case], say: Say) -> None:
    """Say what would be asked, without a key and without the network."""
    from longctx.ask.missing import missing
    from longctx.ask.sharing import shared

    tape = _tape(run, "once" if run.settings.record == "none" else run.settings.record)
    fitted, unfit = _fitted(cases)
    _say_estimate(say, fitted, shared(missing(tape, fitted)), [case for case, _ in unfit])


def _say_estimate(say: Say, cases: Sequence[Case], questions: Sequence[Question], unbuilt: Sequence[Case] = ()) -> None:
    from longctx.ask.estimate import doubts, estimate, in_all

    found = estimate(cases, questions, unbuilt)
    for sentence in (*found, in_all(found)):
        if sentence:
            say(str(sentence))
    for doubt in doubts((case.model for case in (*cases, *unbuilt)), datetime.date.today()):
        say(doubt)


async def ask(run: Run, cases: list[Case], say: Say) -> bool:
    """Ask what the tape lacks and keep why some could not be asked. Whether all were. Raises UserError."""
    from longctx.ask.asking import ask_all
    from longctx.ask.calibrate import calibrate
    from longctx.ask.client import open_client
    from longctx.ask.counting import counted
    from longctx.ask.failure import Failure
    from longctx.ask.limit import Limit
    from longctx.ask.missing import missing
    from longctx.ask.money import Budget, check_cap
    from longctx.ask.providers import provider_of
    from longctx.ask.sharing import shared

    settings = run.settings
    tape = _tape(run, settings.record)
    check_cap(settings.max_cost, [case.model for case in cases])
    client = open_client(tape, settings.base_url, settings.in_flight, provider_of(case.model for case in cases))
    async with client:
        cases, unfit = _fitted(await calibrate(client, cases))
        questions = shared(await counted(client, missing(tape, cases)))
        _say_estimate(say, cases, questions)
        with live_progress(len(questions)) as progress:
            budget, limit = Budget(settings.max_cost), Limit(settings.in_flight)

            def ask_some(some: Sequence[Question]) -> Awaitable[Asked]:
                return ask_all(client, tape, some, limit, budget, progress)

            if settings.early_stop:
                from longctx.plugin.early import ask_until_settled

                asked = await ask_until_settled(run, cases, questions, tape, lambda some: ask_some(shared(some)))
            else:
                asked = await ask_some(questions)
    if asked.stopped and not asked.answered and asked.stopped.cause != "budget":
        raise UserError(asked.stopped.message)
    say(
        f"asked {asked.answered:,} of {len(questions):,} trials"
        + (f": {asked.stopped.message}" if asked.stopped else "")
    )
    if asked.settled:
        say(f"stopped early: {asked.settled.message}")
    for message, number in Counter(one.message for one in asked.failures.values() if not one.fatal).items():
        say(f"{number:,} were not answered: {message}")
    for case, why in unfit:
        asked.failures |= {one.key: Failure("does_not_fit", why, fatal=True) for one in case.questions()}
    if asked.failures:
        run.folder.mkdir(parents=True, exist_ok=True)
        failures = {key: asdict(failure) for key, failure in asked.failures.items()}
        (run.folder / FAILURES).write_text(json.dumps(failures, indent=1), encoding="utf-8")
    return all(failure == asked.settled for failure in asked.failures.values())


def _selected(config: pytest.Config) -> list[Case]:
    """The cases that this command line selects; none where collection itself fails, which the run then shows."""
    collector = Collector()
    arguments = [*map(str, config.invocation_params.args), "--collect-only", "--capture=no"]
    if config.pluginmanager.has_plugin("xdist"):
        arguments.append("-n0")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        code = pytest.main(arguments, plugins=[collector])
    return collector.cases if code == pytest.ExitCode.OK else []


def _fitted(cases: list[Case]) -> tuple[list[Case], list[tuple[Case, str]]]:
    """The cases that can be built for their models, and why the others cannot, for their tests to say."""
    fitted, unfit = [], []
    for case in cases:
        try:
            fitted.append(case.fitted())
        except UserError as error:
            unfit.append((case, str(error)))
    return fitted, unfit


def _tape(run: Run, mode: str) -> Tape:
    from longctx.ask.tape import Tape

    return Tape(CASSETTES, mode, run.name, run.private)
