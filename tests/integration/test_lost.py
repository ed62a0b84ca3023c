"""The answers that a gated run lost, where people decide: terminal, gate.md, the summary of a job."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable
from typing import Any

import pytest

from tests.integration import functions
from tests.integration.conftest import LINES, NO_TEXT, Checkout
from tests.servers import Answer, Body, Script, SimulatedServer, message, prompt_of, saying

AT_ONCE = 'looks = "once"\n'
MANY = LINES.replace("[3, 5]", "[3]").replace("trials = 2", "trials = 40")


def test_they_are_named_with_both_answers_and_a_command_lists_all(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(MANY)
    checkout.record(server)
    checkout.longctx("baseline", "save", "main")
    step = checkout.file("step.md")
    server.script = saying("The register holds <13>.")
    checkout.profile(AT_ONCE, MANY)
    result = checkout.record(server, "--ctx-baseline=main", mode="all", env={"GITHUB_STEP_SUMMARY": str(step)})
    assert result.code == 10
    right = next(row["expected"] for row in checkout.rows() if row["trial"] == 0)
    [line] = [line for line in result.out.splitlines() if line.startswith("line_retrieval/lines-3#0 ")]
    assert "[EXECUTE THIS]: Go to line" in line
    assert line.count(f" {right} ") == 2, "expected, and the reply before"
    assert result.out.count("line_retrieval/lines-3#") == 20
    for text in (checkout.file("reports/latest/gate.md").read_text(), step.read_text()):
        assert text.count("line_retrieval/lines-3#") == 5
        assert text.count("`[EXECUTE THIS]: Go to line ") == 5
        assert text.index("### ❌ longctx: 40 of 40 answers lost") < text.index("5 of 40 lost answers</summary>")
    [note] = [line for line in result.out.splitlines() if "40 answers were lost" in line]
    command = shlex.split(note.partition("To see all: ")[2])
    assert command[:4] == ["python", "-m", "longctx", "compare"]
    assert checkout.longctx(*command[3:]).out.count("line_retrieval/lines-3#") == 40


def test_a_run_without_text_names_them_alone(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(MANY)
    checkout.record(server)
    checkout.longctx("baseline", "save", "main")
    server.script = saying("13")
    checkout.profile(AT_ONCE, MANY)
    result = checkout.record(server, "--ctx-baseline=main", mode="all", env=NO_TEXT)
    assert result.code == 10
    [line] = [line for line in result.out.splitlines() if line.startswith("line_retrieval/lines-3#0 ")]
    assert line.split()[1:] == ["-", "wrong"]


PRODUCT = """
import pytest


@pytest.mark.longctx(trials=60)
def test_order(ask, draw, check):
    number = draw.integer(1000, 9999)
    text = product(ask, f"order {number}")
    check("polite", "please" in text)
    assert str(number) in text


@pytest.mark.longctx(trials=60)
def test_policy(ask, draw):
    assert "70 days" in product(ask, f"policy {draw.integer(1000, 9999)}")


def product(ask, question):
    "Two requests, as a loop with tools has."
    client = ask.client()
    turns = [{"role": "user", "content": question}]
    for then in ("Are you sure?", None):
        reply = client.messages.create(model="toy", max_tokens=99, messages=turns)
        text = "".join(block.text for block in reply.content)
        if then:
            turns += [{"role": "assistant", "content": text}, {"role": "user", "content": then}]
    return text
