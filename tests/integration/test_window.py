"""`longctx window`: from a log to the sentence on how full the window may get, in a project of somebody else's."""

from __future__ import annotations

import json
import re
import shlex
import subprocess
from collections import Counter
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from longctx.functions.transcript import Probe
from longctx.stats.rates import Rate
from tests.given import json_lines
from tests.integration.conftest import ROOT, Checkout, Launcher, foreign_project, needs_git
from tests.integration.pages import blocks, missing
from tests.servers import SimulatedServer, saying
from tests.session_server import REST, answering, claude_code, openai_log

REPLAY = "$ pytest tests_longctx/"
"""How the commands of the guide begin that replay answers of real models."""
CHUNKS = [
    "tests_longctx/test_chunks.py",
    "tests_longctx/chunks",
    "fixtures/handbook",
    "fixtures/prompts/plain/test_chunks",
    "cassettes/qwen2.5-coder-0.5b/test_chunks",
]
RECORDED = {
    "window-sizes": [
        "tests_longctx/test_window.py",
        "tests_longctx/window",
        "tests_longctx/long_window",
        "fixtures/prompts/plain/test_window",
        "cassettes/qwen2.5-coder-0.5b/test_window",
        "cassettes/qwen2.5-coder-1.5b/test_window",
    ],
    "compaction": [
        "tests_longctx/test_compaction.py",
        "tests_longctx/compaction",
        "fixtures/baselines/compaction.jsonl",
        "fixtures/prompts/plain/test_compaction",
        "cassettes/qwen2.5-coder-1.5b/test_compaction",
    ],
    "long": [
        "tests_longctx/test_window.py",
        "tests_longctx/window",
        "tests_longctx/long_window",
        "fixtures/prompts/plain/test_long_window",
        "cassettes/qwen2.5-coder-0.5b/test_long_window",
        "cassettes/qwen2.5-coder-1.5b/test_long_window",
    ],
    "chunks": CHUNKS,
    "chunks-sizes": [*CHUNKS, "cassettes/qwen2.5-coder-1.5b/test_chunks"],
}
"""The profiles that they name, and what these need."""
LONG_STRATEGIES = {"`none`": "", "`truncate-at-8000`": ".truncate-at-8000"}
"""The strategies of the long session, as the guide writes them, with the ends of the names of their cassettes."""
PAGES = "compaction.md", "window.md"
"""The pages that show what was recorded."""
GUIDE = (ROOT / "docs/window.md").read_text(encoding="utf-8")

OF_CASES = """
import pytest

@pytest.mark.longctx(cases="window/probes.jsonl")
def test_cases(ask, case):
    assert ask(case.question)
"""


@pytest.fixture
def project(launcher: Launcher, tmp_path: Path) -> Checkout:
    made = foreign_project(launcher, tmp_path)
    made.file("session.jsonl").write_text(claude_code(60))
    made.file("fixtures/models").mkdir(parents=True)
    made.file("fixtures/models/toy.toml").write_text(
        "window = 100000\n[prices]\ninput = 1\noutput = 5\ncache_read = 0.1\ncache_write = 1.25\ndated = 2026-11-01\n"
        "[caching]\nmin_tokens = 512\n"
    )
    return made


def write_test(project: Checkout, server: SimulatedServer) -> None:
    few = "--number=20", "--fill=1000", "--fill=2000"
    made = project.longctx("window", "session.jsonl", "--model=toy", *few, "--yes", f"--base-url={server.url}")
    assert made.code == 0, made.out + made.err


@needs_git
@pytest.mark.parametrize("workers", ["-n0", "-n2"])
def test_a_clone_without_the_private_session_runs_its_other_tests(project: Checkout, workers: str) -> None:
    """The session is ignored by git, its test is not: only a baseline with its answers makes that a failure."""
    with SimulatedServer(answering) as server:
        write_test(project, server)
        assert project.record(server, "--ctx-profile=window").code == 0
    assert project.longctx("baseline", "save", "main").code == 0
    project.file("tests_longctx/test_other.py").write_text("def test_other(): pass\n")
    project.file("tests_longctx/test_cases.py").write_text(OF_CASES)
    project.file("pytest.ini").write_text("[pytest]\ntestpaths = tests_longctx\nlongctx_strict = true\n")
    subprocess.run(["git", "init", "-q"], cwd=project.folder, check=True)
    for name in ("probes.jsonl", "session.json"):
        ignored = ["git", "check-ignore", "-q", f"tests_longctx/window/{name}"]
        assert subprocess.run(ignored, cwd=project.folder, check=False).returncode == 0
        project.file(f"tests_longctx/window/{name}").unlink()
    lost = project.pytest(workers, "--ctx-model=toy", profile=None)
    assert lost.code != 0
    assert lost.says("[data-not-here]", "main", "test_window")
    project.file("fixtures/baselines/main.jsonl").unlink()
    result = project.pytest(workers, "--ctx-model=toy", profile=None)
    assert result.code == 0, result.out
    assert result.says("1 passed", "data that git ignores are not here: tests_longctx/window/")
    assert "rror" not in result.out, result.out


