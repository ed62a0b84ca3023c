"""Asking from a command, as a live run of pytest does: its options, and one pass that asks what the tape lacks."""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from longctx.config.arguments import RECORD_MODES, number
from longctx.errors import UserError

if TYPE_CHECKING:
    from longctx.ask.asking import Asked
    from longctx.ask.case import Case
    from longctx.ask.tape import Tape


def add_options(parser: argparse.ArgumentParser) -> None:
    """The options of a live run. Each may also be written as pytest's, `--ctx-record`, as messages name it."""
    group = parser.add_argument_group("asking", "as in a run of pytest, where these begin with --ctx-")
    option = group.add_argument
    option(
        "--record",
        "--ctx-record",
        choices=RECORD_MODES,
        default="none",
        help="none: replay only (default). once: ask what has no recording. new_episodes: also what has only a "
        "stale one. all: ask everything anew",
    )
    option("--base-url", "--ctx-base-url", metavar="URL", help="server that speaks the Messages API")
    option("--in-flight", "--ctx-in-flight", type=number(int, 1), default=4, metavar="N", help="requests at once (4)")
    option("--max-cost", "--ctx-max-cost", type=number(float, 0), metavar="USD", help="ask no more than this costs")
    option("--estimate", action="store_true", help="say what would be asked and what it costs, then stop")


def show_estimate(tape: Tape, cases: Sequence[Case]) -> None:
    """Say what this tape's record mode would ask, without a key and without the network."""
    from longctx.ask.estimate import estimate
    from longctx.ask.missing import missing

    for one in estimate((case, len(missing(tape, [case]))) for case in cases):
        print(one)


def ask(tape: Tape, cases: Sequence[Case], options: argparse.Namespace) -> None:
    """Ask what the tape lacks, and say what was not answered and why. Raises UserError where nothing could be asked.

    What was answered is on the tape, whatever ends this.
    """
    try:
        asked, to_ask, unfit = asyncio.run(_ask(tape, cases, options))
    except KeyboardInterrupt:
        raise UserError("Stopped. What was answered is recorded: the same command asks only the rest.") from None
    if asked.stopped and not asked.answered and asked.stopped.cause != "budget":
        raise UserError(asked.stopped.message)
    print(f"asked {asked.answered:,} of {to_ask:,}" + (f": {asked.stopped.message}" if asked.stopped else ""))
    for message, count in Counter(one.message for one in asked.failures.values() if not one.fatal).items():
        print(f"{count:,} were not answered: {message}")
    if unfit:
        print(f"{len(unfit):,} cannot be asked. The first: {unfit[0]}")


async def _ask(tape: Tape, cases: Sequence[Case], options: argparse.Namespace) -> tuple[Asked, int, list[str]]:
    """What the pass did, of how many questions, and why other cases cannot be asked of their models."""
    from longctx.ask.asking import ask_all
    from longctx.ask.calibrate import calibrate
    from longctx.ask.client import open_client
    from longctx.ask.limit import Limit
    from longctx.ask.missing import missing
    from longctx.ask.money import Budget, check_cap
    from longctx.ask.providers import provider_of
    from longctx.plugin.progress import live_progress

    check_cap(options.max_cost, [case.model for case in cases])
    provider = provider_of(case.model for case in cases)
    async with open_client(tape, options.base_url, options.in_flight, provider) as client:
        fitted, unfit = [], []
        for case in await calibrate(client, cases):
            try:
                fitted.append(case.fitted())
            except UserError as error:
                unfit.append(str(error))
        show_estimate(tape, fitted)
        questions = missing(tape, fitted)
        with live_progress(len(questions)) as progress:
            limit, budget = Limit(options.in_flight), Budget(options.max_cost)
            asked = await ask_all(client, tape, questions, limit, budget, progress)
    return asked, len(questions), unfit
