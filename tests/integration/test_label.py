"""--ctx-label: what the user says of a run."""

from __future__ import annotations

import json

from tests.integration.conftest import LINES, PASSKEY, Checkout
from tests.servers import SimulatedServer


def test_labels_are_in_rows_tables_and_summary(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(LINES, PASSKEY)
    result = checkout.record(server, "--ctx-label", "steps=200", "--ctx-label", "method=PI")
    assert {json.dumps(row["labels"]) for row in checkout.rows()} == {'{"steps": "200", "method": "PI"}'}
    assert result.says("Line retrieval, toy, prompts protocol, method=PI steps=200:", "toy 256 method=PI steps=200")
    summary = checkout.read("reports/latest/summary.json")
    assert [window["labels"] for window in summary["passkey"]] == [{"method": "PI", "steps": "200"}]
    assert checkout.read("reports/latest/run.json")["labels"]["steps"] == "200"


def test_a_label_needs_a_name_and_a_value(checkout: Checkout) -> None:
    for label in ("steps", "=200", "steps="):
        result = checkout.pytest(f"--ctx-label={label}")
        assert result.code == 4
        assert result.says(repr(label), "[bad-label]")