@pytest.mark.parametrize("profile", ["other", "window"])
def test_a_written_test_is_measured_in_its_own_profile_alone(project: Checkout, profile: str) -> None:
    project.file("fixtures/profiles").mkdir(exist_ok=True)
    for name in ("other", "more"):  # several profiles and no default are no obstacle for the command
        project.file(f"fixtures/profiles/{name}.toml").write_text('models = ["toy"]\n')
    with SimulatedServer(answering) as server:
        write_test(project, server)
    collected = project.pytest("--collect-only", "-q", f"--ctx-profile={profile}", profile=None).out
    assert ("test_window[" in collected) == (profile == "window"), collected


def test_from_a_claude_code_session_to_the_sentence(project: Checkout) -> None:
    command = ("window", "session.jsonl", "--model=toy", "--number=90", "--yes")
    command += ("--fill=1000", "--fill=2000", "--fill=4000")
    with SimulatedServer(answering) as server:
        made = project.longctx(*command, f"--base-url={server.url}")
        assert made.code == 0, made.err
        lines = made.out.splitlines()
        assert re.fullmatch(
            r"240 turns, 1\dk tokens, 1 tool, 1 compaction\. Not in the log: system prompt \(add it with --system "
            r"FILE\), tool descriptions \(add it with --tools FILE\)\.",
            lines[0],
        ), lines[0]
        assert re.fullmatch(r"Drafting 90 probes: about \$0\.\d+\.", lines[1]), lines[1]
        assert re.fullmatch(
            r"\d+ kept; 18 can be guessed without the session; 18 cannot be answered from their evidence\. "
            r"Review: tests_longctx/window/probes\.jsonl",
            lines[2],
        ), lines[2]
        assert lines[3] == "Wrote tests_longctx/test_window.py and the profile window."
        assert re.fullmatch(
            rf"Next: pytest --ctx-profile window --ctx-record once --ctx-base-url={server.url}    "
            r"\(\d+ probes × 3 fills × 2 strategies, about \$\d+\.\d+\)",
            lines[4],
        ), lines[4]
        assert project.file("tests_longctx/window/.gitignore").read_text().endswith("*\n!.gitignore\n")
        run = project.record(server, "--ctx-profile=window", page=True)
    assert run.code == 0, run.out + run.err
    assert run.says(
        "Up to 2k a loss of 10 points compared with the evidence alone is ruled out; at 4k ",
        "points are lost",
        "With summary-at-2000, accuracy at 4k is 1.00 [",
    )
    texts = [text for _, text in blocks("window.md")]
    shown = "".join(text for text in texts if text.startswith("$ ") and not text.startswith(REPLAY))
    printed = "\n".join(line for line in shown.splitlines() if not line.startswith("$ "))
    assert not missing(printed, made.out + run.out), missing(printed, made.out + run.out)
    replayed = project.pytest("--ctx-profile=window")
    assert replayed.code == 0
    assert replayed.says("Up to 2k a loss of 10 points compared with the evidence alone is ruled out; at 4k ")
    of_fill = {}
    for body in server.asked:
        marked = [
            block
            for turn in body["messages"]
            for block in turn["content"]
            if isinstance(block, dict) and "cache_control" in block
        ]
        if marked:
            of_fill.setdefault(json.dumps(body["messages"][:-1]), []).append(body)
    assert max(map(len, of_fill.values())) > 25, "the probes of a fill share what the cache keeps"
    assert run.says("Report: reports/latest/index.html")


