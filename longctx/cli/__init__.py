"""The commands of longctx: each is a module with `add`, which declares its arguments, and `run`, its work."""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import longctx
from longctx.cli.shared_options import fill_from_project
from longctx.errors import UserError, closest, did_you_mean
from longctx.workspace import Workspace

COMMANDS = (
    "init",
    "demo",
    "show",
    "plan",
    "baseline",
    "compare",
    "gate",
    "upgrade",
    "serving",
    "window",
    "chunks",
    "merge",
    "models",
    "data",
)
"""The commands, each of a module of this name, in the order of the help."""


class _Store(argparse.Action):
    """Stores the value of an option, which may be given once; argparse's own action takes the last of several."""

    def __call__(
        self, parser: argparse.ArgumentParser, namespace: argparse.Namespace, values: Any, name: str | None = None
    ) -> None:
        given: set[str] = vars(namespace).setdefault("given", set())
        if name and self.dest in given:
            raise argparse.ArgumentError(self, "it is given twice: keep one.")
        given.add(self.dest)
        setattr(namespace, self.dest, values)


class _Parser(argparse.ArgumentParser):
    """A parser of commands. It knows no abbreviations.

    A mistyped command or choice is answered with the one that was probably meant.
    """

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings, allow_abbrev=False)
        self.register("action", None, _Store)
        self.register("action", "store", _Store)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        if action.choices is not None and value not in action.choices:
            choices = [*map(str, action.choices)]
            raise argparse.ArgumentError(action, f"there is no {value!r}. {did_you_mean(str(value), choices)}")

    def parse_known_args(self, args: Any = None, namespace: Any = None) -> Any:
        """Parse as argparse does; keep the names of options besides arguments that are left over, for suggestions."""
        options, rest = super().parse_known_args(args, namespace)
        if rest and "known" not in options:
            options.known = [name for name in self._option_string_actions if name.startswith("--")]
        return options, rest


def make_parser(words: Sequence[str] = ()) -> argparse.ArgumentParser:
    """Return the parser of a command line, or of all commands without one. Parsed options have `run`.

    words: a command line; if it begins with a command, no other one is imported.
    """
    parser = _Parser(
        prog="longctx",
        description="Set up, plan and compare long-context runs.",
    )
    parser.add_argument("--version", action="version", version=f"longctx {longctx.__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    names = [name for name in COMMANDS if words and words[0] == name] or COMMANDS
    for name in names:
        importlib.import_module(f"longctx.cli.{name}").add(commands)
    return parser


def complete(parser: argparse.ArgumentParser) -> None:
    """Answer a shell that completes a command line, if argcomplete is installed."""
    if "_ARGCOMPLETE" in os.environ:
        with contextlib.suppress(ImportError):
            import argcomplete

            argcomplete.autocomplete(parser)


def start_log() -> None:
    """Start the log if the environment requests it."""
    if "LONGCTX_DEBUG" in os.environ:
        from longctx import logs

        logs.start()


def _hint(unknown: str, known: Sequence[str]) -> str:
    """Return what was probably meant by an option that does not exist, as sentences after the error."""
    from longctx.config.profiles import entry_meant

    if told := entry_meant(unknown):
        return f". {told}"
    meant = closest(unknown.replace("--ctx-", "--"), known)
    return f". Did you mean {meant}?" if meant else ""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status.

    0: done. 1: faults were found. 2: a mistake, which a sentence on stderr explains, or Ctrl-C.
    """
    words = [*(sys.argv[1:] if arguments is None else arguments)]
    parser = make_parser(words)
    complete(parser)
    start_log()
    options, rest = parser.parse_known_args(words)
    options.words = words
    if rest:
        unknown = next((argument.partition("=")[0] for argument in rest if argument.startswith("--")), "")
        parser.error(f"unrecognized arguments: {' '.join(rest)}{_hint(unknown, options.known) if unknown else ''}")
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a terminal may not know every character
    try:
        options.workspace = Workspace.around(Path.cwd())
        fill_from_project(options)
        code = int(options.run(options))
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
