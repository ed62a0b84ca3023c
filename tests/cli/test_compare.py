"""`python -m longctx compare`."""

from __future__ import annotations

import base64
import gzip
import json
import re
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.workspace import Workspace
from tests.cli.runs import HOSTILE, rows, run

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def two(tmp_path: Path) -> list[str]:
    """Two runs; of the second, trial 1 is lost and trial 2 gained."""
    before = run(tmp_path / "before", rows("correct", "correct", "wrong"))
    after = run(tmp_path / "after", rows("correct", "wrong", "correct", returned=HOSTILE), labels={"steps": "2"})
    return [str(before), str(after)]


def test_tables_on_the_terminal(two: list[str], capsys: Capture) -> None:
    assert main(["compare", *two, "-v"]) == 0
    out = capsys.readouterr().out
    assert f"before: {two[0]} (profile tiny, seed 0, longctx 1.0)\n" in out
    assert f"after: {two[1]} (profile tiny, seed 0, steps=2, longctx 1.0)\n" in out
    assert "+0.00 [-0.69, +0.69] n=3" in out
    assert (
        "line_retrieval/lines-5#1  correct -> wrong  7           7                  =1+1|<b>\\x1b[31m`x`\\u202e\n"
        in out
    )


def test_the_first_lines_have_what_the_first_table_states_and_lost_answers(two: list[str], capsys: Capture) -> None:
    assert main(["compare", *two]) == 0
    assert capsys.readouterr().out == (
        "after against before\n"
        f"before: {two[0]} (profile tiny, seed 0, longctx 1.0)\n"
        f"after: {two[1]} (profile tiny, seed 0, steps=2, longctx 1.0)\n"
        "\n"
        "same trials              before  after  change, points       lost / gained\n"
        "line retrieval, 5 lines    0.67   0.67  +0.0 [-69.2, +69.2]  1 / 1 of 3\n"
        'line_retrieval/lines-5#1: "7" → "=1+1|<b>\\x1b[31m`x`\\u202e"\n'
        "every cell and changed answer: -v\n"
    )


def test_columns_name_the_runs(two: list[str], tmp_path: Path, capsys: Capture) -> None:
    main(["compare", *two, "-v"])
    out = capsys.readouterr().out
    assert re.search("^cell +before +after +difference +gained +lost\n", out, re.MULTILINE)
    assert re.search("^trial +change +expected +before returned +after returned\n", out, re.MULTILINE)
    main(["compare", *two, str(run(tmp_path / "later", rows("wrong"))), "-v"])
    out = capsys.readouterr().out
    assert re.search("^cell +before +after +after - before +after gained +after lost +later ", out, re.MULTILINE)


@pytest.mark.parametrize("name", ["before", "lost", "x" * 25])
def test_columns_have_letters_if_names_are_long_or_not_distinct(
    two: list[str], tmp_path: Path, capsys: Capture, name: str
) -> None:
    other = run(tmp_path / "other" / name, rows("wrong"))
    main(["compare", two[0], str(other), "-v"])
    out = capsys.readouterr().out
    assert out.startswith(f"B against A\nA: {two[0]} (")
    assert re.search("^cell +A +B +difference +gained +lost\n", out, re.MULTILINE)


def test_each_format_and_where_it_goes(two: list[str], tmp_path: Path, capsys: Capture) -> None:
    for arguments, start in (
        (["--format", "markdown"], "# after against before\n"),
        (["--format", "html"], "<!doctype html>"),
        (["--format", "json"], '{\n "title": "after against before"'),
        (["--out", str(tmp_path / "x.json")], '{\n "title": "after against before"'),
        (["--out", str(tmp_path / "x.md")], "# after against before\n"),
        (["--out", str(tmp_path / "x.html")], "<!doctype html>"),
        (["--out", str(tmp_path / "x.txt")], "after against before\n"),
    ):
        assert main(["compare", *two, *arguments]) == 0
        printed = capsys.readouterr().out
        assert (Path(arguments[1]).read_text() if "--out" in arguments else printed).startswith(start)
    assert printed.startswith(f"{tmp_path / 'x.txt'}: ")


def test_flips_may_be_fewer(two: list[str], capsys: Capture) -> None:
    main(["compare", *two, "--flips", "1"])
    assert "1 more, --flips 2 lists all" in capsys.readouterr().out


