"""What changed in the texts that tests send, as differences in the verdict."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable

import pytest

from tests.given import json_lines
from tests.integration.conftest import MANY, Checkout, Result, copied, with_baseline
from tests.integration.functions import ask, code, judged, run
from tests.servers import SimulatedServer

SECRET = f"sk-ant-{'a1' * 20}"
TESTS = f"""
import pytest

SYSTEM = \"\"\"You work at the desk.
Use the key {SECRET}.
Answer with the number alone.\"\"\"
TOOLS = [{{"name": "look_up", "description": "Looks up.\\nReturns a number.", "input_schema": {{"type": "object"}}}}]


@pytest.mark.longctx(trials=30)
@pytest.mark.parametrize("part", [1, 2])
def test_desk(ask, draw, part):
    number = draw.integer(100, 999)
    assert ask(f"The code is {{number}}.", system=SYSTEM, tools=TOOLS, max_tokens=40).text == str(number)


@pytest.mark.longctx(trials=30)
def test_other(ask, draw):
    assert ask(f"Other: the code is {{draw.integer(100, 999)}}", system=SYSTEM).text


@pytest.mark.longctx(cases="cases.jsonl")
def test_cases(ask, case):
    assert ask(case.question).integer() == case.answer
"""
CASES = [
    {"id": f"q{number}", "question": f"The code is {100 + number}.", "answer": 100 + number, "about": "x" * 3000}
    for number in range(30)
]
BASELINE = "fixtures/baselines/main.jsonl"


@pytest.fixture(scope="module")
def gated_once(fresh: Callable[[], Checkout]) -> Checkout:
    project = fresh()
    project.functions(TESTS)
    json_lines(project.file("tests_longctx/cases.jsonl"), *CASES)
    with SimulatedServer(code) as server:
        result = ask(project, server, "-n", "2")
        assert result.code == 0, result
    assert project.longctx("baseline", "save", "main").code == 0
    return project


gated = copied("gated_once")
protocol_once = with_baseline(MANY)
protocol = copied("protocol_once")


def changed(project: Checkout, *replacements: tuple[str, str], page: bool = False) -> Result:
    """Record the tests again with other texts, gated."""
    path = project.file("tests_longctx/test_functions.py")
    for before, after in replacements:
        assert before in path.read_text()
        path.write_text(path.read_text().replace(before, after))
    with SimulatedServer(code) as server:
        return ask(project, server, "--ctx-baseline=main", "-n", "2", "-v", mode="new_episodes", page=page)


def gate_md(project: Checkout) -> str:
    return project.file("reports/latest/gate.md").read_text()


def test_a_changed_system_prompt_is_a_difference(gated: Checkout) -> None:
    result = changed(gated, ("number alone.", "number alone, please."), page=True)
    for shown in (result.out, gate_md(gated)):
        assert "system prompt of test_desk, test_other" in shown
        assert "-Answer with the number alone." in shown
        assert "+Answer with the number alone, please." in shown
        assert "90 of 120 requests differ (test_desk, test_other): system; " in shown
        assert "parameters of" not in shown
    again = gated.longctx("gate", BASELINE, "reports/latest", "-v")
    assert "+Answer with the number alone, please." in again.out
    assert "+Answer with the number alone, please." in gated.file("reports/latest/index.html").read_text()


def test_tools_and_parameters_are_differences(gated: Checkout) -> None:
    result = changed(gated, ("Returns a number.", "Returns a code."), ("max_tokens=40", "max_tokens=41"))
    text = gate_md(gated)
    assert result.says("tools of test_desk", "Returns a number.", "parameters of test_desk")
    assert "-max_tokens: 40\n+max_tokens: 41" in text
    assert "-    Returns a number.\n+    Returns a code." in text


def test_changed_cases_are_differences(gated: Checkout) -> None:
    """The end of a long text in a case is folded."""
    cases = [dict(case) for case in CASES]
    cases[3]["answer"] = 1003
    cases[4]["about"] = "x" * 2999 + "y"
    json_lines(gated.file("tests_longctx/cases.jsonl"), *cases)
    result = run(gated, "--ctx-baseline=main", "-n", "2", "-v")
    text = gate_md(gated)
    assert result.says("case q3 of test_cases, 1 of 2 that changed", "case q4 of test_cases, 1 of 2 that changed")
    assert "-answer: 103\n+answer: 1003\n" in text
    assert "-  … 1,000 more characters, SHA-256 " in text
    assert "+  … 1,000 more characters, SHA-256 " in text
    assert "x" * 400 not in text


def test_no_key_is_kept_or_shown(gated: Checkout) -> None:
    result = changed(gated, ("Use the key", "Always use the key"))
    kept = [gated.file(name).read_text() for name in (BASELINE, "reports/latest/run.json")]
    for shown in (result.out, gate_md(gated), *kept):
        assert SECRET not in shown
        assert "se the key [redacted]" in shown


def test_a_baseline_without_texts_has_the_same_verdict_and_its_sentence(gated: Checkout) -> None:
    changed(gated, ("number alone.", "number alone, please."))
    verdict, file = judged(gated), gated.file(BASELINE)
    first, _, rest = file.read_text().partition("\n")
    kept = json.loads(first)
    assert set(kept["run"].pop("texts")) == {"system", "tools", "parameters", "case"}
    file.write_text(f"{json.dumps(kept)}\n{rest}")
    result = run(gated, "--ctx-baseline=main", "-n", "2", "-v")
    assert judged(gated) == verdict
    assert "system prompt of" not in result.out
    assert "90 of 120 requests differ (test_desk, test_other): system; " in result.out


def test_nothing_is_kept_of_a_run_without_text(gated: Checkout) -> None:
    assert run(gated, env={"LONGCTX_TEXT": "0"}).code == 0
    assert not json.loads(gated.file("reports/latest/run.json").read_text())["texts"]


def record_protocol(project: Checkout, *arguments: str) -> Result:
    with SimulatedServer() as server:
        return project.record(server, "--ctx-baseline=main", "-n", "2", "-v", *arguments, mode="new_episodes")


def test_system_prompt_and_parameters_of_a_protocol_are_differences(protocol: Checkout) -> None:
    """Those of its model's profile, which a replay shows, too."""
    profile = protocol.file("fixtures/models/toy.toml")
    profile.parent.mkdir(parents=True, exist_ok=True)
    profile.write_text(f'model = "toy"\nsystem = "Be brief.\\nKey {SECRET}."\n[extra_body]\ntemperature = 0.5\n')
    assert record_protocol(protocol).code == 0
    recorded = gate_md(protocol)
    assert protocol.pytest("--ctx-baseline=main", "-v").code == 0
    for shown in (recorded, gate_md(protocol)):
        assert "system prompt of line_retrieval" in shown
        assert "+Be brief.\n+Key [redacted]." in shown
        assert "parameters of line_retrieval" in shown
        assert "\n+temperature: 0.5\n" in shown
    assert SECRET not in protocol.file("reports/latest/run.json").read_text()


