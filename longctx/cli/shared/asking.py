"""Asking from a command as a live run of pytest does: the options, and a pass that asks what the tape lacks."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import TYPE_CHECKING

from longctx.cli.shared.output import say
from longctx.config.arguments import RECORD_MODES, add_no_lock, number

if TYPE_CHECKING:
    from longctx.recording.case import Case
    from longctx.recording.tape import Tape


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a live run."""
    group = parser.add_argument_group("asking", "as in a run of pytest, by these names or with its prefix --ctx-")
    option = group.add_argument
    option(
        "--record",
        choices=RECORD_MODES,
        default="none",
        help="none: replay only (default). once: ask what has no recording. new_episodes: also what has only a "
        "stale one. all: ask everything anew",
    )
    option("--base-url", metavar="URL", help="server that speaks the Messages API")
    option("--in-flight", type=number(int, 1), default=4, metavar="N", help="requests at once (4)")
    option("--max-cost", type=number(float, 0), metavar="USD", help="the most that asking may cost")
    add_no_lock(option, "--no-lock")
    option("--estimate", action="store_true", help="say what would be asked and what it costs, then stop")


def ask(tape: Tape, cases: Sequence[Case], options: argparse.Namespace) -> None:
    """Ask what the tape lacks, and print what was not answered and why. Every answer is on the tape at once.

    Raises UserError if nothing could be asked, or if the user interrupts it.
    """
    from longctx.live.progress import live_progress
    from longctx.live.run import Terms, ask_live

    terms = Terms(options.base_url, options.in_flight, options.max_cost)
    done = ask_live(options.workspace, tape, cases, terms, say, live_progress)
    if done.unasked:
        print(f"{len(done.unasked):,} cannot be asked. The first: {done.unasked[0][1].message}")
