"""--ctx-strategy: a logged conversation is asked about under strategies of context management.

The server of tests/context_server.py implements the documented context management around a simulated model.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.batch_server import PATH, BatchServer
from tests.context_server import managed
from tests.given import json_lines
from tests.integration.conftest import ROOT, TOY, Checkout
from tests.integration.pages import blocks, missing, ran
from tests.servers import SimulatedServer

TEST = """
import longctx
import pytest

SESSION = longctx.transcript("session.jsonl")


@pytest.mark.longctx(cases="probes.jsonl")
def test_session(ask, case):
    ask.probe(SESSION, case)
"""
OWN = """
def strategy(messages, ask):
    return messages[:1] + messages[-1:]
"""
PROBES: list[dict[str, Any]] = [
    {"id": "first", "question": "What is the code of Ambry?", "accept": "K17", "kind": "identifier", "evidence": "K17"},
    {"id": "tool", "question": "What is the stock of Corrin?", "accept": ["412"], "kind": "number", "evidence": "412"},
    {
        "id": "new",
        "question": "What is the contact of Lorn?",
        "accept": ["Dorn"],
        "stale": ["Falk"],
        "kind": "correction",
    },
    {"id": "never", "question": "What is the date of Tarn?", "accept": ["5"], "kind": "number"},
]


def call(number: int, place: str, stock: int) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"t{number}", "name": "look_up", "input": {"place": place}}
    result = {"type": "tool_result", "tool_use_id": f"t{number}", "content": f"The stock of {place} is {stock} today."}
    return [
        {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "x"}, use]},
        {"role": "user", "content": [result]},
    ]


TURNS: list[dict[str, Any]] = [
    {"role": "user", "content": "The code of Ambry is K17 and the contact of Lorn is Falk, so look the stock up."},
    *call(1, "Corrin", 412),
    *(turn for number in range(2, 6) for turn in call(number, "Oxley", number)),
    {"role": "assistant", "content": "That is all."},
    {"role": "user", "content": "The contact of Lorn is Dorn now."},
]
LOG = [
    {"model": "m", "max_tokens": 9, "messages": TURNS[:1]},
    {
        "request": {"model": "m", "max_tokens": 9, "system": "You keep stock.", "messages": TURNS},
        "response": {"role": "assistant", "content": [{"type": "text", "text": "Noted."}]},
    },
]
STRATEGIES = ("none", "truncate-30", "clear_tool_uses-20", "compact-40", "summary-2", "strategies/ends.py")


@pytest.fixture
def project(checkout: Checkout) -> Checkout:
    checkout.profile(TOY)
    for name, text in {
        "tests_longctx/test_session.py": TEST,
        "strategies/ends.py": OWN,
        "tests_longctx/session.jsonl": "".join(f"{json.dumps(line)}\n" for line in LOG),
        "tests_longctx/probes.jsonl": "".join(f"{json.dumps(probe)}\n" for probe in PROBES),
    }.items():
        checkout.file(name).parent.mkdir(exist_ok=True)
        checkout.file(name).write_text(text)
    return checkout


def asking(*strategies: str) -> list[str]:
    return ["tests_longctx/test_session.py", *(f"--ctx-strategy={each}" for each in strategies)]


def test_every_strategy_is_recorded_measured_and_priced(project: Checkout, server: SimulatedServer) -> None:
    server.script = managed
    project.prices(1000, 1000)
    result = project.record(server, *asking(*STRATEGIES), "--ctx-max-cost=99", page=True)
    assert result.code == 0, result
    rows = {(row["labels"]["strategy"], row["item"]): row for row in project.rows()}
    of = {
        name: {item: rows[name, item]["outcome"] for _, item in list(rows)[:4]}
        for name in dict.fromkeys(n for n, _ in rows)
    }
    kept = dict.fromkeys(("first", "tool", "new"), "correct") | {"never": "wrong"}
    assert of["none"] == kept
    assert of["truncate-30"] == kept | {"first": "wrong", "tool": "wrong"}
    assert of["clear_tool_uses-20"] == kept | {"tool": "wrong"}
    assert of["compact-40"] == kept | {"tool": "wrong", "new": "wrong"}
    assert of["summary-2"] == kept | {"tool": "wrong"}
    assert of["ends"] == kept | {"tool": "wrong", "new": "wrong"}
    assert rows["ends", "new"]["trace"] == {"stale": 1, "lost": 0, "invented": 0}
    assert rows["none", "never"]["trace"] == {"stale": 0, "lost": 1, "invented": 0}
    assert {rows[name, "first"]["retained"] < 1 for name in of} == {True, False}
    assert rows["none", "first"]["retained"] == 1
    assert (rows["none", "tool"]["probe"], rows["none", "first"]["depth"]) == ("number", 0)
    assert rows["clear_tool_uses-20", "tool"]["trace"]["applied clear_tool_uses_20250919"] == 1
    assert rows["truncate-30", "first"]["strategy_usd"] == 0
    for strategy in ("summary-2", "compact-40"):
        own = rows[strategy, "first"]
        assert 0 < own["strategy_usd"] < own["cost_usd"]
        assert own["cost_usd"] == pytest.approx((own["input_tokens"] + own["output_tokens"]) / 1000)
    betas = {received.headers.get("anthropic-beta") for received in server.received}
    assert betas == {None, "compact-2026-01-12", "context-management-2025-06-27"}
    page = project.file("reports/latest/index.html").read_text()
    assert "Recall against retained tokens" in page
    plan = project.longctx("plan", "-v", "--profile=tiny.toml", "--from=reports/latest", "--model=toy")
    assert plan.says(*(f"strategy={name}" for name in of)), plan
    again = project.pytest(*asking(*STRATEGIES))
    assert again.says("24 trials: 24 replayed"), again


def test_a_changed_strategy_is_a_difference_in_the_verdict(project: Checkout, server: SimulatedServer) -> None:
    server.script = managed
    assert project.record(server, *asking("strategies/ends.py")).code == 0
    assert project.longctx("baseline", "save", "main").code == 0
    project.file("strategies/ends.py").write_text(OWN.replace("+ messages[-1:]", "+ list(messages[-1:])"))
    project.pytest(*asking("strategies/ends.py"), "--ctx-baseline=main", "-n2")
    text = project.file("reports/latest/gate.md").read_text()
    assert "<summary>What changed: <code>strategy ends</code></summary>" in text
    assert "-    return messages[:1] + messages[-1:]\n+    return messages[:1] + list(messages[-1:])\n" in text


def test_strategies_are_asked_in_batches_one_for_each_set_of_betas(project: Checkout) -> None:
    arguments = asking("none", "clear_tool_uses-20", "compact-40", "summary-2")
    project.settings(trial_run=False)
    project.prices(1000, 1000)
    with BatchServer(script=managed) as server:
        live = f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-batch"
        result = project.pytest(*arguments, *live, "--ctx-max-cost=1000")
        assert result.code == 0, result
        created = [received for received in server.received if received.path == PATH and received.body]
        betas = [received.headers.get("anthropic-beta") for received in created]
        sizes = [len(received.body["requests"]) for received in created]
    assert not server.asked
    assert list(zip(betas, sizes, strict=True)) == [
        *((None, 4), ("context-management-2025-06-27", 4), ("compact-2026-01-12", 4)),
        *((None, 4), (None, 4)),  # the summaries, and what is asked after them
    ]
    rows = {(row["labels"]["strategy"], row["item"]): row for row in project.rows()}
    wrong = {key for key, row in rows.items() if row["outcome"] == "wrong"}
    assert wrong == {
        *((name, "never") for name in ("none", "clear_tool_uses-20", "compact-40", "summary-2")),
        *(("clear_tool_uses-20", "tool"), ("compact-40", "tool"), ("compact-40", "new"), ("summary-2", "tool")),
    }
    for strategy in ("summary-2", "compact-40"):
        assert 0 < rows[strategy, "first"]["strategy_usd"] < rows[strategy, "first"]["cost_usd"]
    estimate = project.pytest(*arguments, "--ctx-estimate", "--ctx-record=all")
    assert estimate.says("by replies of", "later ones are estimated from 16 recorded trials"), estimate


def test_killed_between_the_two_requests_of_a_trial_nothing_is_lost_or_paid_twice(
    project: Checkout, server: SimulatedServer
) -> None:
    server.script, server.hold_after = managed, 5
    arguments = (*asking("summary"), f"--ctx-base-url={server.url}", "--ctx-record=once", "--ctx-concurrency=1")
    pid = project.start(*arguments)
    server.wait_for(6)
    project.kill(pid)
    assert project.episodes() == 5
    kept = project.cassettes()
    server.release.set()
    assert project.pytest(*arguments).code == 0
    assert project.episodes() == 8
    assert all(project.cassettes()[name].startswith(content) for name, content in kept.items())
    asked = [json.dumps(body["messages"]) for body in server.asked]
    assert len(asked) == 9  # the one in flight was asked again


def test_a_server_without_context_management_is_named(project: Checkout, server: SimulatedServer) -> None:
    result = project.record(server, *asking("clear_tool_uses"))
    assert result.code == 1
    assert result.says("[strategy-not-supported]", "the server reports no context management"), result


def test_a_test_that_asks_about_no_transcript_is_named(project: Checkout, server: SimulatedServer) -> None:
    project.file("tests_longctx/test_session.py").write_text(
        "import pytest\n\n\n@pytest.mark.longctx(trials=2)\ndef test_session(ask):\n    assert ask('Hello?').text\n"
    )
    result = project.record(server, *asking("truncate"), "-n1")
    assert result.code == 1
    assert result.says("the strategy 'truncate' has no effect"), result


def test_a_gate_between_two_summary_prompts(project: Checkout, server: SimulatedServer) -> None:
    server.script = managed
    codes = {f"P{number}": f"K{number}" for number in range(30)}
    told = [{"role": "user", "content": f"The code of {name} is {code}."} for name, code in codes.items()]
    turns = [turn for each in told for turn in (each, {"role": "assistant", "content": "Noted."})]
    project.file("tests_longctx/session.jsonl").write_text(json.dumps({"messages": turns}))
    probes = [{"id": name, "question": f"What is the code of {name}?", "accept": codes[name]} for name in codes]
    json_lines(project.file("tests_longctx/probes.jsonl"), *probes)
    for name, words in {"long": 500, "short": 60}.items():
        folder = project.file(f"fixtures/prompts/{name}/test_session")
        folder.mkdir(parents=True)
        (folder / "summary.txt").write_text(f"Sum it up: a summary in {words} words.\n")
    arguments = asking("summary")
    assert project.record(server, *arguments, "--ctx-prompts=long").code == 0
    assert project.longctx("baseline", "save", "long").code == 0
    project.profile('looks = "once"\nmodels = ["toy"]\n')
    gated = ("--ctx-prompts=short", "--ctx-baseline=long")
    result = project.record(server, *arguments, *gated, mode="new_episodes")
    assert result.code == 10, result
    assert result.says("Gate: regression - test_session", "prompt templates of test_session"), result


def test_the_guide(checkout: Checkout, server: SimulatedServer) -> None:
    server.script = managed
    given = iter(("tests_longctx/session.jsonl", "tests_longctx/probes.jsonl"))
    checkout.file("strategies").mkdir()
    output = ""
    for kind, text in blocks("compaction.md"):
        if kind in ("jsonl", "python") and not text.startswith("@"):
            name = next(given) if kind == "jsonl" else text.splitlines()[0].removeprefix("# ")
            checkout.file(name).write_text(text, encoding="utf-8")
        elif kind == "sh":
            options = {"pytest": f"--ctx-base-url={server.url}"}
            output = "".join(ran(checkout, line, options) for line in text.splitlines())
        elif not text.startswith(("longctx data probes", "@", "$ ")):  # "$ ": in test_window.py
            assert not missing(text, output), f"{missing(text, output)} is not in what was printed:\n{output}"


RETENTION = (
    "tests_longctx/test_retention.py",
    "tests_longctx/ledger.py",
    "cassettes/qwen2.5-coder-0.5b/test_retention",
    "cassettes/qwen2.5-coder-1.5b/test_retention",
)


def test_the_table_of_the_guide_has_what_was_recorded_of_each_strategy(checkout: Checkout) -> None:
    checkout.take(*RETENTION)
    sizes = (ROOT / "fixtures/profiles/sizes.toml").read_text(encoding="utf-8")
    checkout.profile(sizes[sizes.index("[test_retention]") : sizes.index("[multiple_needles]")], name="sizes.toml")
    summaries = "--ctx-profile=retention", "--ctx-strategy=summary"
    small, large = {}, {}
    for options in (("--ctx-profile=sizes.toml",), summaries, (*summaries, "--ctx-prompts=terse")):
        run = checkout.pytest(RETENTION[0], *options, profile=None)
        assert run.code == 0, run.out + run.err
        for each in checkout.read("reports/latest/summary.json")["retention"]:
            recall = f"{each['rate']:.2f} [{each['lo']:.2f}, {each['hi']:.2f}]"
            key = each["strategy"], each["prompt_set"]
            if each["model"] == "qwen2.5-coder-1.5b":
                large[key] = recall
            else:
                small[key] = f"{each['retained']:.0%}", recall, str(each["stale"]), str(each["invented"])
    page = (ROOT / "docs/compaction.md").read_text(encoding="utf-8")
    shown = {}
    for row in re.findall(r"^\| `.*\| \d+% \| 0\..*\|$", page, re.MULTILINE):
        names, kept, recall, of_large, stale, invented = row.strip("| ").split(" | ")
        strategy, *prompts = re.findall(r"`(?:tests_longctx/)?(\w+)(?:\.py)?`", names)
        key = strategy, *(prompts or ["plain"])
        shown[key] = kept, recall, stale, invented
        assert of_large == large.get(key, "-")
    assert shown == small
