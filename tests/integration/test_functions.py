"""Test functions of a project of its own: recorded, replayed by workers, killed and resumed, and gated."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from longctx.recording.request import digest
from tests.given import served
from tests.integration.conftest import Checkout, Launcher, copied, foreign_project, without_run
from tests.servers import Answer, Body, SimulatedServer, count_tokens, message

FOREIGN = Path(__file__).with_name("foreign_functions")
TRIALS = {"test_refund_code": 8, "test_review": 6, "test_tools": 3, "test_sum": 2}
REQUESTS = 8 + 2 * 6 + 2 * 3 + 7 * 2
"""One for each code; an answer and a verdict for each case; two turns with a tool; seven requests for each sum."""


def text_of(content: Any) -> str:
    """Return the text of a turn, tool results included."""
    if isinstance(content, str):
        return content
    return " ".join(text_of(block.get("text") or block.get("content") or "") for block in content)


def reply(body: Body, text: str, **changed: Any) -> Answer:
    usage = {"input_tokens": count_tokens(json.dumps(body["messages"])), "output_tokens": count_tokens(text)}
    return 200, {}, message(text, body, usage=usage, **changed)


def model(body: Body) -> Answer:
    """Answer everything that the project asks, and rightly."""
    last = text_of(body["messages"][-1]["content"])
    if "tools" in body and body["messages"][-1]["role"] == "user" and (asked := re.match(r"Read line (\d)", last)):
        call = {"type": "tool_use", "id": "toolu_1", "name": "read_line", "input": {"number": int(asked[1])}}
        return reply(body, "", content=[call], stop_reason="tool_use")
    if found := re.search(r"The refund code is (\d+)", last):
        return reply(body, found[1])
    if found := re.search(r"What is the (\w+) of (contract-\d)", last):
        value = re.search(rf"The {found[1]} of {found[2]} is (\d+)", last)
        return reply(body, value[1] if value else "none")
    if last.startswith("Is this a number"):
        return reply(body, "Y" if re.search(r": \d+\?", last) else "N")
    if found := re.search(r"The value is (\d+). (Repeat|Double)", last):
        return reply(body, str(int(found[1]) * (2 if found[2] == "Double" else 1)))
    if last.startswith("Add "):
        return reply(body, str(sum(map(int, re.findall(r"\d+", last)))))
    return reply(body, last)


class Changing:
    """A model that counts what it is asked, and answers a share of it otherwise when it is asked again."""

    def __init__(self, share: float) -> None:
        self.share, self.asked = share, Counter[str]()

    def __call__(self, body: Body) -> Answer:
        sha256 = digest(dict(body))
        self.asked[sha256] += 1
        changes = self.asked[sha256] > 1 and int(sha256[:8], 16) / 16**8 < self.share
        return reply(body, "0") if changes and "tools" not in body else model(body)


@pytest.fixture(scope="module")
def template(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    return foreign_project(launcher, tmp_path_factory.mktemp("template"), FOREIGN)


project = copied("template")


@pytest.fixture(scope="module")
def recorded_once(fresh: Callable[[], Checkout]) -> Checkout:
    made = fresh()
    with SimulatedServer(model) as server:
        result = made.record(server, "--ctx-report=reports/first", profile=None)
    assert result.code == 0, result.out
    assert result.says(f"Asked {REQUESTS} requests of {sum(TRIALS.values())} trials of test functions.")
    assert len(server.asked) == made.episodes() == REQUESTS
    return made


server = served(model)


def own_rows(project: Checkout, folder: str = "reports/latest") -> list[dict[str, Any]]:
    """Return the rows of trials, without those of single checks."""
    return [row for row in project.rows(folder) if row["test"] in TRIALS]


def key_of(row: dict[str, Any]) -> tuple[Any, ...]:
    return row["test"], row["cell"], row["trial"], row["item"] or ""


def compared(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows in one order, without what differs between two recordings."""
    other = ("recorded_at", "latency_s", "source")
    kept = [{name: value for name, value in row.items() if name not in other} for row in without_run(rows)]
    return sorted(kept, key=key_of)


def test_every_trial_is_asked_and_judged(recorded: Checkout) -> None:
    rows = own_rows(recorded, "reports/first")
    assert Counter(row["test"] for row in rows) == TRIALS
    assert {row["outcome"] for row in rows} == {"correct"}
    assert {row["cluster"] for row in rows if row["test"] == "test_review"} == {f"contract-{n}" for n in range(3)}
    assert {row["item"] for row in rows if row["test"] == "test_tools"} == {None}
    checks = Counter(row["test"] for row in recorded.rows("reports/first") if row["test"] not in TRIALS)
    assert checks == {"test_review.ends": 6, "test_review.tone": 6}
    depths = [row["depth"] for row in rows if row["test"] == "test_refund_code"]
    assert all(0 <= depth <= 1 for depth in depths)


