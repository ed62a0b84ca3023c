"""The commands of longctx: each is a module with `add`, which declares its arguments, and `run`, its work."""

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
    """Return the parser of all commands. Parsed options have `run`, and `passes_on`: whether others go to pytest."""
    parser = argparse.ArgumentParser(prog="longctx", description="Set up, record, plan and compare long-context runs.")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    for command in COMMANDS:
        command.add(commands)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0: done. 1: faults were found. 2: a mistake, which a sentence on stderr explains, or Ctrl-C.
    """
    parser = make_parser()
    options, rest = parser.parse_known_args(arguments)
    if rest and not options.passes_on:
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not know every character
    try:
        options.workspace = Workspace.around(Path.cwd())
        code = int(options.run(options, rest))
        sys.stdout.flush()
        return code
    except UserError as error:
        print(error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("Stopped.", file=sys.stderr)
        return 2
    except BrokenPipeError:  # the reader of the output, such as head, has ended
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
