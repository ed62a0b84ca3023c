"""A test that freezes the time is recorded as any other, at the real time."""

from __future__ import annotations

import json

from tests.integration.conftest import ROOT, TOY, Checkout
from tests.integration.functions import echo
from tests.servers import SimulatedServer

CODE = """
import datetime

import pytest
from frozen import frozen


@pytest.mark.longctx(trials=12)
def test_dated(ask, draw):
    number = draw.integer(1000, 9999)
    with frozen():
        assert ask(f"Of {datetime.date.today()}: {number}").text == f"Of 2001-02-03: {number}"
"""


def test_it_is_recorded(checkout: Checkout) -> None:
    checkout.profile(TOY)
    checkout.file("tests_longctx/frozen.py").write_text((ROOT / "tests/frozen.py").read_text())
    checkout.file("tests_longctx/test_dated.py").write_text(CODE)
    with SimulatedServer(echo) as server:
        assert checkout.record(server, "tests_longctx/test_dated.py").code == 0
    [content] = checkout.cassettes().values()
    recorded = [json.loads(line)["metadata"] for line in content.splitlines()]
    assert len(recorded) == 12
    assert all(each["recorded_at"] > "2025" and 0 < each["latency_s"] < 60 for each in recorded)
    assert checkout.pytest("tests_longctx/test_dated.py").code == 0