"""


def desk(forgets: int) -> Script:
    """Return answers of a desk that forgets: policies more often than orders, and the word please in some."""

    def answer(body: Body) -> Answer:
        what, number = prompt_of(body).splitlines()[0].split()[:2]
        kind = int(number) % 10
        if what == "policy":
            text = "70 days." if kind >= 2 * forgets else "30 days."
        else:
            said = f"Parcel {number}, please." if kind >= forgets else "It is on its way, please."
            text = said if kind < 9 or not forgets else said.replace(", please", "")
        return 200, {}, message(text, body)

    return answer


@pytest.fixture(scope="module")
def product_once(fresh: Callable[[], Checkout]) -> Checkout:
    project = fresh()
    project.functions(PRODUCT)
    with SimulatedServer(desk(0)) as server:
        assert functions.ask(project, server).code == 0
    assert project.longctx("baseline", "save", "main").code == 0
    with SimulatedServer(desk(2)) as server:
        result = functions.ask(project, server, "--ctx-baseline=main", "--verbosity=0", mode="all")
    assert result.code == 10, result
    project.file("out.txt").write_text(result.out)
    return project


def lost_of(project: Checkout) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Return the rows of the trials that were not right, and of those that only a check was not."""
    rows = [row for row in project.rows() if row["outcome"] != "correct"]
    trials = [row for row in rows if "." not in row["test"]]
    return trials, [row for row in rows if "." in row["test"]]


def test_each_trial_is_named_once_with_both_answers_and_the_reason(product_once: Checkout) -> None:
    """A check that was lost is a remark, and no answer."""
    trials, checks = lost_of(product_once)
    assert checks
    text = product_once.file("reports/latest/gate.md").read_text()
    assert f"- {len(trials)} answers were lost: right in the baseline and not in this run; the first 20 are" in text
    lines = [line for line in text.splitlines() if re.search(r"\| `test_\w+(\.\w+)?/all#\d+` \|$", line)]
    named = [re.findall("`([^`]+)`", line) for line in lines]
    assert len({trial for *_, trial in named}) == len(named) == 5
    assert [trial.partition("/")[0] for *_, trial in named] == ["test_policy"] * 3 + ["test_order"] * 2
    assert {tuple(cells[1:4]) for cells in named[:3]} == {("70 days.", "30 days.", "assert '70 days' in '…'")}
    assert all(re.fullmatch(r"policy \d+", cells[0]) for cells in named[:3])
    assert all(re.fullmatch(r"Parcel \d+, please\.", cells[1]) for cells in named[3:])


def test_the_terminal_names_the_worst_test_first(product_once: Checkout) -> None:
    out = product_once.file("out.txt").read_text()
    named = [line for line in out.splitlines() if re.match(r"test_\w+/all#\d+: ", line)]
    assert [line.partition("/")[0] for line in named] == ["test_policy", "test_policy", "test_order"]
    assert re.fullmatch(
        r"test_policy/all#\d+: policy \d+ \"70 days\.\" → \"30 days\.\": assert '70 days' in '…'", named[0]
    )
    trials, checks = lost_of(product_once)
    wrong = {row["trial"] for row in trials if row["test"] == "test_order"}
    alone = sum(row["trial"] not in wrong for row in checks)
    assert f"… {len(trials) + alone - 3} more lost: python -m longctx compare " in out


def test_gate_on_the_folders_and_on_the_baseline_file_says_the_same(product_once: Checkout) -> None:
    """A baseline file and one run are no canary."""
    whole = product_once.longctx("gate", "fixtures/baselines/main.jsonl", "reports/latest", "-v")
    first = next(path for path in sorted(product_once.file("reports").iterdir()) if path.name[:2] == "20")
    folders = product_once.longctx("gate", f"reports/{first.name}", "reports/latest", "-v")
    assert (whole.code, folders.code) == (10, 10), whole
    assert whole.out.splitlines()[0] == folders.out.splitlines()[0]
    for result in (whole, folders):
        assert result.out.count("test_policy/all#") == 10
        assert result.says("70 days.", "30 days.")
        [note] = [line for line in result.out.splitlines() if "To see all: " in line]
        every = product_once.longctx(*shlex.split(note.partition("To see all: ")[2])[3:])
        lost = {f"{row['test']}/all#{row['trial']}" for row in lost_of(product_once)[0]}
        assert {trial for trial in lost if f"{trial} " not in every.out} == set()


def test_counts_of_trials_leave_checks_out(product_once: Checkout) -> None:
    text = product_once.file("reports/latest/gate.md").read_text()
    [note] = [line for line in text.splitlines() if "All bands together" in line]
    assert re.search(r"lost and \d+ gained of 180, checks counted", note)
