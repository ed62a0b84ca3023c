"""A judge that treats the new model otherwise: labels of the run's own answers make the verdict hold."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import Checkout, Result, needs_git
from tests.integration.functions import ask
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

TESTS = """
import pytest


@pytest.mark.longctx(cases="cases.jsonl")
def test_tone(ask, check, judge, case):
    reply = ask(f"Answer {case.id}.")
    said = judge(f"Is this answer polite?\\n{reply.text}\\nY or N.").choice("YN")
    check("polite", said == "Y")
"""
PROFILE = 'margin = 0.2\nmodels = ["toy"]\njudge = "referee"\n'
CASES = 120
Rule = Callable[[int], bool]


def model_and_judge(polite: Rule, misread: Rule) -> Callable[[Body], Answer]:
    """Return a server. polite: whether the reply to a case is. misread: whether the judge errs on it."""

    def answer(body: Body) -> Answer:
        prompt = prompt_of(body)
        [number] = map(int, re.findall("case-([0-9]+)", prompt))
        if body["model"] == "referee":
            return 200, {}, message("NY"[("please" in prompt) != misread(number)], body)
        return 200, {}, message(f"case-{number}, {'please' if polite(number) else 'now'}", body)

    return answer


def never(number: int) -> bool:
    return False


def most(number: int) -> bool:
    return number % 10 != 0


def fewer(number: int) -> bool:
    return number % 10 > 3


LENIENT = model_and_judge(fewer, lambda number: 0 < number % 10 <= 3)
"""A model that fell by 30 points, and a judge that calls all that it lost right."""
HARSH = model_and_judge(most, lambda number: number % 10 in (5, 6, 7))
"""A model that did not change, and a judge that calls much of what it kept wrong."""


@pytest.fixture
def project(checkout: Checkout) -> Checkout:
    checkout.profile(PROFILE)
    checkout.functions(TESTS)
    lines = [json.dumps({"id": f"case-{number}"}) for number in range(CASES)]
    checkout.file("tests_longctx/cases.jsonl").write_text("\n".join(lines))
    with SimulatedServer(model_and_judge(most, never)) as server:
        ask(checkout, server, profile="tiny.toml")
    checkout.longctx("baseline", "save", "main")
    return checkout


def gated(project: Checkout, script: Callable[[Body], Answer]) -> Result:
    with SimulatedServer(script) as server:
        return ask(project, server, "--ctx-baseline=main", mode="all", profile="tiny.toml", page=True)


def replayed(project: Checkout, *arguments: str, **options: Any) -> Result:
    return project.pytest("tests_longctx/test_functions.py", "--ctx-baseline=main", *arguments, **options)


def to_label(project: Checkout) -> list[dict[str, str]]:
    result = project.longctx("data", "labels", "--force")
    assert result.code == 0, result
    with project.file("labels.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def write(file: Path, lines: list[dict[str, str]]) -> None:
    with file.open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, [*lines[0]])
        writer.writeheader()
        writer.writerows(lines)


def label(project: Checkout) -> list[dict[str, str]]:
    """Label answers as people who read them do."""
    lines = to_label(project)
    for line in lines:
        line["label"] = "right" if "please" in line["reply"] else "wrong"
    write(project.file("labels.csv"), lines)
    return lines


LABELS = "--ctx-judge-labels=labels.csv"


@pytest.mark.parametrize(
    ("script", "looks", "number", "by_grades", "by_people"),
    [(LENIENT, "once", 2 * (80 + 12), 0, 10), (HARSH, "few", 2 * 42, 10, 0)],
)
def test_labels_of_the_runs_answers_make_the_verdict_hold(
    project: Checkout, script: Callable[[Body], Answer], looks: str, number: int, by_grades: int, by_people: int
) -> None:
    """All that are not right twice and 80 of the others; or all 42 that were asked before an early stop."""
    project.profile(f'looks = "{looks}"\n{PROFILE}')
    live = gated(project, script)
    assert live.code == by_grades, live.out
    assumed = "equal errors of its judge before and after are assumed"
    assert live.says(assumed)
    folder = project.file("reports/latest")
    for name in ("gate.md", "index.html"):
        assert assumed in (folder / name).read_text(encoding="utf-8"), name
    lines = label(project)
    assert {line["asked of the judge"] for line in lines} == {"Is this answer polite?\\n[the answer]\\nY or N."}
    assert len(lines) == number
    verdicts = []
    for workers in ("-n0", "-n2"):
        result = replayed(project, LABELS, workers)
        assert result.code == by_people, result.out
        assert result.says("the verdict holds whatever its judge's errors are")
        assert not result.says(assumed)
        verdicts.append(json.dumps(project.gate()["tests"]))
    assert len(set(verdicts)) == 1
    command = "gate", "fixtures/baselines/main.jsonl", "reports/latest", "--judge-labels=labels.csv"
    assert project.longctx(*command).code == by_people
    assert replayed(project).code == by_grades


def test_labels_that_are_not_of_this_run_or_contradict_or_lack_are_named(project: Checkout) -> None:
    gated(project, LENIENT)
    lines = label(project)
    file = project.file("labels.csv")
    half = [line | {"label": ""} if place < 7 else line for place, line in enumerate(lines)]
    twice = [*lines, lines[0] | {"label": "wrong" if lines[0]["label"] == "right" else "right"}]
    other = [lines[0] | {"answer": "0123456789ab"}, *lines[1:]]
    for changed, code, said, status in (
        (half, "labels-missing", f"7 of {len(lines)} answers have no label", 4),
        (twice, "contradictory-labels", "is labelled `right` and `wrong`", 4),
        ([lines[0] | {"label": "maybe"}, *lines[1:]], "bad-label", "the label 'maybe' is neither", 4),
        (other, "labels-of-another-run", f"1 of {len(lines)} labels are of answers that are not to be labelled", 12),
        (lines[5:], "labels-missing", f"5 of {len(lines)} answers of this run have no label", 12),
    ):
        write(file, changed)
        result = replayed(project, LABELS)
        assert result.says(code, said), result.out
        assert result.code == status
    file.write_text("no,labels\n1,2\n")
    assert replayed(project, LABELS).says("bad-labels-file")
    assert project.pytest("tests_longctx/test_functions.py", LABELS).says("labels-without-gate")


def test_a_later_run_of_a_change_is_judged_by_its_own_labels(project: Checkout) -> None:
    project.profile(f'looks = "once"\n{PROFILE}')
    assert [gated(project, HARSH).code for _ in range(2)] == [10, 10]
    label(project)
    result = replayed(project, LABELS)
    assert result.code == 0, result.out
    assert result.says("run 2 of this change: pass · 120 answers to 120 requests, judged together at 0.5%")
    assert project.gate()["labelled"] == ["test_tone", "test_tone.polite"]


@needs_git
def test_labels_of_a_stranger_are_not_trusted(project: Checkout) -> None:
    project.git("init", "--quiet", "--initial-branch=main")
    project.git("add", "cassettes")
    project.git("commit", "--quiet", "--message", "Recordings")
    refused = replayed(project, LABELS, env={"LONGCTX_TRUST": "base", "LONGCTX_BASE": "main"})
    assert (refused.code, refused.says("labels-not-trusted")) == (4, True)


def test_what_no_judge_graded_has_nothing_to_label(project: Checkout) -> None:
    kept = [line for line in TESTS.splitlines() if "judge(" not in line and "check(" not in line]
    project.functions("\n".join([*kept, "    assert reply.text", ""]))
    replayed(project)
    assert project.longctx("data", "labels").says("nothing-judged")


@pytest.mark.parametrize(
    ("name", "code"), [("other", "run-not-gated"), ("../secret", "bad-baseline-name"), (None, "run-not-gated")]
)
def test_the_folder_of_a_run_names_no_file_outside_the_baselines(
    project: Checkout, name: str | None, code: str
) -> None:
    replayed(project)
    file = project.file("reports/latest/gate.json")
    file.write_text(json.dumps(json.loads(file.read_text()) | {"baseline": name}))
    assert project.longctx("data", "labels").says(code)
    assert project.longctx("data", "labels", "--baseline=main").code == 0


def test_texts_that_are_not_kept_are_named(project: Checkout) -> None:
    gated(project, LENIENT)
    for file in project.file("cassettes").rglob("*.jsonl"):
        file.unlink()
    assert project.longctx("data", "labels").says("texts-not-kept")
