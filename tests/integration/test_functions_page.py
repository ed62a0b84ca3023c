"""docs/functions.md: its files, and its commands one after the other, print what it says."""

from __future__ import annotations

import re
from pathlib import Path

from tests.integration.conftest import Checkout, Launcher
from tests.integration.pages import blocks, followed
from tests.servers import Answer, Body, SimulatedServer, message

CASES = "tests_longctx/contracts.jsonl"


def product(body: Body) -> Answer:
    """Answer as a good model does: call the tool before it answers, and take the answer from the text."""
    content = str(body["messages"][-1]["content"])
    if code := re.search(r"The refund code is (\d+)", content):
        return 200, {}, message(code[1], body)
    if "polite?" in content:
        assert body["model"] == "claude-haiku-5-5", "the judge is asked"
        return 200, {}, message("Y", body)
    if day := re.search(r"arrives on day (\d+)", content):
        return 200, {}, message(f"It arrives on day {day[1]}.", body, usage=USAGE)
    if order := re.search(r"When does order (\d+)", content):
        call = {"type": "tool_use", "id": "toolu_1", "name": "order_status", "input": {"number": int(order[1])}}
        return 200, {}, message("", body, content=[call], stop_reason="tool_use", usage=USAGE)
    found = re.search(r"fee is (\d+).*annual fee\?|given in (\w+)", content, re.DOTALL)
    assert found, content
    return 200, {}, message(found[1] or found[2], body)


USAGE = {"input_tokens": 40, "output_tokens": 20}


def test_the_page(launcher: Launcher, tmp_path: Path) -> None:
    project = Checkout(tmp_path / "project", launcher)
    with SimulatedServer(product) as server:
        followed(project, blocks("functions.md"), server.url, CASES)
    assert {row["outcome"] for row in project.rows()} == {"correct"}