def test_answers_of_an_earlier_run_are_said_to_be_replayed(project: Checkout) -> None:
    command = ("window", "session.jsonl", "--model=toy", "--number=90", "--yes", "--fill=1000", "--fill=2000")
    with SimulatedServer(answering) as server:
        first = project.longctx(*command, f"--base-url={server.url}")
        again = project.longctx(*command, f"--base-url={server.url}", "--name=again")
    assert (first.code, again.code) == (0, 0), first.err + again.err
    assert "replayed" not in first.out
    assert again.says(
        "156 answers of an earlier run are replayed (delete the model's folder `alone` in cassettes/ to ask"
    )
    probes = [json.loads(line) for line in project.file("tests_longctx/again/probes.jsonl").read_text().splitlines()]
    assert probes
    assert all(probe["alone"] is True for probe in probes)


def test_an_openai_log_and_what_it_lacks_is_given(project: Checkout) -> None:
    project.file("chat.jsonl").write_text(openai_log(40))
    with SimulatedServer(answering) as server:
        command = ("window", "chat.jsonl", "--model=toy", f"--base-url={server.url}", "--name=chat", "--fill=1000")
        made = project.longctx(*command, "--fill=2000", "--strategy=none", "--number=30", "--yes")
        assert made.code == 0, made.err
        assert made.says("80 turns,", "0 tools. Drafting 30 probes", "× 2 fills × 1 strategy")
        assert "Not in the log" not in made.out
        again = project.longctx(*command, "--yes")
        assert again.code == 2
        assert again.says("[file-exists]")
        run = project.record(server, "--ctx-profile=chat")
    assert run.code == 0, run.out + run.err
    assert run.says("probes are too few to compare ") or run.says("compared with the evidence alone is ruled out")


def test_several_sessions_one_of_which_was_cut(project: Checkout) -> None:
    """The log of another agent, and one that ended within a line: each is told by itself, and all of them."""
    log = project.file("session.jsonl").read_text()
    project.file("cut.jsonl").write_text(log[: len(log) - 40])
    messages = [
        {"id": f"{number}{kind}", "type": kind, "content": f"{text} {number}Q7. {REST}"}
        for number in range(60)
        for kind, text in (("user", f"The code of Depot{number} is K"), ("gemini", "Noted."))
    ]
    messages.append({"id": "e", "type": "error", "content": "[API Error]"})
    text = json.dumps({"sessionId": "s", "projectHash": "h", "messages": messages}).replace(" is K ", " is K")
    project.file("gemini.json").write_text(text)
    with SimulatedServer(answering) as server:
        command = ("window", "cut.jsonl", "gemini.json", "--model=toy", f"--base-url={server.url}", "--number=24")
        made = project.longctx(*command, "--yes", "--fill=1000", "--fill=2000", "--strategy=none")
        assert made.code == 0, made.err
        assert made.says("1 compaction. Left out: the end, which is cut. Not in the log:", "Left out: 1 API error.")
        run = project.record(server, "--ctx-profile=window")
    assert run.code == 0, run.out + run.err
    assert run.says("test_window: In these 2 sessions: ", "In others like them: ", "more sessions. Each by itself: ")


@pytest.mark.parametrize(("price", "capped"), [(1, False), (10_000, True)])
def test_what_comes_next_runs_as_it_is_printed(project: Checkout, price: int, capped: bool) -> None:
    profile = project.file("fixtures/models/toy.toml")
    profile.write_text(profile.read_text().replace("input = 1\n", f"input = {price}\n"))
    with SimulatedServer(answering) as server:
        made = project.longctx(
            *("window", "session.jsonl", "--model=toy", f"--base-url={server.url}", "--number=30", "--yes"),
            *("--fill=1000", "--fill=2000", "--strategy=none", "--max-cost=10000"),
        )
        assert made.code == 0, made.err
        following = next(line for line in made.out.splitlines() if line.startswith("Next: ")).partition("    (")[0]
        pytest_, *arguments = shlex.split(following.removeprefix("Next: "))
        sent = len(server.received)
        run = project.pytest(*arguments, profile=None)
    assert (pytest_, any(each.startswith("--ctx-max-cost=") for each in arguments)) == ("pytest", capped)
    assert run.code == 0, run.out + run.err
    assert len(server.received) > sent, "the server that was named"


def test_nothing_is_sent_without_a_yes(project: Checkout) -> None:
    with SimulatedServer(answering) as server:
        made = project.longctx("window", "session.jsonl", "--model=toy", f"--base-url={server.url}")
        assert made.code == 2
        assert made.says("[not-confirmed]")
        assert not server.received
    assert not project.file("tests_longctx").exists()