def test_prompt_sets_and_models_within_one_run(tmp_path: Path, capsys: Capture) -> None:
    folder = run(
        tmp_path / "run",
        *(
            rows(outcome, model=model, prompt_set=prompts)
            for model in ("a", "b")
            for prompts, outcome in (("mine", "correct"), ("protocol", "wrong"))
        ),
    )
    assert main(["compare", str(folder), "--between", "prompts", "-v"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(f"mine against protocol\nWithin {folder} (profile tiny, seed 0, longctx 1.0), by prompts\n")
    assert "line_retrieval, a: accuracy" in out
    assert "line_retrieval, b: accuracy" in out
    assert main(["compare", str(folder), "--between", "model", "--reference", "b"]) == 0
    assert capsys.readouterr().out.startswith("a against b\n")


def test_labels_within_one_run(tmp_path: Path, capsys: Capture) -> None:
    folder = run(tmp_path / "run", *(rows("correct", labels={"steps": steps}) for steps in ("1000", "200", "400")))
    for named in (["--between", "steps"], []):
        assert main(["compare", str(folder), *named]) == 0
        assert capsys.readouterr().out.startswith("400 and 1000 against 200\n")


def test_strategies_are_compared_with_none(tmp_path: Path, capsys: Capture) -> None:
    names = ("clear_tool_uses", "none", "summary")
    folder = run(tmp_path / "run", *(rows("correct", labels={"strategy": name}) for name in names))
    assert main(["compare", str(folder), "--between", "strategy"]) == 0
    assert capsys.readouterr().out.startswith("clear_tool_uses and summary against none\n")


def test_runs_that_differ_in_one_label_need_not_be_told_which(tmp_path: Path, capsys: Capture) -> None:
    folders = [
        run(tmp_path / steps, *(rows(outcome, model=model, labels={"steps": steps}) for model in ("a", "b")))
        for steps, outcome in (("200", "wrong"), ("400", "correct"))
    ]
    assert main(["compare", *map(str, folders), "-v"]) == 0
    out = capsys.readouterr().out
    for model in ("a", "b"):
        assert f"line_retrieval, {model}, prompts protocol: accuracy" in out


def test_a_baseline_is_compared_by_all_of_its_runs(
    tmp_path: Path, within_mine: Workspace, mine: Workspace, capsys: Capture
) -> None:
    later = {"repeat": 1, "recorded_at": "2026-11-22T00:00:00+00:00"}
    first = run(tmp_path / "first", rows("correct", "correct", "wrong"))
    second = run(tmp_path / "second", rows("correct", "wrong", "wrong", **later))
    new = run(tmp_path / "new", rows("wrong", "correct", "correct"))
    assert main(["baseline", "save", "main", str(first), "--with-replies"]) == 0
    assert main(["baseline", "save", "main", str(second), "--add", "--with-replies"]) == 0
    capsys.readouterr()
    file = mine.own("baselines", "main.jsonl")
    for named in ("main", str(file)):
        assert main(["compare", named, str(new), "-v"]) == 0
        out = capsys.readouterr().out
        assert f"{named} (baseline of 2 runs, profile tiny, seed 0, longctx 1.0)\n" in out
        assert "Several answers to a trial count as their mean in a difference." in out
        assert re.search(r"lines-5 +0\.50 \[.*\] n=6 +0\.67 \[.*\] n=3 +\+0\.17 \[.*\] n=3 +1\.5 +1\.0\n", out)
        assert "lines-5#0  2 of 2 correct -> wrong" in out
    assert main(["compare", "main", str(new), "--out", str(tmp_path / "x.html")]) == 0
    page = (tmp_path / "x.html").read_text()
    [chunk] = re.findall(r'<script type="application/octet-stream" id="chunk-0">(.*?)</script>', page)
    assert HOSTILE in json.loads(gzip.decompress(base64.b64decode(chunk)))[0]["before"]["reply"]


def test_a_run_is_preferred_to_a_baseline_of_its_name(
    tmp_path: Path, within_mine: Workspace, mine: Workspace, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    saved = run(tmp_path / "saved", rows("wrong"))
    assert main(["baseline", "save", "main", str(saved)]) == 0
    monkeypatch.chdir(mine.root)
    run(mine.root / "main", rows("correct"))
    assert main(["compare", "main", str(saved)]) == 0
    assert "main (profile tiny" in capsys.readouterr().out


def test_a_baseline_that_cannot_be_read_is_a_sentence(
    two: list[str], within_mine: Workspace, mine: Workspace, capsys: Capture
) -> None:
    file = mine.own("baselines", "broken.jsonl")
    file.write_text('{"schema":1}\n')
    for named in ("broken", str(file)):
        assert main(["compare", named, two[1]]) == 2
        assert "[bad-baseline]" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["{0}"], "one-run-to-compare"),
        (["{0}", "--between", "prompts"], "one-value-of-label"),
        (["{0}", "--between", "size"], "unknown-label"),
        (["{0}", "{1}", "--reference", "a"], "reference-without-between"),
        (["{0}", "{1}", "--flips", "-1"], "bad-flips"),
        (["{0}", "{0}/nowhere"], "no-run"),
        (["{0}", "{0}/results.jsonl"], "path-is-file"),
        (["{0}", "{1}", "--out", "{0}"], "path-is-folder"),
        (["{0}", "{1}", "--out", "{0}/run.json"], "file-exists"),
        (["{0}", "{1}", "--out", "{0}/no/x.md"], "no-such-folder"),
        (["{0}"] * 27, "too-many-runs"),
    ],
)
def test_a_mistake_is_a_sentence(two: list[str], capsys: Capture, arguments: list[str], code: str) -> None:
    assert main(["compare", *(argument.format(*two) for argument in arguments)]) == 2
    assert f"[{code}]" in capsys.readouterr().err


def test_the_page_has_both_answers_of_every_trial(two: list[str], tmp_path: Path) -> None:
    assert main(["compare", *two, "--out", str(tmp_path / "x.html")]) == 0
    page = (tmp_path / "x.html").read_text()
    index = json.loads(re.findall(r'<script type="application/json" id="index">(.*?)</script>', page)[0])
    groups = [index["names"]["change"][trial[4]] for trial in index["trials"]]
    assert groups == ["unchanged", "lost", "gained"]
    assert "Lost answers" not in page
    [chunk] = re.findall(r'<script type="application/octet-stream" id="chunk-0">(.*?)</script>', page)
    lost = json.loads(gzip.decompress(base64.b64decode(chunk)))[1]
    assert (lost["outcome"], lost["before"]["outcome"], lost["before"]["returned"]) == ("wrong", "correct", "7")
    assert HOSTILE in lost["reply"]
    assert HOSTILE in lost["before"]["reply"]
    assert HOSTILE not in page


def test_the_page_of_several_runs_distinguishes_their_trials(two: list[str], tmp_path: Path) -> None:
    assert main(["compare", *two, two[1], "--out", str(tmp_path / "x.html")]) == 0
    page = (tmp_path / "x.html").read_text()
    index = json.loads(re.findall(r'<script type="application/json" id="index">(.*?)</script>', page)[0])
    assert len(index["trials"]) == 6
    assert len(index["names"]["model"]) == 2
