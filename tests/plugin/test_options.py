"""The options of pytest: few, and those of the version before still work and say what replaces them."""

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


def test_at_most_twenty_are_shown() -> None:
    shown = [each["names"][0] for each in attributes() if each.get("help") is not argparse.SUPPRESS]
    assert {f"--ctx-{name}" for name in SHOWN.split()} == set(shown)
    assert len(shown) == 20


def test_the_others_name_what_replaces_them() -> None:
    hidden = {each["names"][0] for each in attributes() if each.get("help") is argparse.SUPPRESS}
    assert hidden == {*options.DEPRECATED, "--ctx-project-tests"}
    assert all(options.DEPRECATED.values())
    assert not {*options.names()} & {*options.DEPRECATED}