def test_the_same_item_is_drawn_at_every_length(recorded: Checkout) -> None:
    codes: dict[str, dict[int, str]] = {}
    for row in recorded.rows("reports/first"):
        if row["test"] == "test_refund_code":
            codes.setdefault(row["cell"], {})[row["trial"]] = row["returned"]
    first, second = codes.values()
    assert first == second
    assert len(set(first.values())) == 4


def test_workers_replay_the_same_rows_offline(recorded: Checkout) -> None:
    result = recorded.pytest("-n2", profile=None)
    assert result.code == 0, result.out
    assert result.says("19 replayed")
    assert compared(own_rows(recorded)) == compared(own_rows(recorded, "reports/first"))


def test_requests_of_a_trial_are_numbered_and_follow_a_reply(recorded: Checkout) -> None:
    lines = recorded.cassettes()["toy/test_tools/all.jsonl"].decode().splitlines()
    metadata = [json.loads(line)["metadata"] for line in lines]
    assert Counter(entry.get("request", 0) for entry in metadata) == {0: 3, 1: 3}
    assert all(bool(entry.get("after")) == bool(entry.get("request")) for entry in metadata)
    sums = [json.loads(line)["metadata"] for line in recorded.cassettes()["toy/test_sum/all.jsonl"].splitlines()]
    after: dict[int, set[str]] = {}
    for entry in sums:
        if entry["trial"] == sums[0]["trial"]:
            after.setdefault(entry.get("request", 0), set()).add(entry.get("after", ""))
    assert {number for number, before in after.items() if before == {""}} == {0, 1, 2}  # issued at once
    assert len(set.union(*(after[number] for number in (3, 4, 5)))) == 1
    assert len(after) == 7


def on_cassettes(project: Checkout) -> Counter[str]:
    """Return how often each request is recorded, by its digest."""
    return Counter(re.findall(r"sha256:(\w{64})", b"".join(project.cassettes().values()).decode()))


def test_killed_at_random_moments_and_resumed_nothing_is_paid_twice(
    project: Checkout, server: SimulatedServer, recorded_once: Checkout
) -> None:
    moments, everything = random.Random(33), on_cassettes(recorded_once)
    kills = 0
    while True:
        lacking = everything - on_cassettes(project)
        server.received.clear()
        server.hold_after = moments.randrange(1, 9)
        run = f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-concurrency=2"
        pid = project.start(*run, profile=None)
        if lacking.total() <= server.hold_after:
            assert project.wait().code == 0
        else:
            server.wait_for(server.hold_after + 1)
            project.kill(pid)
            kills += 1
        server.release.set()
        server.release.clear()
        arrived = [body for body in server.asked if body]  # a kill may cut a body off
        assert Counter(map(digest, arrived)) <= lacking  # nothing that is recorded
        if lacking.total() <= server.hold_after:
            break
    assert kills > 4
    assert on_cassettes(project) == everything
    result = project.pytest("-n1", profile=None)
    assert result.code == 0, result.out
    assert compared(own_rows(project)) == compared(own_rows(recorded_once, "reports/first"))


def test_all_asks_each_number_once_and_the_gate_judges_what_changed(recorded: Checkout) -> None:
    assert recorded.longctx("baseline", "save", "first", "reports/first").code == 0
    changing = Changing(0.3)
    with SimulatedServer(changing) as server:
        for body in (json.loads(json.dumps(body)) for body in requests_of(recorded)):
            changing(body)
        before = changing.asked.total()
        result = recorded.record(server, "--ctx-baseline=first", mode="all", profile=None)
    assert changing.asked.total() - before == len(server.asked)
    assert len(server.asked) <= REQUESTS + 2 * 6  # a changed reply leads to another request after it
    assert max((changing.asked - Counter(dict.fromkeys(changing.asked, 1))).values()) == 1
    assert "Gate:" in result.out
    outcomes = Counter(row["outcome"] for row in own_rows(recorded))
    assert outcomes["wrong"] > 0
    assert outcomes["correct"] > 0


def requests_of(project: Checkout) -> list[Body]:
    """Return what the project asks, from a run against a server that keeps it."""
    with SimulatedServer(model) as server:
        assert project.record(server, "--ctx-report=reports/again", mode="all", profile=None).code == 0
    return server.asked
