"""What pytest itself shows of marked tests: without keys, and without commands to GitHub Actions."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Mapping
from typing import Any

import pytest

from longctx.plugin.selection import MARKER
from longctx.redaction import redacted

COMMAND = re.compile(r"(^|[\r\n])(\s*)(?=::)|##(?=\[)")
"""The beginning of what GitHub Actions reads as a command in the output of a job."""
OF_REPRESENTATIONS = "_pytest._code.code"
"""The module of the objects by which pytest shows an exception."""


def clean_id(item: Any) -> None:
    """Let the id of a marked test show no key that is the value of a parameter."""
    if item.get_closest_marker(MARKER) is None or (clean := redacted(item.nodeid)) == item.nodeid:
        return
    item.name = redacted(item.name)
    if hasattr(item, "_id"):  # since pytest 9.2
        item._id = _node_id(clean)
    else:
        item._nodeid = clean


def _node_id(text: str) -> object:
    from _pytest.nodeid import coerce_node_id  # as pytest's nodes do

    return coerce_node_id(text)


def clean_report(report: pytest.TestReport | pytest.CollectReport, environment: Mapping[str, str] = os.environ) -> None:
    """Redact what a report says, and under GitHub Actions fold lines that would be commands."""
    folds = environment.get("GITHUB_ACTIONS") == "true"

    def clean(text: str) -> str:
        text = redacted(text)
        return COMMAND.sub(_harmless, text) if folds else text

    report.longrepr = _cleaned(report.longrepr, clean)
    report.sections = [(clean(name), clean(text)) for name, text in report.sections]
    if isinstance(report, pytest.TestReport):
        report.user_properties = [(name, _cleaned(value, clean)) for name, value in report.user_properties]
    crash = getattr(report.longrepr, "reprcrash", None)
    if folds and crash is not None:
        crash.message = " ".join(crash.message.splitlines())


def _harmless(match: re.Match[str]) -> str:
    return "# #" if match[0].startswith("##") else f"{' ' if match[1] else ''}: "


def _cleaned(value: Any, clean: Callable[[str], str]) -> Any:
    """Return a value with every text in it cleaned; pytest's objects are changed in place."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, tuple | list):
        return type(value)(_cleaned(each, clean) for each in value)
    if type(value).__module__ == OF_REPRESENTATIONS:
        for name, each in vars(value).items():
            setattr(value, name, _cleaned(each, clean))
    return value
