"""The cells of a profile."""

from __future__ import annotations

import functools
import shutil
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from longctx.cells.cell import Cell, TableChoices, cells_of, sized
from longctx.config.models import ModelProfile
from longctx.config.profiles import load_profile
from longctx.corpus.question_bank import load_bank
from longctx.protocols.line_retrieval import LineRetrievalAxes
from longctx.protocols.passkey import PasskeyAxes
from longctx.vocabulary.bank import Bank
from tests.given import written
from tests.here import HERE
from tests.protocols import Collage, Control, LineRetrieval, Passkey
from tests.protocols.bank import no_bank, small_bank
from tests.refusals import refused

TABLES = """
seed = 3
[[line_retrieval]]
models = ["one", "two"]
lines = [5, 10]
orders = ["ordered"]
trials = 4
min_rate = 0.5
bands = { short = 5, long = 10 }
[[line_retrieval]]
models = ["two"]
lines = [10, 20]
orders = ["ordered"]
trials = 9
"""


def choices(bank: Callable[[str, str], Bank], prompts: Sequence[str] = ()) -> TableChoices:
    return TableChoices(workspace=HERE, models=lambda grid: grid.models, bank=bank, prompts=prompts)


def cells(folder: Path, *prompts: str) -> list[Cell]:
    profile = load_profile(HERE, str(written(folder / "mine.toml", TABLES)))
    return cells_of(profile, LineRetrieval, choices(no_bank, prompts))


def test_each_point_model_and_wording_is_one_cell_and_the_first_table_counts(tmp_path: Path) -> None:
    made = cells(tmp_path)
    slugs = [(cell.model.model, cell.point.length, cell.trials, cell.band) for cell in made]
    assert slugs == [
        ("one", 5, 4, "short"),
        ("one", 10, 4, "long"),
        ("two", 5, 4, "short"),
        ("two", 10, 4, "long"),
        ("two", 20, 9, "all"),
    ]
    assert {(cell.seed, cell.wording.prompt_set) for cell in made} == {(3, "protocol")}
    assert [cell.min_rate for cell in made] == [0.5] * 4 + [None]


def test_a_band_without_trials_is_left_out(tmp_path: Path) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(TABLES.replace("trials = 4", "trials = { long = 6 }").replace("trials = 9", "trials = { all = 2 }"))
    profile = load_profile(HERE, str(file))
    made = cells_of(profile, LineRetrieval, choices(no_bank))
    assert [(cell.id, cell.trials) for cell in made] == [
        ("one-protocol-lines-10", 6), ("two-protocol-lines-10", 6), ("two-protocol-lines-20", 2),
    ]  # fmt: skip


def test_prompts_count_instead_of_the_tables_own(tmp_path: Path) -> None:
    made = cells(tmp_path, "chatty")
    assert {cell.wording.prompt_set for cell in made} == {"chatty"}
    assert len(made) == 5


def test_a_test_that_the_profile_leaves_out_has_none(tmp_path: Path) -> None:
    cells(tmp_path)
    profile = load_profile(HERE, str(tmp_path / "mine.toml"))
    assert cells_of(profile, Passkey, choices(no_bank, ["no such prompts"])) == []


def test_two_prompt_sets_of_one_name_are_refused(tmp_path: Path) -> None:
    twin = shutil.copytree(HERE.own("prompts", "protocol"), tmp_path / "protocol")
    with refused("duplicate-prompt-set-name", "protocol"):
        cells(tmp_path, "protocol", str(twin))


BANKS = """
[[control]]
models = ["one"]
trials = 2
records = ["right"]
[[control]]
models = ["{model}"]
trials = 2
records = ["right"]
bank = "register-gate"
"""


def of_banks(folder: Path, model: str) -> list[Cell]:
    file = written(folder / "banks.toml", BANKS.format(model=model))
    bank = functools.partial(load_bank, HERE, None, None)
    return cells_of(load_profile(HERE, str(file)), Control, choices(bank))


def test_each_table_asks_the_questions_of_its_bank(tmp_path: Path) -> None:
    shipped, gate = of_banks(tmp_path, "two")
    names = [[trial.build().identity.item for trial in cell.each_trial()] for cell in (shipped, gate)]
    assert all(name.startswith("register-0") and name.endswith("@fbfefd978866") for name in names[0])
    assert all(name.startswith("register-2") and name.endswith("@5da5639565dd") for name in names[1])


def test_one_result_is_not_of_two_banks(tmp_path: Path) -> None:
    with refused("cell-of-two-banks", "one longest-5000-record-right"):
        of_banks(tmp_path, "one")


def shared_window(window: int | None = 100_000, **model: Any) -> list[str]:
    table = LineRetrievalAxes(
        trials=1, lines=(20, 0.1, 1.0), orders=("ordered",), max_tokens=64, bands={"short": 0.1, "long": 1.0}
    )
    grid = sized(table, ModelProfile(model="toy", window=window, **model))
    return [f"{point.slug} {grid.band(point)}" for point in grid.made_cells(small_bank)]


def test_shares_of_a_window_are_sizes_that_name_what_is_asked() -> None:
    """(10,000 - 64 - 100) / 15 = 655.7 and (100,000 - 64 - 100) / 15 = 6,655.7 lines, in three digits."""
    assert shared_window() == ["lines-20 short", "lines-655 short", "lines-6650 long"]


def test_reply_thinking_and_tools_lie_inside_a_share() -> None:
    assert shared_window(thinking_tokens=4096)[1:] == ["lines-382 short", "lines-6380 long"]
    tools = [{"name": "look_up", "description": "x" * 9000, "input_schema": {"type": "object"}}]
    assert shared_window(extra_body={"tools": tools})[1:] < shared_window()[1:]


def test_a_size_of_a_share_stays_the_same_when_a_little_less_room_is_left() -> None:
    assert shared_window(system="You are terse.") == shared_window()


def test_shares_need_a_window() -> None:
    with refused("share-without-window", "toy", "models probe toy"):
        shared_window(window=None)


def test_a_share_without_room() -> None:
    with refused("share-too-small", "toy", "0.1", "40,000"):
        shared_window(thinking_tokens=40_000)


def test_a_share_in_which_a_cell_cannot_be_made(tmp_path: Path) -> None:
    file = written(tmp_path / "eighth.toml", "[collage]\nbudgets = [0.125]\ntrials = 2\n")
    bank = functools.partial(load_bank, HERE, None, None)
    with refused("share-too-small", "qwen2.5-coder-0.5b", "`longest`"):
        chosen = replace(choices(bank), models=lambda _: ["qwen2.5-coder-0.5b"])
        cells_of(load_profile(HERE, str(file)), Collage, chosen)


@pytest.mark.parametrize("size", [0, -5, 0.0, 1.5, -0.5, True, "0.5"])
def test_what_is_no_size(size: object) -> None:
    with pytest.raises(ValueError, match="share of the model's window"):
        PasskeyAxes.model_validate({"trials": 1, "windows": [size]})


def test_a_table_without_shares_is_the_same_for_all_models() -> None:
    table = PasskeyAxes(trials=1, windows=(4096,))
    assert sized(table, ModelProfile(model="toy")) is table
