"""`longctx baseline`: keep a run, list and show what was kept."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from longctx.cli import main
from longctx.engine.memory import judged_against
from longctx.gate.verdict import Rules, RunVerdict
from longctx.report.verdict_data import as_data
from longctx.report.verdict_document import verdict_document
from longctx.results.baseline_file import load_baseline
from longctx.results.row import Row
from longctx.results.store import load_rows
from longctx.workspace import Workspace
from tests.cli.runs import rows, run
from tests.rows import row


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, within_mine: Workspace) -> Path:
    """Return a run in a project without baselines."""
    return run(tmp_path / "run", rows("correct", "wrong"))


def test_a_run_is_saved_listed_and_shown(folder: Path, mine: Workspace, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "list"]) == 0
    assert capsys.readouterr().out.startswith("There is no baseline yet")
    assert main(["baseline", "save", "main", str(folder)]) == 0
    saved = "fixtures/baselines/main.jsonl: the run run, 2 trials of line_retrieval on some-model, "
    assert saved in capsys.readouterr().out
    assert main(["baseline", "list"]) == 0
    assert capsys.readouterr().out.startswith("main: run run, profile tiny, saved 20")
    assert main(["baseline", "show", "main"]) == 0
    shown = capsys.readouterr().out
    assert "# run run, finished 2026-11-22" in shown
    assert "0.50 [0.09, 0.91] n=2" in shown


def test_a_saved_run_of_much_says_how_much(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tests = [rows("correct", "wrong", test=name) for name in ("passkey", "tracing", "needles", "test_a", "test_a.b")]
    several = run(tmp_path / "several", rows("correct", "not_asked"), *tests)
    assert main(["baseline", "save", "main", str(several), "--force"]) == 0
    assert "9 trials of 5 tests on some-model, " in capsys.readouterr().out


def test_a_run_of_test_functions_has_no_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = run(tmp_path / "functions", rows("correct", test="test_a"), profile="", profile_digest="")
    assert main(["baseline", "save", "main", str(folder)]) == 0
    assert (
        main(["baseline", "list"]) == main(["baseline", "show", "main"]) == main(["compare", "main", str(folder)]) == 0
    )
    out = capsys.readouterr().out
    assert "main: run functions, no profile, saved" in out
    assert "# no profile, seed 0\n" in out
    assert "main (baseline of 1 run, no profile, seed 0" in out


def test_none_is_written_over_unless_asked_for(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "save", "main", str(folder)]) == 0
    assert main(["baseline", "save", "main", str(folder)]) == 2
    assert "[file-exists]" in capsys.readouterr().err
    assert main(["baseline", "save", "main", str(folder), "--force"]) == 0


def test_a_project_that_cannot_be_written_is_refused(
    folder: Path, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    mine.own("baselines").rmdir()
    mine.own("baselines").write_text("no folder")
    assert main(["baseline", "save", "main", str(folder)]) == 2
    assert "[not-writable]" in capsys.readouterr().err
    assert mine.own("baselines").read_text() == "no folder"


@pytest.mark.parametrize(
    ("outcomes", "fields", "says"),
    [
        (["correct"], {"left_out": ("lines-9 of some-model",)}, "it left out 1 of its grid's cells: lines-9 of"),
        (["correct", "not_asked"], {}, "1 of its 2 trials were not measured (1 not_asked)"),
    ],
    ids=["cut down", "not all measured"],
)
def test_a_run_that_is_not_whole_is_saved_only_with_force(
    outcomes: list[str],
    fields: dict[str, Any],
    says: str,
    tmp_path: Path,
    mine: Workspace,
    capsys: pytest.CaptureFixture[str],
) -> None:
    folder = str(run(tmp_path / "part", rows(*outcomes), **fields))
    assert main(["baseline", "save", "main", folder]) == 2
    err = capsys.readouterr().err
    assert f"The run part is incomplete: {says}" in err
    assert "with --force" in err
    assert not list(mine.own("baselines").iterdir())
    assert main(["baseline", "save", "main", folder, "--force"]) == 0
    assert f"The run part is incomplete: {says}" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["", "a/b", "../up", ".hidden", "a b"])
def test_a_name_is_a_file_name(folder: Path, name: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "save", name, str(folder)]) == 2
    assert "[bad-baseline-name]" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["list", "show"])
def test_a_file_that_is_no_baseline_is_a_sentence(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    file = Path("fixtures/baselines/broken.jsonl")
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text('{"schema":1}\n', encoding="utf-8")
    assert main(["baseline", command, *(["broken"] if command == "show" else [])]) == 2
    assert "[bad-baseline]" in capsys.readouterr().err


def test_a_run_that_does_not_say_what_it_is_of_is_a_sentence(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "run.json").unlink()
    assert main(["baseline", "save", "main", str(folder)]) == 2
    assert "[manifest-missing]" in capsys.readouterr().err


def test_an_unknown_one_is_named_with_what_was_meant(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["baseline", "save", "main", str(folder)])
    assert main(["baseline", "show", "mian"]) == 2
    assert "[unknown-baseline]" in capsys.readouterr().err


def test_a_baseline_that_no_run_can_fail_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    floor = run(tmp_path / "floor", rows(*["unparseable"] * 20, band="all"))
    assert main(["baseline", "save", "floor", str(floor)]) == 0
    assert (
        "No run can pass against it: line_retrieval of some-model, prompts protocol, all: 20 of the baseline's 20 "
        "replies are unreadable or cut off, so its accuracy measures their format."
    ) in capsys.readouterr().out
    able = run(tmp_path / "able", rows(*["correct"] * 20, band="all"))
    assert main(["baseline", "save", "able", str(able)]) == 0
    assert "No run can pass" not in capsys.readouterr().out


def again(folder: Path, *outcomes: str, **fields: Any) -> str:
    """Return the folder of a run that asked the same trials once more."""
    return str(run(folder, rows(*outcomes, repeat=1, **{"recorded_at": "2026-11-22T00:00:00+00:00"} | fields)))


def test_a_run_is_added_to_a_baseline(
    folder: Path, tmp_path: Path, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["baseline", "save", "main", str(folder)]) == 0
    file = mine.own("baselines", "main.jsonl")
    first = file.read_bytes()
    assert main(["baseline", "save", "main", again(tmp_path / "second", "wrong", "wrong"), "--add"]) == 0
    added = "the run second is added, 2 trials of line_retrieval on some-model, 2 runs now"
    assert added in capsys.readouterr().out
    assert file.read_bytes().startswith(first)
    baseline = load_baseline(file)
    assert [(row.repeat, row.outcome) for row in baseline.rows] == [
        *((0, "correct"), (0, "wrong")),
        *((1, "wrong"), (1, "wrong")),
    ]
    assert main(["baseline", "list"]) == main(["baseline", "show", "main"]) == 0
    shown = capsys.readouterr().out
    assert ", 2 runs\n" in shown
    assert "# 2 runs: a gate compares with the mean of their answers" in shown


def test_the_first_run_of_a_baseline_is_not_added(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["baseline", "save", "main", str(folder), "--add"]) == 2
    assert "[no-baseline-to-add-to]" in capsys.readouterr().err


def test_of_a_run_with_repeats_only_new_answers_are_added(folder: Path, tmp_path: Path, mine: Workspace) -> None:
    later = rows("wrong", "wrong", repeat=1, recorded_at="2026-11-22T00:00:00+00:00")
    assert main(["baseline", "save", "main", str(folder)]) == 0
    both = run(tmp_path / "both", rows("correct", "wrong"), later)
    assert main(["baseline", "save", "main", str(both), "--add"]) == 0
    kept = load_baseline(mine.own("baselines", "main.jsonl")).rows
    assert [(row.repeat, row.outcome) for row in kept if row.trial == 0] == [(0, "correct"), (1, "wrong")]


REFUSED: dict[str, tuple[list[Row], dict[str, Any], str]] = {
    "a replay": (rows("correct", "wrong"), {}, "answers-known"),
    "a replay that judges otherwise": (rows("wrong", "wrong"), {}, "answers-known"),
    "one trial more of the same recording": (rows("correct", "wrong", "wrong"), {}, "answers-known"),
    "a run that looks stopped": (
        [*rows("correct", repeat=1), row("not_asked", trial=1, repeat=1, error="early stop")],
        {},
        "run-stopped-early",
    ),
    "another prompt": (rows("correct", "wrong", repeat=1, prompt_digest="ba9876543210"), {}, "run-of-other-trials"),
    "another model that answered": (
        rows("correct", "wrong", repeat=1, model_returned="other-model"),
        {},
        "run-of-other-trials",
    ),
    "fewer trials": (rows("correct", repeat=1), {}, "run-of-other-trials"),
    "other headers": (rows("correct", "wrong", repeat=1), {"headers": {"some-model": "beta"}}, "run-of-other-headers"),
}


@pytest.mark.parametrize(("parts", "fields", "code"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_further_run_of_a_baseline_is_refused(
    parts: list[Row],
    fields: dict[str, Any],
    code: str,
    tmp_path: Path,
    mine: Workspace,
    capsys: pytest.CaptureFixture[str],
) -> None:
    first = run(tmp_path / "first", rows("correct", "wrong", model_returned="some-model"))
    assert main(["baseline", "save", "main", str(first)]) == 0
    kept = mine.own("baselines", "main.jsonl").read_bytes()
    assert main(["baseline", "save", "main", str(run(tmp_path / "again", parts, **fields)), "--add"]) == 2
    assert f"[{code}]" in capsys.readouterr().err
    assert mine.own("baselines", "main.jsonl").read_bytes() == kept


def test_a_run_that_looks_stopped_is_saved_in_no_case(
    tmp_path: Path, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    stopped = run(tmp_path / "stopped", [*rows("correct"), row("not_asked", trial=1, error="early stop")])
    for force in ([], ["--force"]):
        assert main(["baseline", "save", "main", str(stopped), *force]) == 2
        assert "[run-stopped-early]" in capsys.readouterr().err
    assert not mine.own("baselines", "main.jsonl").exists()


def test_a_run_of_which_a_part_is_known_is_refused(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = run(tmp_path / "both", rows("correct"), rows("wrong", cell="lines-9"))
    assert main(["baseline", "save", "main", str(both)]) == 0
    later = rows("wrong", cell="lines-9", recorded_at="2026-11-22T00:00:00+00:00")
    assert main(["baseline", "save", "main", str(run(tmp_path / "later", rows("correct"), later)), "--add"]) == 2
    assert "[answers-partly-known]" in capsys.readouterr().err


def gated(tmp_path: Path, mine: Workspace, wrong: int) -> RunVerdict:
    """Gate a run of 400 trials, so many of them wrong, against the baseline `main`, and save it as that."""
    outcomes = ["wrong"] * wrong + ["correct"] * (400 - wrong)
    folder = run(tmp_path / str(wrong), rows(*outcomes, band="all"))
    verdict = judged_against(load_baseline(mine.find_baseline("main")), load_rows(folder), Rules())
    assert main(["baseline", "save", "main", str(folder), "--force"]) == 0
    return verdict


def test_small_drops_cannot_add_up_unseen_beside_an_anchor(
    tmp_path: Path, mine: Workspace, capsys: pytest.CaptureFixture[str]
) -> None:
    """Each release loses up to 3 points more, which pass at a margin of 5, and becomes the next baseline."""
    first = run(tmp_path / "first", rows(*["correct"] * 400, band="all"))
    assert main(["baseline", "anchor", "main"]) == 2
    assert "[no-baseline-to-anchor]" in capsys.readouterr().err
    assert main(["baseline", "save", "main", str(first)]) == 0
    assert [gated(tmp_path, mine, wrong).verdict for wrong in (8, 16, 24)] == ["pass"] * 3
    assert main(["baseline", "save", "main", str(first), "--force"]) == 0
    assert main(["baseline", "anchor", "main"]) == 0
    assert "Gates against main compare with it, too. Commit it." in capsys.readouterr().out
    assert main(["baseline", "anchor", "main"]) == 2, "an anchor is fixed"
    verdicts = [gated(tmp_path, mine, wrong) for wrong in (8, 12, 24)]
    assert [verdict.verdict for verdict in verdicts] == ["pass", "pass", "regression"]
    last = verdict_document(verdicts[-1], "main", ())
    assert last.title == "Gate: regression - line_retrieval, all -0.060 since the anchor"
    assert any("line_retrieval, all -0.060 (n=400). A drop is significant." in note for note in last.notes)
    kept = as_data(verdicts[-1], "main", ())
    assert (kept["tests"][0]["verdict"], kept["anchor"]["verdict"]) == ("pass", "regression")
    assert main(["baseline", "list"]) == 0
    assert ", anchor of 20" in capsys.readouterr().out
    assert [path.stem for path in mine.baselines()] == ["main"]


def test_a_baseline_says_how_noisy_it_is_and_what_more_runs_change(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Two of its answers differ in a quarter of the trials; before that is known, two guesses are printed."""
    first = run(tmp_path / "first", rows(*["correct"] * 300, band="all"))
    second = rows(*["correct", "correct", "correct", "wrong"] * 75, band="all", repeat=1, recorded_at="2026-11-23")
    assert main(["baseline", "save", "main", str(first)]) == 0
    out = capsys.readouterr().out
    passes = "Probability that an unchanged model passes in the only band at a margin of 5%, "
    assert f"{passes}if 10% of pairs change by chance: 80% against 1 run; " in out
    assert "if 20% of pairs change by chance" in out
    life = "Share of baselines against which at least one of 50 unchanged pull requests does not pass, with "
    assert re.search(f"{life}2% / 5% / 10% / 20% of pairs changing: 3%( / [0-9]+%){{3}} of those of 1 run, 0%", out)
    assert main(["baseline", "save", "main", str(run(tmp_path / "second", second)), "--add"]) == 0
    out = capsys.readouterr().out
    assert re.search(f"{passes}with the noise of these runs: [0-9]+% against 2 runs; [0-9]+% against 3 runs. That", out)
    assert re.search("it is below 80% for [0-9]+% of those of 2 runs, [0-9]+% of those of 3 runs[.]", out)
    assert re.search(f"{life}the noise of these runs: [0-9]+% of those of 2 runs, [0-9]+% of those of 3 runs[.]", out)