def test_keys_are_named_before_anything_is_sent(project: Checkout) -> None:
    log = project.file("session.jsonl")
    log.write_text(
        log.read_text().replace("code of Depot7 is", "key is sk-ant-api03-abcdefghijklmnopqrst and of Depot7", 1)
    )
    made = project.longctx("window", "session.jsonl", "--model=toy")
    assert made.says("These look like keys, and would be sent: turn 31 has an Anthropic key (sk-ant…).")


def test_own_probes_are_tried_and_must_have_their_evidence(project: Checkout) -> None:
    own = [
        {
            "id": f"p{n}",
            "question": f"What is the code of Depot{n}?",
            "accept": [f"K{n}Q7"],
            "evidence": f"Depot{n} is K",
        }
        for n in (3, 30)
    ]
    json_lines(project.file("own.jsonl"), *own)
    with SimulatedServer(answering) as server:
        command = ("window", "session.jsonl", "--model=toy", f"--base-url={server.url}", "--yes", "--probes=own.jsonl")
        made = project.longctx(*command)
        assert made.says("Trying 2 probes: about $", "2 kept. Review:"), made.out + made.err
        json_lines(project.file("own.jsonl"), own[0] | {"evidence": "never said"})
        wrong = project.longctx(*command, "--force")
    assert wrong.code == 2
    assert wrong.says("the probe p3: no turn of the session is its turn or contains its evidence 'never said'")


@pytest.mark.parametrize(
    ("content", "told"),
    [
        ('{"messages": [{"ro', "line 1 is not JSON"),
        ('{"messages": [{"role": "user", "content": "Hello."}]}\n', "[session-too-short]"),
        (claude_code(60).replace(" is K", " has K"), "[no-probe-kept]"),
    ],
    ids=["half-a-line", "too-short", "without-facts"],
)
def test_a_log_that_cannot_be_used_is_named(project: Checkout, content: str, told: str) -> None:
    project.file("session.jsonl").write_text(content)
    with SimulatedServer(answering) as server:
        made = project.longctx("window", "session.jsonl", "--model=toy", f"--base-url={server.url}", "--yes")
    assert made.code == 2
    assert made.says(told), made.err


def test_a_model_that_drafts_no_question_is_named(project: Checkout) -> None:
    """Another session would not help."""
    with SimulatedServer(saying("I would rather not.")) as server:
        made = project.longctx("window", "session.jsonl", "--model=toy", f"--base-url={server.url}", "--yes")
    assert made.code == 2
    assert made.says("of toy has a question in the format of the prompt: use another model. [no-question-dr")


def test_a_fill_beyond_the_window_is_named(project: Checkout) -> None:
    with SimulatedServer(answering) as server:
        made = project.longctx(
            "window",
            "session.jsonl",
            "--model=toy",
            f"--base-url={server.url}",
            "--yes",
            "--fill=4000",
            "--fill=8000",
            "--strategy=none",
            "--number=10",
        )
        assert made.code == 0, made.err
        model = project.file("fixtures/models/toy.toml")
        model.write_text(model.read_text().replace("100000", "6000"))
        asked = len(server.asked)
        run = project.record(server, "--ctx-profile=window")
    assert run.code != 0
    assert run.says(
        "a fill of 8,000 tokens takes about", "whose window has 6,000: leave it out of `fill` in the profile"
    )
    assert all(len(json.dumps(body)) < 40_000 for body in server.asked[asked:])


def test_the_price_aim() -> None:
    from longctx.cli.window import Measuring
    from longctx.config.models import load_model
    from longctx.workspace import Workspace

    haiku = load_model(Workspace(Path.cwd()), "claude-haiku-5-5")
    price = Measuring([8000, 16000, 32000, 64000, 128000], ["none"], 60).price(haiku)
    assert price is not None
    assert price < 1


@pytest.mark.parametrize("profile", RECORDED)
def test_the_guide_shows_what_was_recorded(checkout: Checkout, profile: str) -> None:
    checkout.take(f"fixtures/profiles/{profile}.toml", *RECORDED[profile])
    replays = "".join(text for page in PAGES for _, text in blocks(page) if text.startswith(REPLAY))
    [shown] = [part for part in replays.split("$ ") if part.partition("\n")[0].endswith(f"--ctx-profile {profile}")]
    command, _, printed = shown.partition("\n")
    run = checkout.pytest(*shlex.split(command.removeprefix("pytest ")), profile=None)
    assert run.code == (10 if "--ctx-baseline" in command else 0), run.out + run.err
    assert not missing(printed, run.out), missing(printed, run.out)


