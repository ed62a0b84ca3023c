"""`python -m longctx show CELL --run RUN`: what a run measured of a trial."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.cli import main
from tests.cli.runs import HOSTILE, rows, run

Capture = pytest.CaptureFixture[str]


@pytest.fixture
def folder(tmp_path: Path) -> str:
    """Two models, one of them with two prompt sets."""
    return str(
        run(
            tmp_path / "run",
            rows("correct", "wrong", returned=HOSTILE, why="the value of line 3"),
            rows("not_asked", "not_asked", model="other", error="missing"),
            rows("correct", prompt_set="mine"),
        )
    )


def test_every_model_that_was_asked_then_the_prompt(folder: str, capsys: Capture) -> None:
    assert main(["show", "line_retrieval/lines-5#1", "--run", folder]) == 0
    other, mine, prompt = capsys.readouterr().out.split("\n\n", 2)
    assert other.splitlines()[:4] == [
        "# measured: other, prompts protocol", "# outcome: not_asked", "# error: missing", "# expected: 7",
    ]  # fmt: skip
    assert "# measured: some-model, prompts protocol\n# outcome: wrong\n# why: the value of line 3\n" in mine
    assert "# returned: =1+1|<b>\\x1b[31m`x`\\u202e\n" in mine
    assert mine.endswith("# reply\n=1+1|<b>\\x1b[31m`x`\\u202e\nsecond line")
    assert prompt.startswith("# trial: line_retrieval.v1/lines-5/seed-0/trial-1/repeat-0\n")
    assert "Go to line" in prompt


def test_model_and_prompts_narrow_it(folder: str, capsys: Capture) -> None:
    assert (
        main(["show", "line_retrieval/lines-5", "--run", folder, "--model", "some-model", "--prompts", "protocol"]) == 0
    )
    out = capsys.readouterr().out
    assert out.count("# measured:") == 1
    assert "# prompt: not exactly as sent" in out


def test_different_words_are_not_guessed_between(folder: str, capsys: Capture) -> None:
    assert main(["show", "line_retrieval/lines-5", "--run", folder]) == 0
    out = capsys.readouterr().out
    assert out.count("# measured:") == 3
    assert out.endswith("select one with --prompts, --shape or --seed.\n")


def test_a_prompt_that_cannot_be_built_again_is_reported(folder: str, capsys: Capture) -> None:
    assert main(["show", "line_retrieval/lines-5", "--run", folder, "--prompts", "mine"]) == 0
    assert "[unknown-prompt-set]" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["line_retrieval/lines-5", "--model", "absent"], "subject-not-in-run"),
        (["line_retrieval/lines-5", "--seed", "4"], "subject-not-in-run"),
        (["line_retrieval/lines-5#9"], "unknown-trial"),
        (["line_retrieval/lines-6"], "cell-not-run"),
    ],
)
def test_a_mistake_is_a_sentence(folder: str, capsys: Capture, arguments: list[str], code: str) -> None:
    assert main(["show", *arguments, "--run", folder]) == 2
    assert f"[{code}]" in capsys.readouterr().err


def test_no_run_is_a_sentence(tmp_path: Path, capsys: Capture) -> None:
    assert main(["show", "line_retrieval/lines-5", "--run", str(tmp_path)]) == 2
    assert "contains no run" in capsys.readouterr().err
