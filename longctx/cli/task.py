"""How a command presents itself: the same words in the list of commands and at the head of its own help."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any


def add_task(tasks: Any, name: str, text: str, more: str = ".") -> argparse.ArgumentParser:
    """A parser of its own under `tasks`. more: what its own help says after `text`, which begins in lower case."""
    parser: argparse.ArgumentParser = tasks.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}{more}"
    )
    return parser


def add_question_file(parser: argparse.ArgumentParser) -> None:
    """The arguments of a command about a file of questions."""
    parser.add_argument("questions", type=Path, metavar="FILE", help="JSON lines, one question each")
    parser.add_argument("--corpus", type=Path, metavar="DIR", help="the documents (default: fixtures/register)")
