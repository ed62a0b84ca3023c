"""The options of a command that asks as a live run of pytest does."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from longctx.config.arguments import RECORD_MODES, add_concurrency, add_no_lock, number

OF_PROJECT = ("base_url", "concurrency", "trial_run", "lock")
"""The entries of [tool.longctx] for these options."""

if TYPE_CHECKING:
    from longctx.engine.settings import Settings


def add_options(parser: argparse.ArgumentParser) -> None:
    """Add the options of a live run."""
    group = parser.add_argument_group("asking", "as in a run of pytest, by these names or with its prefix --ctx-")
    option = group.add_argument
    option(
        "--record",
        choices=RECORD_MODES,
        default="none",
        help="none: replay only (default). once: ask trials without a recording. new_episodes: also those with only "
        "a stale one. all: re-record everything",
    )
    option("--base-url", metavar="URL", help="server that speaks the Messages API")
    add_concurrency(option)
    option("--max-cost", type=number(float, 0), metavar="USD", help="the most that asking may cost")
    option("--no-canary", action="store_true", help="go on asking even if none of the first replies can be read")
    add_no_lock(option, "--no-lock")
    option("--estimate", action="store_true", help="say what would be asked and what it costs, then stop")


def settings_of(options: argparse.Namespace) -> Settings:
    """Return the settings of a run from the options of `add_options`."""
    from longctx.engine.settings import Settings

    return Settings(
        record=options.record,
        base_url=options.base_url,
        in_flight=options.concurrency,
        max_cost=options.max_cost,
        canary=not options.no_canary,
        lock=not options.no_lock,
    )
