"""`record`: the asking pass of pytest, without the tests."""

from __future__ import annotations

import argparse
from typing import Any

from longctx.cli.shared.pytest_run import run_tests


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "record",
        help="ask what the cassettes lack, run no tests",
        description="Asks and records what pytest would with these arguments: record --ctx-model NAME -k passkey. "
        "The default record mode is once.",
    )
    parser.set_defaults(run=run, passes_on=True)


def run(_: argparse.Namespace, arguments: list[str]) -> int:
    given = any(argument.split("=")[0] == "--ctx-record" for argument in arguments)
    mode = [] if given else ["--ctx-record=once"]
    return run_tests("--ctx-ask-only", "-q", *mode, *arguments)
