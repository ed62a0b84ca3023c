"""The baseline's replies to the trials of a run: from its folder, from the baseline, from the recordings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from longctx.engine.earlier import earlier_answers, recorded_replies
from longctx.engine.run import Run
from longctx.results.baseline_file import load_baseline, write_baseline
from longctx.results.row import Row
from tests.here import HERE
from tests.rows import run


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Return the folder of a run of the recorded profile `lines`, and the project's recordings."""
    folder = tmp_path_factory.mktemp("run") / "before"
    before = Run("lines", root=HERE.root, trials=5, prompts=("chatty",), report=folder, page=False, say=lambda _: None)
    before.measure().finish()
    return folder, HERE.cassettes


def saved(folder: Path, tmp_path: Path, with_replies: bool = False) -> Path:
    write_baseline(tmp_path / "b.jsonl", "b", folder, with_replies)
    return tmp_path / "b.jsonl"


def after(prompts: str = "protocol") -> list[Row]:
    return Run("lines", root=HERE.root, trials=5, prompts=(prompts,), say=lambda _: None).measure().rows


def test_replies_of_a_bare_baseline_are_those_on_the_tape(recorded: tuple[Path, Path], tmp_path: Path) -> None:
    folder, cassettes = recorded
    rows = after()
    of_folder = earlier_answers(load_baseline(folder), rows, None)
    from_tape = earlier_answers(load_baseline(saved(folder, tmp_path)), rows, cassettes)
    assert len(of_folder) == len(rows) > 0
    replies = [{key: earlier.view.get("reply") for key, earlier in each.items()} for each in (of_folder, from_tape)]
    assert replies[0] == replies[1]
    assert None not in replies[0].values()


def test_replies_in_the_baseline_come_first(recorded: tuple[Path, Path], tmp_path: Path) -> None:
    file = saved(recorded[0], tmp_path, with_replies=True)
    earlier = earlier_answers(load_baseline(file), after(), None)
    assert all(answer.view["reply"] for answer in earlier.values())


def zeros(found: re.Match[str]) -> str:
    return re.sub("[0-9a-f]{12}", "0" * 12, found[0])


def test_answers_with_another_digest_are_not_taken_for_the_baseline_s(
    recorded: tuple[Path, Path], tmp_path: Path
) -> None:
    file = saved(recorded[0], tmp_path)
    lines = file.read_text().splitlines()
    for kept, changed in ((r'"requests":\[.*?\]', zeros), (r"\.\d+", ".99")):
        file.write_text("\n".join([lines[0], *(re.sub(kept, changed, line) for line in lines[1:])]) + "\n")
        earlier = earlier_answers(load_baseline(file), after(), recorded[1])
        assert {answer.view.get("reply") for answer in earlier.values()} == {None}


def test_an_earlier_baseline_has_a_digest_for_each_group(recorded: tuple[Path, Path], tmp_path: Path) -> None:
    file = saved(recorded[0], tmp_path)
    text = re.sub(r'"requests":\[.*?\],', "", file.read_text())
    for kept, known in ((text, False), (text.replace('"answers":"', '"answers":"0'), True)):
        file.write_text(kept)
        earlier = earlier_answers(load_baseline(file), after(), recorded[1])
        assert (None in {answer.view.get("reply") for answer in earlier.values()}) is known


def test_a_replay_of_the_same_answers_is_marked(recorded: tuple[Path, Path], tmp_path: Path) -> None:
    earlier = earlier_answers(load_baseline(saved(recorded[0], tmp_path)), after("chatty"), recorded[1])
    assert all(answer.same for answer in earlier.values())


def test_without_text_no_reply_is_looked_up(recorded: tuple[Path, Path], tmp_path: Path) -> None:
    file = saved(recorded[0], tmp_path, with_replies=True)
    earlier = earlier_answers(load_baseline(file), after(), recorded[1], text=False)
    assert earlier
    assert not any(answer.view for answer in earlier.values())


@pytest.mark.parametrize("name", ["../../elsewhere", "/etc/passwd", "\0"])
def test_a_name_in_a_baseline_leads_nowhere(tmp_path: Path, name: str) -> None:
    (tmp_path / "elsewhere.jsonl").write_text("no episode", encoding="utf-8")
    row = run("correct", cell=name)[0]
    assert recorded_replies([row], [row], tmp_path / "cassettes", "2030") == {}
