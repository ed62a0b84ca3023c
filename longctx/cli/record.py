"""`record`: ask and record what pytest would, and run no tests."""

from __future__ import annotations

import argparse
from typing import Any

from longctx.cli.shared.pytest_run import run_tests

BATCH = ("--batch", "--batch-wait")


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "record",
        help="ask what the cassettes lack, run no tests",
        description="Asks and records what pytest would with these arguments: record --ctx-model NAME -k passkey. "
        "The default record mode is once. --batch and --batch-wait HOURS are short for pytest's --ctx-batch and "
        "--ctx-batch-wait: in Message Batches, at half the price.",
    )
    parser.set_defaults(run=run, passes_on=True)


def run(_: argparse.Namespace, arguments: list[str]) -> int:
    arguments = [f"--ctx-{argument[2:]}" if argument.split("=")[0] in BATCH else argument for argument in arguments]
    given = any(argument.split("=")[0] == "--ctx-record" for argument in arguments)
    mode = [] if given else ["--ctx-record=once"]
    return run_tests("--ctx-ask-only", "-q", *mode, *arguments)
