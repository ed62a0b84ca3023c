"""`gate`: results of any tool, judged by the gate's own statistics."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from longctx.cli import main
from longctx.results.baseline_file import anchor_of, write_baseline
from longctx.results.imported import load_imported
from longctx.results.manifest import RecordedTerms, load_manifest
from tests.given import json_lines, written
from tests.refusals import refused
from tests.rows import run
from tests.run_folders import finished


def rows(path: Path, outcomes: Iterable[bool | None], **fields: Any) -> Path:
    results = ({"id": f"q{number}", "correct": right, **fields} for number, right in enumerate(outcomes))
    return json_lines(path, *results)


def gate(*arguments: object) -> int:
    return main(["gate", *map(str, arguments)])


def test_the_same_results_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (rows(tmp_path / name, [True] * 190 + [False] * 10) for name in ("old.jsonl", "new.jsonl"))
    assert gate(old, new) == 0
    assert "imported, not digest-checked" in capsys.readouterr().out


def test_a_drop_is_a_regression(tmp_path: Path) -> None:
    old = rows(tmp_path / "old.jsonl", [True] * 180 + [False] * 20)
    new = rows(tmp_path / "new.jsonl", [True] * 140 + [False] * 60)
    assert gate(old, new) == 10


def test_the_terminal_shows_what_that_of_a_run_shows(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The verdict first and last, the bands, what differs and three lost answers; the rest with -v or on a page."""
    old, new = (rows(tmp_path / f"{name}.jsonl", [name == "old"] * 60, answer=name) for name in ("old", "new"))
    assert gate(old, new) == 10
    assert capsys.readouterr().out.splitlines() == [
        "Gate: regression - imported -1.000 in all",
        "Against the baseline old.jsonl. Changed: imported, not digest-checked: longctx cannot verify that both runs "
        "used the same questions.",
        "",
        "               before  after  change, points          lost / gained",
        "imported, all    1.00   0.00  -100.0 [-100.0, -88.0]  60 / 0 of 60   regression",
        *(f'imported/all#q{number}: "old" → "new"' for number in range(3)),
        "… 57 more lost",
        "",
        "All tables and notes: -v. As a page: --out gate.html.",
        "GATE: REGRESSION in 1 of 1 band (exit 10)",
    ]
    assert gate(old, new, "-v") == 10
    shown = capsys.readouterr().out
    assert shown.count("imported/all#q") == 20
    assert shown.endswith("\nGATE: REGRESSION in 1 of 1 band (exit 10)\n")
    assert gate(old, new, "--format", "json") == 10
    assert json.loads(capsys.readouterr().out)["verdict"] == "regression"


def test_few_results_are_inconclusive_and_may_pass(tmp_path: Path) -> None:
    old, new = (
        rows(tmp_path / "old.jsonl", [True] * 9 + [False]),
        rows(tmp_path / "new.jsonl", [True] * 8 + [False] * 2),
    )
    assert gate(old, new) == 11
    assert gate(old, new, "--on-inconclusive", "pass") == 0


def test_clusters_count_as_one(tmp_path: Path) -> None:
    old = rows(tmp_path / "old.jsonl", [True] * 180 + [False] * 20, cluster="one.md")
    new = rows(tmp_path / "new.jsonl", [True] * 140 + [False] * 60, cluster="one.md")
    assert gate(old, new) == 11, "all answers are about one document"


def test_guessing_has_nothing_to_lose(tmp_path: Path) -> None:
    old, new = (rows(tmp_path / name, [True] * 50 + [False] * 150) for name in ("old.jsonl", "new.jsonl"))
    assert gate(old, new) == 0
    assert gate(old, new, "--guessing", "0.25") == 12
    outcomes = [True] * 50 + [False] * 150
    old, new = (rows(tmp_path / name, outcomes, guessing=0.25) for name in ("old.jsonl", "new.jsonl"))
    assert gate(old, new) == 12, "its rows say so"


