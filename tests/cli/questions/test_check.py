"""`longctx data questions check`."""

from pathlib import Path

import pytest

from longctx.cli import main
from longctx.corpus.questions import dump
from tests.corpus.examples import HARBOR, question, write_folder
from tests.here import HERE


def test_the_shipped_questions_have_no_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "questions", "check", str(HERE.find("questions", "register.jsonl"))]) == 0
    assert capsys.readouterr().out == (
        "430 questions, 86 of them numerical, about 86 sections (115,153 tokens of claude-2): no faults found\n"
    )


def test_faults_are_named_and_steer_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [question(right="In the western \x1b[2Jdock")]
    write_folder(tmp_path, {"harbor.txt": HARBOR, "corpus.toml": "min_tokens = 10", "q.jsonl": dump(asked)})
    assert (
        main(["data", "questions", "check", str(tmp_path / "q.jsonl"), "--corpus", str(tmp_path / "harbor.txt")]) == 0
    )
    printed = capsys.readouterr().out
    assert "right answer  q1" in printed
    assert "is not in harbor, nor in any other" in printed
    assert "\x1b" not in printed
    assert printed.endswith("1 fault found: 1 warning\n")


def test_errors_alone_are_a_failure(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A duplicate, and a question about another text, of which neither the names nor the answer are in the section."""
    asked = [question("q1"), question("q2"), question("q3", question="What does the Noise Act say?", right="Be silent")]
    write_folder(tmp_path, {"harbor.txt": HARBOR, "corpus.toml": "min_tokens = 10", "q.jsonl": dump(asked)})
    assert (
        main(["data", "questions", "check", str(tmp_path / "q.jsonl"), "--corpus", str(tmp_path / "harbor.txt")]) == 1
    )
    printed = capsys.readouterr().out
    errors = [line.split()[1:] for line in printed.splitlines() if line.startswith("error")]
    assert [line[:3] for line in errors] == [["duplicate", "q2", "the"], ["right", "answer", "q3"]]
    assert "2 errors" in printed


def test_a_mistake_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "questions", "check", "nowhere.jsonl"]) == 2
    assert "[no-questions-file]" in capsys.readouterr().err
