"""All that the guides tell a reader to type exists: options of pytest, commands, and their options."""

from __future__ import annotations

import argparse
import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

import longctx
from longctx.cli import make_parser
from tests.here import HERE
from tests.sources import tree_of
from tools.site.reference.commands import walk
from tools.site.reference.options import option_attributes

PAGES = sorted([*HERE.root.glob("docs/**/*.md"), *HERE.root.glob("*.md"), *HERE.root.glob("cassettes/*.md")])
OPTIONS = {option["name"] for option in option_attributes()} | {"--ctx-size", "--ctx-seed"}
"""The options of longctx, and one of llama-server."""
COMMANDS = {parser.prog: parser for parser, _, _ in walk(make_parser())}
OPTION = re.compile(r"(?<![\w-])--[a-z]+(?:-[a-z]+)*")


def commands(text: str) -> Iterator[str]:
    """Yield the calls of longctx in the shell blocks of a page, without comments and pipes."""
    for block in re.findall(r"^```sh\n(.*?)^```$", text, re.MULTILINE | re.DOTALL):
        for line in block.replace("\\\n", " ").splitlines():
            if match := re.search(r"(?:^|&& )(?:python3? -m )?(longctx [a-z].*)", line):
                yield re.split(r"\s#\s|\s[|&>]", match[1])[0]


def parser_of(command: str) -> argparse.ArgumentParser | None:
    """Return the parser of a command, or of its subcommand; None if there is neither."""
    words = command.split()
    return COMMANDS.get(" ".join(words[:4])) or COMMANDS.get(" ".join(words[:3])) or COMMANDS.get(" ".join(words[:2]))


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(HERE.root)))
def test_what_a_page_says_to_type_exists(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert {option for option in OPTION.findall(text) if option.startswith("--ctx-")} <= OPTIONS
    for command in commands(text):
        parser = parser_of(command)
        assert parser is not None, command
        known = {name for action in parser._actions for name in action.option_strings}
        assert {*OPTION.findall(command)} <= known, command


def printed() -> Iterator[str]:
    """Yield the texts of the library; … is in the place of what differs from run to run."""
    for path in Path(longctx.__file__).parent.rglob("*.py"):
        for node in ast.walk(tree_of(path)):
            match node:
                case ast.Constant(value=str(text)):
                    yield text
                case ast.JoinedStr(values=parts):
                    yield "".join(part.value if isinstance(part, ast.Constant) else "…" for part in parts)


def test_what_the_page_on_red_runs_quotes_is_printed() -> None:
    page = (HERE.root / "docs/green-and-red.md").read_text(encoding="utf-8")
    quotes = re.findall(r"^\| `([^`]+)` \|", page, re.MULTILINE)
    texts = [*printed()]
    unknown = [
        quote
        for quote in quotes
        if not any(re.search(".*".join(map(re.escape, quote.strip("… ").split("…"))), text) for text in texts)
    ]
    assert len(quotes) > 15
    assert not unknown
