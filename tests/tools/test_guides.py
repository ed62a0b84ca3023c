"""All that the guides tell a reader to type exists: options of pytest, commands, and their options."""

from __future__ import annotations

import argparse
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from longctx.cli import make_parser
from tests.here import HERE
from tools.site.reference.commands import walk
from tools.site.reference.options import option_attributes

PAGES = sorted([*HERE.root.glob("docs/**/*.md"), *HERE.root.glob("*.md"), *HERE.root.glob("cassettes/*.md")])
OPTIONS = {option["name"] for option in option_attributes()} | {"--ctx-size"}
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
