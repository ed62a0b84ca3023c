"""The reasons of skipped tests of the benchmark."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from longctx.plugin.notices import why_skipped


def report(reason: str, *keywords: str) -> pytest.TestReport:
    longrepr: Any = ("test_x.py", 7, f"Skipped: {reason}")
    return pytest.TestReport(
        "test_x.py::x", ("test_x.py", 7, "x"), dict.fromkeys(keywords, 1), "skipped", longrepr, "call"
    )


def test_each_reason_is_reported_once_with_its_number() -> None:
    reports = [report("stopped early", "longctx"), report("no table", "longctx"), report("stopped early", "longctx")]
    reports.append(report("a test of another project"))
    terminal: Any = SimpleNamespace(getreports={"skipped": reports}.get)
    assert list(why_skipped(terminal)) == ["2 tests were skipped: stopped early.", "1 test was skipped: no table."]


def test_tables_that_the_profile_lacks_are_shown_in_one_sentence() -> None:
    tables = ["passkey", "collage", "passkey"]
    reports = [report(f"the profile 'x' has no [{table}] table", "longctx") for table in tables]
    terminal: Any = SimpleNamespace(getreports={"skipped": reports}.get)
    assert list(why_skipped(terminal)) == ["3 tests were skipped: the profile 'x' has no [passkey], [collage] table."]
