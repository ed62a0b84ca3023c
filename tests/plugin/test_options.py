"""The options of pytest: few."""

from __future__ import annotations

import argparse
from typing import Any

from _pytest.config.argparsing import Parser

from longctx.plugin import options

SHOWN = "model profile prompts shape strategy trials only repeats label record base-url concurrency max-cost estimate"
SHOWN += " baseline save-baseline on-inconclusive batch shard report"


def attributes() -> list[dict[str, Any]]:
    parser = Parser(_ispytest=True)
    options.add(parser)
    return [{**option.attrs(), "names": option.names()} for option in parser.getgroup("longctx").options]


def test_there_are_at_most_twenty() -> None:
    given = [name for each in attributes() for name in each["names"] if each.get("help") is not argparse.SUPPRESS]
    assert {f"--ctx-{name}" for name in SHOWN.split()} == set(given)
    assert len(given) == 20


def test_one_is_for_commands_alone() -> None:
    hidden = [name for each in attributes() for name in each["names"] if each.get("help") is argparse.SUPPRESS]
    assert hidden == ["--ctx-project-tests"]
