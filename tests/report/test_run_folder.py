"""The summary of a run in the file of GITHUB_STEP_SUMMARY."""

from pathlib import Path

import pytest

from longctx.report.run_folder import SUMMARY, add_step_summary


def test_the_summary_comes_after_what_is_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "step.md"
    file.write_text("before, without an end")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(file))
    for text in ("# Run 1\n", "# Run 2 – κ\n"):
        (tmp_path / SUMMARY).write_text(text, encoding="utf-8")
        assert add_step_summary(tmp_path) is None
    assert file.read_text(encoding="utf-8") == "before, without an end\n# Run 1\n\n# Run 2 – κ\n"


@pytest.mark.parametrize("value", [None, ""])
def test_without_the_variable_nothing_is_written(
    value: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    if value is not None:
        monkeypatch.setenv("GITHUB_STEP_SUMMARY", value)
    assert add_step_summary(tmp_path) is None


def test_a_file_that_cannot_be_written_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(tmp_path / "none" / "step.md"))
    (tmp_path / SUMMARY).write_text("# Run\n")
    assert add_step_summary(tmp_path) == (
        f"The summary could not be added to GITHUB_STEP_SUMMARY ({tmp_path}/none/step.md: No such file or directory): "
        "it is in the run's summary.md."
    )
