"""The options of pytest."""

from __future__ import annotations

import argparse
from typing import Any

from _pytest.config.argparsing import Parser

from longctx.plugin import declared_options


def attributes() -> list[dict[str, Any]]:
    parser = Parser(_ispytest=True)
    declared_options.add(parser)
    return [{**option.attrs(), "names": option.names()} for option in parser.getgroup("longctx").options]


def test_each_has_the_plugin_s_prefix_and_a_help() -> None:
    for each in attributes():
        assert all(name.startswith("--ctx-") for name in each["names"])
        assert each["help"]


def test_one_is_for_commands_alone() -> None:
    hidden = [name for each in attributes() for name in each["names"] if each.get("help") is argparse.SUPPRESS]
    assert hidden == ["--ctx-project-tests"]
