"""The command line beside pytest: each command is a module with `add` (its arguments) and `run` (its work)."""

from __future__ import annotations

import argparse
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from longctx.cli import (
    baseline,
    batches,
    compare,
    corpus,
    export,
    history,
    init,
    merge,
    models,
    plan,
    questions,
    record,
    show,
)
from longctx.cli.questions import filter
from longctx.errors import UserError
from longctx.workspace import Workspace

BESIDE_RUNS = (init, show, record, batches, plan, compare, history, baseline, merge, export)
BESIDE_DATA = (corpus, questions, filter, models)
COMMANDS = (*BESIDE_RUNS, *BESIDE_DATA)


def make_parser() -> argparse.ArgumentParser:
    """The parser of all commands. What it parses has `run` and, for a command of pytest's arguments, `passes_on`."""
    parser = argparse.ArgumentParser(prog="longctx", description="Long-context retrieval, beside pytest.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command. The exit status: 0 done, 1 faults found, 2 a mistake that a sentence on stderr explains, or
    Ctrl-C."""
    parser = make_parser()
    found, rest = parser.parse_known_args(arguments)
    if rest and not found.passes_on:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not know every letter
    try:
        found.workspace = Workspace.around(Path.cwd())
        code = int(found.run(found, rest))
        sys.stdout.flush()
        return code
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader, such as head, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
