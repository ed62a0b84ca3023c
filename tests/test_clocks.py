"""No test can stop the clocks of longctx."""

from __future__ import annotations

import asyncio
import datetime
import re
import time

import pytest

from longctx import clocks
from tests.frozen import frozen
from tests.here import HERE

READ = re.compile(
    r"\b(time\.(time|monotonic|perf_counter)(_ns)?\(|datetime\.(now|utcnow)\(|date\.today\()|asyncio\.(run|new_event_loop)\("
)
OF_TESTS = {"longctx/functions/cell_runner.py"}
"""Runs what an asynchronous test function returns, on a loop of the test's own time."""


def test_they_go_on() -> None:
    before = clocks.monotonic()
    with frozen():
        assert datetime.datetime.now().year == 2001
        assert time.monotonic() == time.monotonic()
        assert clocks.now().year > 2024
        assert clocks.local().date().year > 2024
        assert clocks.stamp() > "2025"
        assert clocks.monotonic() > before


def test_timers_of_its_loops_go_on() -> None:
    async def timed() -> str:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.01):
                await asyncio.Event().wait()
        return "timed out"

    with frozen():
        assert clocks.run(timed()) == "timed out"


def test_all_of_longctx_uses_them() -> None:
    files = [path for path in (HERE.root / "longctx").rglob("*.py") if path.name != "clocks.py"]
    read = {str(path.relative_to(HERE.root)) for path in files if READ.search(path.read_text("utf-8"))}
    assert read == OF_TESTS
