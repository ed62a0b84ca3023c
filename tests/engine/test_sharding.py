"""The cells that a shard takes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from longctx.config.project import Shard
from longctx.engine.run import Run
from longctx.workspace import Workspace
from tests.here import HERE

RECORDED = "recorded"


def run(workspace: Workspace = HERE, **settings: Any) -> Run:
    return Run(root=workspace.root, **settings)


def ids(**settings: Any) -> list[str]:
    return [cell.id for cell in run(**settings).plan.cells]


@pytest.mark.parametrize("of", [1, 2, 5])
def test_the_shards_are_the_complete_grid_and_each_keeps_its_order(of: int) -> None:
    whole = ids(profile=RECORDED)
    parts = [ids(profile=RECORDED, shard=Shard(number, of)) for number in range(1, of + 1)]
    assert sorted(name for part in parts for name in part) == sorted(whole)
    assert all(part == [name for name in whole if name in part] for part in parts)


@pytest.mark.parametrize("of", [2, 3, 4, 5])
def test_each_takes_about_the_same_number_of_tokens(of: int) -> None:
    tokens = []
    for number in range(1, of + 1):
        cells = run(profile=RECORDED, shard=Shard(number, of)).plan.cells
        tokens.append(sum(cell.size_tokens * cell.trials for cell in cells))
    assert max(tokens) <= 1.1 * sum(tokens) / of


def test_neither_trials_nor_what_a_model_tells_of_itself_move_a_cell(mine: Workspace) -> None:
    """The server may measure the model's tokens while the shards run."""
    profile = mine.own("profiles", "only.toml")
    table = '[[line_retrieval]]\nmodels = ["a"]\nlines = {}\norders = ["ordered", 2]\ntrials = {}\n'
    profile.write_text(table.format("[5, 10, 20]", 2) + table.format("[40, 80]", 3))
    before = [cell.id for cell in run(mine, shard=Shard(1, 3)).plan.cells]
    assert before
    profile.write_text(table.format("[5, 10, 20]", 90) + table.format("[40, 80]", 3))
    mine.own("models", "a.toml").write_text("[tokens]\nline = 40")
    assert [cell.id for cell in run(mine, shard=Shard(1, 3)).plan.cells] == before


def test_all_wordings_of_a_cell_are_in_one_shard() -> None:
    """Only one job writes the cassette of a cell."""
    for number in (1, 2, 3):
        cells = run(profile="lines", prompts=("protocol", "chatty"), shard=Shard(number, 3)).plan.cells
        files = [cell.file for cell in cells]
        assert all(files.count(file) == 2 for file in files)


def test_a_shard_knows_all_models_of_the_grid(mine: Workspace, tmp_path: Path) -> None:
    mine.own("profiles", "only.toml").write_text('[line_retrieval]\nlines = [3]\norders = ["ordered"]\ntrials = 1\n')
    plans = [run(mine, model=("a", "b"), shard=Shard(number, 9)).plan for number in range(1, 10)]
    assert all(list(plan.models) == ["a", "b"] for plan in plans)
    assert sum(len(plan.cells) for plan in plans) == 2