@pytest.mark.parametrize("guessing", [-0.1, 1.0, 25.0, float("nan"), "a half", True])
def test_guessing_of_a_row_is_a_share(tmp_path: Path, guessing: object) -> None:
    with refused("bad-result", "line 1", "guessing"):
        load_imported(rows(tmp_path / "rows.jsonl", [True], guessing=guessing))


def test_results_that_were_not_measured_are_invalid(tmp_path: Path) -> None:
    old, new = rows(tmp_path / "old.jsonl", [True] * 100), rows(tmp_path / "new.jsonl", [None] * 50 + [True] * 50)
    assert gate(old, new) == 12


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("{", "bad-result"),
        ("[" * 100_000, "bad-result"),
        ('{"id": "a"}', "bad-result"),
        ('{"id": "a", "correct": true, "score": 1}', "bad-result"),
        ('{"id": "a", "correct": false, "correct": true}', "bad-result"),
        ('{"id": "a\\ud83d", "correct": true}', "bad-result"),
        ('{"id": "a", "correct": true, "cost": NaN}', "bad-result"),
        ('{"id": "a", "correct": true}\n{"id": "a", "correct": true}\n{"id": "b", "correct": true}', "uneven-repeats"),
        ("", "no-imported-rows"),
    ],
)
def test_a_bad_line_is_named(tmp_path: Path, line: str, code: str) -> None:
    file = written(tmp_path / "rows.jsonl", line)
    with refused(code, "rows.jsonl"):
        load_imported(file)


@pytest.mark.parametrize("character", ["\u2028", "\u0085", "\x7f", "\u001c"])
def test_a_line_ends_where_json_lines_do(tmp_path: Path, character: str) -> None:
    file = tmp_path / "rows.jsonl"
    file.write_text(json.dumps({"id": f"a{character}b", "correct": True}, ensure_ascii=False) + "\r\n", "utf-8")
    assert [row.item for row in load_imported(file).rows] == [f"a{character}b"]


