"""`python -m longctx history`."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.cli import main
from longctx.workspace import Workspace
from tests.cli.runs import rows, run

Capture = pytest.CaptureFixture[str]


def runs(folder: Path) -> list[str]:
    """Return the arguments of a history of two runs, the later run first."""
    return [
        str(run(folder / name, rows(*[outcome] * 60, band="all"), finished_at=f"2026-11-{day}T00:00:00+00:00"))
        for name, outcome, day in (("after", "wrong", 22), ("before", "correct", 20))
    ]


def test_baselines_of_the_project_and_runs_are_shown_in_the_order_of_their_dates(
    within_mine: Workspace, tmp_path: Path, capsys: Capture
) -> None:
    after, before = runs(tmp_path)
    for name, folder in (("new", after), ("old", before)):
        assert main(["baseline", "save", name, folder]) == 0
    capsys.readouterr()
    for sources in ([], ["new", "old"], [after, before], ["new", before]):
        assert main(["history", *sources]) == 0
        out = capsys.readouterr().out
        assert out.startswith("History: 2 kept runs, 2026-11-20 to 2026-11-22\n")
        assert "1.00 [0.94, 1.00] n=60\n" in out
        assert "0.00 [0.00, 0.06] n=60, regression, level down" in out


def test_baselines_are_distinguished_by_their_files(within_mine: Workspace, tmp_path: Path, capsys: Capture) -> None:
    """Earlier versions of one, from version control, all say the same name."""
    files = []
    for folder in runs(tmp_path):
        assert main(["baseline", "save", "main", folder, "--force"]) == 0
        files.append(within_mine.own("baselines", "main.jsonl").rename(tmp_path / f"{Path(folder).name}.jsonl"))
    capsys.readouterr()
    assert main(["history", *map(str, files)]) == 0
    out = capsys.readouterr().out
    assert "2026-11-20 before" in out
    assert "2026-11-22 after" in out


def test_it_is_written_as_its_suffix_says(tmp_path: Path, capsys: Capture) -> None:
    for name, start in (("a.md", "# History: 2 kept"), ("a.html", "<!doctype html>"), ("a.txt", "History: 2 kept")):
        file = tmp_path / name
        assert main(["history", *runs(tmp_path / name.replace(".", "-")), "--out", str(file)]) == 0
        assert file.read_text().startswith(start)
        assert capsys.readouterr().out == f"{file}: {file.stat().st_size:,} bytes\n"
    assert main(["history", *runs(tmp_path / "b"), "--out", str(file)]) == 2
    assert "[file-exists]" in capsys.readouterr().err


@pytest.mark.usefixtures("within_mine")
def test_mistakes_are_sentences(capsys: Capture) -> None:
    assert main(["history"]) == 2
    assert "[no-baselines]" in capsys.readouterr().err
    for option in ("--alpha", "--margin"):
        with pytest.raises(SystemExit, match="2"):
            main(["history", option, "0"])
        assert "[bad-share]" in capsys.readouterr().err