@pytest.mark.parametrize(
    ("model", "fills"), [("qwen2.5-coder-0.5b", (2000, 4000, 8000)), ("qwen2.5-coder-1.5b", (2000, 4000))]
)
def test_the_table_of_the_guide_has_the_recorded_rates(model: str, fills: tuple[int, ...]) -> None:
    cells = []
    for fill in fills:
        grades = recorded_grades(f"{model}/test_window/fill-{fill}.jsonl", "plain")
        cells.append(str(Rate(grades["kept"], grades.total())).partition(" n=")[0])
    assert f"| {model} | {' | '.join(cells)} |" in GUIDE


def test_with_the_default_turn_the_small_model_says_that_it_does_not_know() -> None:
    grades = recorded_grades("qwen2.5-coder-0.5b/test_window/fill-2000.jsonl", "protocol")
    assert f"gives that answer to {grades['lost']} of the {grades.total()} probes at 2k" in GUIDE


def test_the_guide_says_how_many_questions_were_answered_at_each_number_of_chunks() -> None:
    cassettes = [f"qwen2.5-coder-0.5b/test_chunks/chunks-{number}.jsonl" for number in (1, 2, 4, 10)]
    *kept, last = (recorded_grades(cassette, "plain", "chunks/questions.jsonl")["kept"] for cassette in cassettes)
    said = f"answered {', '.join(map(str, kept))} and {last} correctly at 1, 2, 4 and 10 documents"
    assert said in GUIDE


@pytest.mark.parametrize(("strategy", "name"), LONG_STRATEGIES.items())
@pytest.mark.parametrize("model", ["0.5b", "1.5b"])
def test_the_table_of_the_long_session_has_the_recorded_rates(model: str, strategy: str, name: str) -> None:
    cells = []
    for fill in (4000, 8000, 16000, 28000):
        cassette = f"qwen2.5-coder-{model}/test_long_window/fill-{fill}{name}.jsonl"
        grades = recorded_grades(cassette, "plain", "long_window/probes.jsonl")
        cells.append(str(Rate(grades["kept"], grades.total())).partition(" n=")[0])
    assert f"| {model}, {strategy} | {' | '.join(cells)} |" in GUIDE


def test_the_guide_counts_the_tool_calls_of_the_long_session() -> None:
    calls = 0
    for name, model, fill in product(LONG_STRATEGIES.values(), ("0.5b", "1.5b"), (4000, 8000, 16000, 28000)):
        file = ROOT / f"cassettes/qwen2.5-coder-{model}/test_long_window/fill-{fill}{name}.jsonl"
        blocks_ = [first_block(json.loads(line)) for line in file.read_text(encoding="utf-8").splitlines()]
        called = sum(block["type"] == "tool_use" for block in blocks_)
        assert not called or (model, fill) == ("1.5b", 8000)
        calls += called * (not name)
    assert f"calls the tool for {calls} of the 25 probes" in GUIDE


def first_block(episode: dict[str, Any]) -> dict[str, Any]:
    """Return the first block of an answer."""
    block: dict[str, Any] = json.loads(episode["interactions"][0]["response"]["body"]["string"])["content"][0]
    return block


def recorded_grades(cassette: str, prompts: str, cases: str = "window/probes.jsonl") -> Counter[str]:
    """Return how often each grade was given to the answers of a cassette; there is one for each probe of a file."""
    lines = (ROOT / "tests_longctx" / cases).read_text(encoding="utf-8").splitlines()
    probes = {probe["id"]: Probe.of(probe) for probe in map(json.loads, lines)}
    grades = {}
    for line in (ROOT / "cassettes" / cassette).read_text(encoding="utf-8").splitlines():
        episode = json.loads(line)
        if episode["metadata"]["prompt_set"] == prompts:
            probe = episode["metadata"]["trial"].split("/")[2]
            grades[probe] = probes[probe].grade(first_block(episode).get("text", ""))
    assert grades.keys() == probes.keys()
    return Counter(grades.values())
