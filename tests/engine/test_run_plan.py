"""A run reads each file of its project once."""

from __future__ import annotations

import re
from typing import Any

import pytest

from longctx.engine.run import Run
from longctx.gate.rules import MARGIN
from longctx.workspace import Workspace
from tests.here import HERE
from tests.refusals import refused

TABLE = """
[line_retrieval]
lines = [3, 5]
orders = ["ordered"]
trials = 2
"""


def run(mine: Workspace, table: str = TABLE, **settings: Any) -> Run:
    mine.own("profiles", "only.toml").write_text(table)
    return Run(root=mine.root, **settings)


def test_the_cases_are_those_of_the_profile_as_the_user_said_them(mine: Workspace) -> None:
    plan = run(mine, model=("a", "b"), trials=7).plan
    assert [cell.id for cell in plan.cells] == [f"{model}-protocol-lines-{lines}" for model in "ab" for lines in (3, 5)]
    assert {cell.trials for cell in plan.cells} == {7}
    assert list(plan.models) == ["a", "b"]
    assert plan.cells_of("passkey") == ()
    assert set(plan.grids()) == {("line_retrieval", "a"), ("line_retrieval", "b")}


def test_the_margin_is_the_users_or_the_profiles(mine: Workspace) -> None:
    assert run(mine).plan.margin == MARGIN
    assert run(mine, f"margin = 0.1{TABLE}").plan.margin == 0.1
    assert run(mine, f"margin = 0.1{TABLE}", margin=0.01).plan.margin == 0.01


def test_a_file_is_read_once_until_the_run_forgets_its_plan(mine: Workspace) -> None:
    first = run(mine, model=("a",))
    before = first.plan.cells
    mine.own("models", "a.toml").write_text("window = 4096")
    assert [cell.model.window for cell in first.plan.cells] == [None, None]
    assert first.plan.cells == before
    first.forget_plan()
    assert [cell.model.window for cell in first.plan.cells] == [4096, 4096]


def test_a_profile_without_models_is_a_sentence(mine: Workspace) -> None:
    with refused("no-model", "only"):
        run(mine).plan.cells  # noqa: B018


LINES = 'models = ["toy"]' + TABLE
PASSKEY = 'models = ["toy"]\n[passkey]\nwindows = [256]\ndistances = 2\ntrials = 2\n'


@pytest.mark.parametrize(
    ("profile", "code", "named"),
    [
        (LINES.replace("[3, 5]", '"3"'), "bad-entries", "line_retrieval.lines"),
        (LINES.replace("trials = 2", "trials = 0"), "bad-entries", "line_retrieval.trials: "),
        (LINES.replace("trials = 2", ""), "bad-entries", "line_retrieval.trials: missing."),
        (
            LINES + "min_rate = 90\n",
            "bad-entries",
            "line_retrieval.min_rate: Input should be less than or equal to 1 (found 90)",
        ),
        (LINES.replace('"ordered"', "0"), "bad-entries", 'an order is "ordered", "shuffled", or a number of lines'),
        (LINES.replace('"ordered"', '"random"'), "bad-entries", "line_retrieval.orders.0: "),
        (LINES.replace('"ordered"', "9"), "bad-profile-table", "line_retrieval"),
        (LINES.replace("[3, 5]", "[]"), "bad-entries", "line_retrieval.lines"),
        (PASSKEY.replace("distances = 2", "distances = 300"), "bad-profile-table", "passkey"),
        (PASSKEY.replace("[256]", "[0]"), "bad-entries", "passkey.windows.0"),
        ("[lines]\n", "bad-entries", "lines: no such entry."),
        ("seed = 1\n", "empty-profile", "only"),
    ],
)
def test_a_mistake_in_the_profile_is_a_sentence(mine: Workspace, profile: str, code: str, named: str) -> None:
    with refused(code, named):
        run(mine, profile).plan.cells  # noqa: B018


def test_the_bank_of_a_table_is_there_before_anything_is_asked(mine: Workspace) -> None:
    table = '[collage]\nbudgets = [5000]\ntrials = 2\nbank = "register-gates"\n'
    with refused("unknown-bank", "register-gates", "'register-gate'"):
        run(mine, table, model=("a",)).plan.cells  # noqa: B018
    read = run(
        mine, table, model=("a",), corpus=HERE.own("handbook"), questions=HERE.own("questions", "handbook.jsonl")
    )
    assert read.plan.cells[0].point.indices(2), "what the user says counts instead"


def test_a_collage_of_the_bank_for_gates_is_of_many_issues(mine: Workspace) -> None:
    table = '[collage]\nbudgets = [95000]\ntrials = 1\nvariants = ["two"]\nbank = "register-gate"\n'
    [first, *_] = run(mine, table, model=("a",)).plan.cells
    [trial] = first.each_trial()
    text = trial.build().user
    assert text.count("[VR Doc. ") > 40
    assert len(set(re.findall(r"\[VR Doc\. (\d{4})–", text))) == 7


@pytest.mark.parametrize(("smaller", "trials", "of_lines"), [("gate-pr", 234, 58), ("gate-short", 328, 160)])
def test_what_the_larger_profile_for_gates_recorded_serves_the_smaller(
    smaller: str, trials: int, of_lines: int
) -> None:
    large, small = (
        {trial.key for cell in Run(name, "a", root=HERE.root).plan.cells for trial in cell.each_trial()}
        for name in ("gate", smaller)
    )
    assert (len(large), len(small)) == (3684, trials)
    shared = {key for key in small if "/line_retrieval" in key}
    assert len(shared) == of_lines
    assert shared < large


def test_a_profile_that_code_gives_keeps_the_token_counts_of_the_file(mine: Workspace) -> None:
    counts = '[[measured]]\ntest = "passkey"\nwording = "0"\non = 2026-01-01\nvalues = { filler = 24 }\n'
    mine.own("models", "a.toml").write_text(counts)
    model = run(mine, model_profiles={"a": {"window": 4096}}).plan.model("a")
    assert (model.window, model.token_values("passkey", "0")) == (4096, {"filler": 24})
