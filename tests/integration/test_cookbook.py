"""docs/cookbook.md: its commands, one after the other, end with exit status 0 and print what it says."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.batch_server import BatchServer
from tests.integration.conftest import Launcher, foreign_project
from tests.integration.pages import blocks, missing, ran
from tests.servers import Answer, Body, find_answer, message, prompt_of

CALL = re.compile(r"When does order (\d+) arrive")


def model(body: Body) -> Answer:
    """Answer what the recipes ask, and rightly."""
    prompt = prompt_of(body)
    if "tools" in body and len(body["messages"]) == 1:
        [order] = CALL.findall(prompt)
        call = {"type": "tool_use", "id": "toolu_1", "name": "order_status", "input": {"order": int(order)}}
        return 200, {}, message("", body, content=[call], stop_reason="tool_use")
    for pattern in (r"refund code is (\d+)", r"arrives in (\d+) days"):
        if found := re.search(pattern, prompt):
            return 200, {}, message(found[1], body)
    facts = {"of leave are": "25", "be carried": "Ten of them", "paid back?": "14 days"}
    known = next((answer for words, answer in facts.items() if words in prompt), None)
    return 200, {}, message(known or find_answer(prompt), body)


def test_the_cookbook(launcher: Launcher, tmp_path: Path) -> None:
    project = foreign_project(launcher, tmp_path)
    output = ""
    with BatchServer() as server:
        server.script = model
        asks = {"pytest": f"--ctx-base-url={server.url}", "longctx upgrade": f"--base-url={server.url}"}
        for kind, text in blocks("cookbook.md"):
            if kind in ("toml", "python"):
                file = project.file(text.splitlines()[0].removeprefix("# "))
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(text, encoding="utf-8")
            elif kind == "jsonl":
                assert [json.loads(line) for line in text.splitlines()]
                project.file("tests_longctx/handbook.jsonl").write_text(text, encoding="utf-8")
            elif kind == "sh":
                lines = text.replace("http://gateway.example:4000", server.url).splitlines()
                output = "".join(ran(project, line, asks) for line in lines)
            else:
                assert not missing(text, output), output
        assert server.batches
