"""Helpers for declaring commands and their common options."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from longctx.engine.settings import OPTIONS
from longctx.vocabulary.bank import SHIPPED


def add_task(tasks: Any, name: str, text: str, more: str = ".") -> argparse.ArgumentParser:
    """Add a command with the same text in the list of commands and in its own help. more: the end of the latter."""
    parser: argparse.ArgumentParser = tasks.add_parser(
        name, help=text, description=f"{text[0].upper()}{text[1:]}{more}"
    )
    return parser


def add_question_file(parser: argparse.ArgumentParser) -> None:
    """Add the arguments of a command about a file of questions."""
    parser.add_argument("questions", type=Path, metavar="FILE", help="JSON lines, one question each")
    OPTIONS["corpus"].add(parser.add_argument)


def add_bank_name(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--bank", default=SHIPPED, metavar="NAME", help=f"documents and questions by their name (default: {SHIPPED})"
    )