def test_items_that_the_new_file_lacks_are_not_measured(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = rows(tmp_path / "old.jsonl", [True] * 180 + [False] * 20)
    new = rows(tmp_path / "new.jsonl", [True] * 120)
    assert gate(old, new) == 12
    assert "80 of 200 trials were not measured (80 not in the new results)" in capsys.readouterr().out
    assert gate(old, new, "--subset") == 0


def test_items_in_another_band_are_lacking(tmp_path: Path) -> None:
    old, new = rows(tmp_path / "old.jsonl", [True] * 100), rows(tmp_path / "new.jsonl", [True] * 100)
    short, *others = new.read_text().splitlines()
    new.write_text("\n".join([short, *(line.replace("}", ', "band": "long"}') for line in others)]))
    assert gate(old, new) == 12


def test_asking_failed_items_again_is_refused(tmp_path: Path) -> None:
    old = rows(tmp_path / "old.jsonl", [True] * 180 + [False] * 20)
    new = rows(tmp_path / "new.jsonl", [True] * 140 + [False] * 60)
    again = [json.dumps({"id": f"q{number}", "correct": True}) for number in range(140, 200)] * 9
    new.write_text("\n".join([new.read_text(), *again]))
    with refused("uneven-repeats", "new.jsonl", "q140", "10 times"):
        load_imported(new)
    assert gate(old, new) == 2


def test_an_item_may_be_in_several_bands(tmp_path: Path) -> None:
    file = rows(tmp_path / "rows.jsonl", [True] * 3, band="short")
    longer = rows(tmp_path / "longer.jsonl", [True] * 3, band="long").read_text()
    file.write_text(f"{file.read_text()}\n{longer}")
    assert [row.repeat for row in load_imported(file).rows] == [0] * 6


def test_two_files_without_a_measured_result_say_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = rows(tmp_path / "rows.jsonl", [None] * 60)
    assert gate(file, file) == 12
    assert "nothing was measured" in capsys.readouterr().out


@pytest.mark.parametrize("guessing", ["-0.1", "1", "25", "nan"])
def test_guessing_is_a_share(tmp_path: Path, guessing: str) -> None:
    file = rows(tmp_path / "rows.jsonl", [True] * 60)
    with pytest.raises(SystemExit):
        gate(file, file, "--guessing", guessing)


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    with refused("no-rows-file", "none.jsonl"):
        load_imported(tmp_path / "none.jsonl")


def test_the_same_id_again_is_a_repeat(tmp_path: Path) -> None:
    file = written(tmp_path / "rows.jsonl", '{"id": "a", "correct": true}\n{"id": "a", "correct": false}')
    assert [(row.item, row.repeat) for row in load_imported(file).rows] == [("a", 0), ("a", 1)]


def samples(path: Path, *scores: float, doc: object = None, hashes: Sequence[str] = ()) -> Path:
    """Write samples of lm-evaluation-harness by two filters, of which the second finds every answer.

    hashes: of the first documents; older versions write none.
    """
    both = [("strict", score, number) for number, score in enumerate(scores)]
    both += [("flexible", 1, number) for _, _, number in both]
    lines = [
        {"doc_id": number, "doc": doc or {"document": number}, "filter": name, "metrics": ["f1"], "f1": score}
        | ({"doc_hash": hashes[number]} if number < len(hashes) else {})
        for name, score, number in both
    ]
    return json_lines(path, *lines)


def test_samples_of_another_tool_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = samples(tmp_path / "old.jsonl", *[1] * 180, *[0.5] * 20)
    worse = samples(tmp_path / "worse.jsonl", *[0.75] * 180, *[0.5] * 20)
    assert gate(old, old) == 2
    assert "filter=strict, filter=flexible" in capsys.readouterr().err
    assert gate(old, old, "--select", "filter=strict") == 0
    assert gate(old, worse, "--select", "filter=strict", "--format", "markdown") == 10
    assert "| 0.95 " in capsys.readouterr().out, "partial credit is counted"
    assert gate(worse, worse, "--select", "filter=strict", "--select", "filter=flexible") == 0


def test_documents_that_changed_under_their_id_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = samples(tmp_path / "old.jsonl", *[1] * 200, hashes=["a", "b", "c", "d"])
    new = samples(tmp_path / "new.jsonl", *[1] * 200, hashes=["a", "x", "y"])
    chosen = "--select", "filter=strict"
    assert gate(old, new, *chosen) == 2
    error = capsys.readouterr().err
    assert "[other-documents]" in error
    assert "new.jsonl has other documents than" in error
    assert "for 2 of 3 ids (1, 2)" in error
    without = samples(tmp_path / "without.jsonl", *[1] * 200)
    assert gate(old, without, *chosen) == gate(old, old, *chosen) == 0, "only what both know is compared"


def test_fields_of_another_tool_are_bands_and_clusters(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = samples(tmp_path / "old.jsonl", *[1] * 200, doc={"document": "one.md", "length": 4096})
    new = samples(tmp_path / "new.jsonl", *[0] * 60, *[1] * 140, doc={"document": "one.md", "length": 4096})
    selected = "--select", "filter=strict", "--band", "length"
    assert gate(old, new, *selected) == 10
    assert gate(old, new, *selected, "--cluster", "document") == 11, "all answers are about one document"
    assert "4096" in capsys.readouterr().out


def test_the_verdict_is_written_as_a_run_writes_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = rows(tmp_path / "old.jsonl", [True] * 180 + [False] * 20)
    new = rows(tmp_path / "new.jsonl", [True] * 140 + [False] * 60)
    assert gate(old, new, "--out", tmp_path / "gate.json") == 10
    shown = capsys.readouterr().out.splitlines()
    assert (shown[0].partition(" - ")[0], shown[-1]) == (
        "Gate: regression",
        "GATE: REGRESSION in 1 of 1 band (exit 10)",
    )
    written = json.loads((tmp_path / "gate.json").read_text())
    assert (written["verdict"], written["baseline"], written["baseline_run"]) == ("regression", "old.jsonl", "old")
    assert [(band["band"], band["lost"]) for band in written["tests"][0]["bands"]] == [("all", 40)]
    assert written["document"]["title"].startswith("Gate: regression")


@pytest.mark.parametrize("select", ["scorer", "=match"])
def test_a_selection_is_a_key_and_a_value(tmp_path: Path, select: str) -> None:
    with pytest.raises(SystemExit):
        gate(tmp_path, tmp_path, "--select", select)


def test_a_key_is_given_for_two_files(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(tmp_path, tmp_path, *["--select", "scorer=match"] * 3) == 2
    assert "[bad-select]" in capsys.readouterr().err


def run_of(folder: Path, right: int, wrong: int, **fields: Any) -> Path:
    """Return the folder of a run of one test function, with so many right and wrong answers."""
    given = {"test": "test_it", "cell": "all", "params": {}, "band": "all", "cost_usd": 0.001, **fields}
    return finished(folder, run(*["correct"] * right, *["wrong"] * wrong, **given), "a reply")


def test_run_folders_are_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = run_of(tmp_path / "old", 180, 20), run_of(tmp_path / "new", 180, 20)
    assert gate(old, new) == gate(old / "results.jsonl", new / "results.jsonl") == 0
    assert "imported" not in capsys.readouterr().out
    assert gate(old, run_of(tmp_path / "worse", 140, 60)) == 10


def test_a_run_is_judged_by_its_own_terms(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """380 of 400 answers where 400 were right: 5 points, which a margin of 10 allows."""
    terms = {"margin": 0.1, "alpha": 0.01, "run_margin": 0.09}
    old, new = run_of(tmp_path / "old", 400, 0), run_of(tmp_path / "new", 380, 20)
    lax = as_recorded(run_of(tmp_path / "lax", 380, 20), **terms)
    assert gate(old, new) == 10
    assert gate(old, lax) == 0
    assert "is used" not in capsys.readouterr().out, "the old run recorded none"
    assert gate(old, lax, "--margin", 0.05, "--alpha", 0.05) == 10
    strict = as_recorded(run_of(tmp_path / "strict", 400, 0), margin=0.05, alpha=0.01)
    capsys.readouterr()
    assert gate(strict, lax) == 0
    shown = capsys.readouterr().out
    assert "margin: 0.05 → 0.1, which is used; margin of all bands together: none → 0.09, which is used" in shown
    assert "alpha: " not in shown
    assert gate(strict, lax, "--margin", 0.05) == 10


def as_recorded(folder: Path, **terms: float) -> Path:
    manifest = load_manifest(folder)
    replace(manifest, terms=RecordedTerms(**terms)).write(folder)
    assert load_manifest(folder).terms == RecordedTerms(**terms)
    return folder


def test_run_folders_of_two_models_are_paired(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = run_of(tmp_path / "old", 180, 20, model="of-one-vendor")
    assert gate(old, run_of(tmp_path / "new", 180, 20, model="of-another")) == 0
    assert "Changed: model: of-one-vendor → of-another" in capsys.readouterr().out
    assert gate(old, run_of(tmp_path / "worse", 140, 60, model="of-another")) == 10


def test_guessing_counts_in_run_folders(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = (run_of(tmp_path / name, 156, 144, guessing=0.5) for name in ("old", "new"))
    assert gate(old, new) == 12
    assert "guessing, 0.50" in capsys.readouterr().out


def test_trials_that_a_run_lacks_are_not_measured(tmp_path: Path) -> None:
    old = run_of(tmp_path / "old", 180, 20, model="one")
    new = run_of(tmp_path / "new", 180, 0, model="other")
    assert gate(old, new) == 12
    assert gate(old, new, "--subset") == 0


def test_a_folder_without_a_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert gate(tmp_path, run_of(tmp_path / "new", 10, 0)) == 2
    assert "[no-run-there]" in capsys.readouterr().err


def test_all_bands_together_may_have_a_margin(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = tmp_path / "old.jsonl", tmp_path / "new.jsonl"
    for path, right in ((old, 90), (new, 82)):
        lines = [
            json.dumps({"id": f"{band}{number}", "band": band, "correct": number < right})
            for band in ("short", "long")
            for number in range(100)
        ]
        path.write_text("\n".join(lines))
    terms = "--margin", 0.25, "--run-margin"
    assert gate(old, new, *terms, 0.15) == 0
    assert "all bands" in capsys.readouterr().out
    assert gate(old, new, *terms, 0.075) == 10
    assert "all bands together -0.080" in capsys.readouterr().out
    assert gate(old, new, *terms, 0.3) == 2
    assert "[run-margin-above-margin]" in capsys.readouterr().err


def test_a_run_is_judged_against_a_baseline(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A baseline is judged against as a run is: what is lost, or not measured, decides."""
    kept = tmp_path / "kept.jsonl"
    write_baseline(kept, "kept", run_of(tmp_path / "old", 80, 0))
    assert gate(kept, run_of(tmp_path / "worse", 69, 11)) == 10
    assert "regression - test_it -0.138 in all" in capsys.readouterr().out
    assert gate(kept, run_of(tmp_path / "few", 69, 0)) == 12
    assert gate(kept, run_of(tmp_path / "same", 80, 0)) == 0


def test_an_anchor_is_judged_against_too(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = tmp_path / "kept.jsonl"
    write_baseline(kept, "kept", run_of(tmp_path / "old", 140, 60))
    new = run_of(tmp_path / "new", 140, 60)
    assert gate(kept, new) == 0
    write_baseline(anchor_of(kept), "kept", run_of(tmp_path / "first", 180, 20))
    assert gate(kept, new) == 10
    assert "anchor" in capsys.readouterr().out


def test_only_one_run_is_judged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = rows(tmp_path / "old.jsonl", [True] * 20)
    with pytest.raises(SystemExit):
        gate(old, old, old)
    assert "unrecognized arguments" in capsys.readouterr().err


def test_the_answers_that_others_files_lost_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = rows(tmp_path / "old.jsonl", [True] * 60), rows(tmp_path / "new.jsonl", [False] * 25 + [True] * 35)
    assert gate(old, new, "-v") == 10
    shown = capsys.readouterr().out
    assert "25 answers were lost: right in the baseline and not in this run; the first 20 are listed below." in shown
    assert shown.count("imported/all#q") == 20


@pytest.mark.parametrize(
    ("fields", "options", "whole"),
    [
        (("question", "depth"), (), 1),
        (("problem", "depth"), (), 100),
        (("q", "at.%"), ("--question", "q", "--depth", "at.%"), 100),
    ],
)
def test_the_question_and_the_place_of_lost_answers_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fields: tuple[str, str], options: tuple[str, ...], whole: int
) -> None:
    """The question and the depth, a share or percent, are in fields with usual names, or in those that options name."""
    asked, place = fields

    def results(name: str, lost: range) -> Path:
        return json_lines(
            tmp_path / name,
            *(
                {"id": n, "correct": n not in lost, asked: f"Which code has order {n}?", place: whole * n / 90}
                for n in range(91)
            ),
        )

    assert gate(results("old.jsonl", range(3)), results("new.jsonl", range(33, 57)), *options) == 10
    lines = capsys.readouterr().out.splitlines()
    assert "24 of 24 lost answers are in the middle third of the context, with 30 of 91 pairs." in lines
    [line, *_] = [line for line in lines if line.startswith("imported/all#33")]
    assert "Which code has order 33?" in line


@pytest.mark.parametrize("depth", [-0.1, 101, "far", True, [0.5]])
def test_a_named_depth_is_a_share_or_percent(tmp_path: Path, capsys: pytest.CaptureFixture[str], depth: object) -> None:
    old = json_lines(tmp_path / "old.jsonl", {"id": 1, "correct": True, "place": depth})
    assert gate(old, old, "--depth", "place") == 2
    assert "[bad-result]" in capsys.readouterr().err


def test_a_depth_that_is_none_is_left_out_unless_it_is_named(tmp_path: Path) -> None:
    """Other tools may use the name for something else."""
    old = json_lines(tmp_path / "old.jsonl", *({"id": n, "correct": True, "depth": "very deep"} for n in range(60)))
    assert gate(old, old) == 0


def test_the_texts_of_others_files_are_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    def output(name: str, *failed: int) -> Path:
        results = [
            {
                "testIdx": number,
                "promptIdx": 0,
                "vars": {"q": f"question {number}"},
                "success": number not in failed,
                "score": int(number not in failed),
                "response": {"output": "30 days" if number in failed else "70 days"},
                "gradingResult": {"reason": "Expected 70 days"},
            }
            for number in range(40)
        ]
        return written(tmp_path / name, json.dumps({"results": {"results": results}}))

    assert gate(output("old.json"), output("new.json", *range(20))) == 10
    [line, *_] = [line for line in capsys.readouterr().out.splitlines() if "question 0" in line]
    assert re.findall("[73]0 days|Expected 70 days", line) == ["70 days", "30 days", "Expected 70 days"]


def test_any_other_file_is_judged_when_options_name_its_fields(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def table(name: str, *failed: int) -> Path:
        lines = [f"{number} {'short' if number < 40 else 'long'} {number not in failed}" for number in range(80)]
        path = tmp_path / name
        cells = (f"{line} {'30' if line.endswith('False') else '70'} 70 one.md".split() for line in lines)
        path.write_text("\n".join(["_id,length,judge,pred,gold,document", *map(",".join, cells)]))
        return path

    old, new = table("old.csv"), table("new.csv", *range(20))
    assert gate(old, new) == 2
    error = capsys.readouterr().err
    assert "only _id, length, judge, pred, gold, document. Options name them: --id _id --correct judge" in error
    named = "--id", "_id", "--correct", "judge", "--answer", "pred", "--expected", "gold", "--band", "length"
    assert gate(old, new, *named, "-v") == 10
    shown = capsys.readouterr().out
    assert "regression - imported -0.500 in short" in shown
    [line, *_] = [line for line in shown.splitlines() if line.startswith("imported/short#0 ")]
    assert line.split()[1:] == ["70", "70", "30"], "the expected answer, and both"
    assert gate(old, new, *named, "--cluster", "document") == 11


def test_items_whose_expected_answer_changed_are_no_pairs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old = rows(tmp_path / "old.jsonl", [True] * 60, expected="70")
    new = rows(tmp_path / "new.jsonl", [True] * 60, expected="30")
    assert gate(old, new) == 12
    assert "expected answers of 60 of 60 cases changed" in capsys.readouterr().out


def test_two_files_of_different_tools_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = rows(tmp_path / "old.jsonl", [True] * 9), samples(tmp_path / "new.jsonl", *[1] * 9)
    new.write_text("\n".join(new.read_text().splitlines()[:9]))
    assert gate(old, new) == 2
    error = capsys.readouterr().err
    assert "old.jsonl is a file of rows and" in error
    assert "new.jsonl is a file of samples of lm-evaluation-harness, whose ids name different items" in error
    assert gate(old, run_of(tmp_path / "run", 9, 0)) == gate(run_of(tmp_path / "other", 9, 0), old) == 2
    assert capsys.readouterr().err.count("[two-forms]") == 2


@pytest.mark.parametrize(
    ("fields", "says"),
    [
        ({"id": "other"}, "have no id in common: the first has 'q0', 'q1', 'q2', the second 'other'."),
        ({"band": 4096}, "have their ids in different bands: 'q0' is in 'all' and '4096'."),
    ],
)
def test_files_that_have_no_id_in_common(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], fields: dict[str, object], says: str
) -> None:
    old, new = rows(tmp_path / "old.jsonl", [True] * 60), rows(tmp_path / "new.jsonl", [True] * 60, **fields)
    for more in ((), ("--subset",)):
        assert gate(old, new, *more) == 2
        error = capsys.readouterr().err
        assert says in error
        assert "[no-id-in-common]" in error
