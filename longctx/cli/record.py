"""`record`: ask and record what pytest would, and run no tests."""

from __future__ import annotations

import argparse
from typing import Any

from longctx.cli.shared.pytest_run import run_tests


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "record",
        help="ask trials without a recording, and run no tests",
        description="Asks and records what pytest would with these arguments: record --ctx-model NAME -k passkey. "
        "The default record mode is once. The options of longctx may be given without their prefix: --batch, which "
        "asks in Message Batches at half the price, is pytest's --ctx-batch.",
    )
    parser.set_defaults(run=run, passes_on=True)


def run(_: argparse.Namespace, arguments: list[str]) -> int:
    from longctx.plugin.options import names

    short = {f"--{name.removeprefix('--ctx-')}" for name in names()}
    arguments = [f"--ctx-{argument[2:]}" if argument.split("=")[0] in short else argument for argument in arguments]
    given = any(argument.split("=")[0] == "--ctx-record" for argument in arguments)
    mode = [] if given else ["--ctx-record=once"]
    return run_tests("--ctx-ask-only", "-q", *mode, *arguments)
