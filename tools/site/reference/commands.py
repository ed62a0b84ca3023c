"""The page of all commands, generated from their help."""

from __future__ import annotations

import argparse
import textwrap
from collections.abc import Iterator

from longctx.cli import make_parser
from tools.site.reference.markdown import code, sentence, table, text

HEAD = """# Commands

`longctx COMMAND`, or `python -m longctx COMMAND`; `--help` says the same of each. A command ends with 0 when its work
is done, and with 2 where a sentence says what is wrong: [exit statuses](exit-statuses.md).

"""


def page() -> str:
    return HEAD + "\n".join(_command(*command) for command in walk(make_parser()))


def walk(parser: argparse.ArgumentParser, depth: int = 2) -> Iterator[tuple[argparse.ArgumentParser, str, int]]:
    """Yield the commands of a parser and their subcommands, each with its description and its heading level."""
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below, listed in zip(action.choices.values(), action._choices_actions, strict=True):
                yield below, below.description or listed.help or "", depth
                yield from walk(below, depth + 1)


def _command(parser: argparse.ArgumentParser, about: str, depth: int) -> str:
    usage = " ".join(parser.format_usage().removeprefix("usage: ").split())
    usage = textwrap.fill(usage, 110, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False)
    rows = [(_named(action), text(action.help or "")) for action in parser._actions if _shown(action)]
    arguments = "\n" + table(("argument", "what it does"), rows) if rows else ""
    return f"{'#' * depth} `{parser.prog}`\n\n{sentence(text(about))}\n\n```text\n{usage}\n```\n{arguments}"


def _shown(action: argparse.Action) -> bool:
    kinds = (argparse._HelpAction, argparse._SubParsersAction)
    return not isinstance(action, kinds) and action.help is not argparse.SUPPRESS


def _named(action: argparse.Action) -> str:
    metavar = action.metavar or (f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest)
    value = " ".join(metavar) if isinstance(metavar, tuple) else metavar
    if not action.option_strings:
        return code(value)
    return code(", ".join(action.option_strings) + (f" {value}" if action.nargs != 0 else ""))