def test_a_system_prompt_of_a_prompt_set_is_one_difference(protocol: Checkout) -> None:
    shutil.copytree(protocol.file("fixtures/prompts/protocol"), protocol.file("fixtures/prompts/mine"))
    protocol.file("fixtures/prompts/mine/line_retrieval/system.txt").write_text("Be kind.\n")
    assert record_protocol(protocol, "--ctx-prompts=mine").code == 0
    text = gate_md(protocol)
    assert "fixtures/prompts/mine/line_retrieval/system.txt" in text
    assert text.count("+Be kind.") == 1


def test_a_protocol_without_text_keeps_none(protocol: Checkout) -> None:
    assert protocol.pytest(env={"LONGCTX_TEXT": "0"}).code == 0
    assert not json.loads(protocol.file("reports/latest/run.json").read_text())["texts"]


SINCE = "What changed since the recording: "


def test_a_stale_replay_of_a_protocol_shows_what_changed(protocol: Checkout) -> None:
    """Once, whatever process found it; without a run that keeps the recorded texts, the sentence alone."""
    template = protocol.file("fixtures/prompts/protocol/line_retrieval/instruction.txt")
    template.write_text(template.read_text().replace("report only", "report just"))
    result = protocol.pytest("-n", "2")
    assert result.code == 1
    assert result.says("80 of 80 trials are stale: the recorded prompt set is 'protocol' (")
    assert result.out.count(f"{SINCE}fixtures/prompts/protocol/line_retrieval/instruction.txt") == 1
    assert "report just REGISTER_CONTENT" in result.out
    for folder in ("reports", "fixtures/baselines"):
        shutil.rmtree(protocol.file(folder))
    again = protocol.pytest()
    assert again.says("80 of 80 trials are stale")
    assert SINCE not in again.out


def test_a_stale_replay_of_test_functions_shows_what_changed(gated: Checkout) -> None:
    path = gated.file("tests_longctx/test_functions.py")
    path.write_text(path.read_text().replace("number alone.", "number alone, please.").replace("Use the", "Have the"))
    result = run(gated, "-n", "2")
    assert result.code == 1
    assert result.out.count(SINCE) == 1
    assert result.says(f"{SINCE}system prompt of test_", "-Use the key [redacted].", "+Have the key [redacted].")
    assert result.says("+Answer with the number alone, please.", "30 of 30 trials are stale")
    assert SECRET not in result.out
    assert SINCE not in run(gated, env={"LONGCTX_TEXT": "0"}).out
