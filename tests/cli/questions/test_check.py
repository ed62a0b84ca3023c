"""`longctx data questions check`."""

import datetime
import re
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.corpus.question_bank import Reviewed, dump
from tests.corpus.examples import HARBOR, question, write_folder
from tests.here import HERE


def test_the_shipped_questions_have_no_faults(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "questions", "check", str(HERE.find("questions", "register.jsonl"))]) == 0
    assert capsys.readouterr().out == (
        "Reviewed: 0 of 430 questions.\n"
        "430 questions, 86 of them numerical, about 86 sections (115,153 tokens of claude-2): no faults found\n"
    )


def test_faults_are_named_and_steer_no_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = [question(right="In the western \x1b[2Jdock")]
    write_folder(tmp_path, {"harbor.txt": HARBOR, "corpus.toml": "min_tokens = 10", "q.jsonl": dump(asked)})
    assert (
        main(["data", "questions", "check", str(tmp_path / "q.jsonl"), "--corpus", str(tmp_path / "harbor.txt")]) == 0
    )
    printed = capsys.readouterr().out
    assert re.search(r"right answer +q1 ", printed)
    assert "is not in harbor, nor in any other" in printed
    assert "\x1b" not in printed
    assert printed.endswith("2 faults found: 2 warnings\n")


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


def test_what_is_still_to_be_reviewed_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    mark = Reviewed(decision="kept", by="Ann", on=datetime.date(2026, 11, 22))
    texts = "Where must ships moor?", "Where may no ship moor?", "Which ships must moor?"
    drafts = [question(f"q{number}", question=text) for number, text in enumerate(texts, 1)]
    file = tmp_path / "q.jsonl"
    write_folder(tmp_path, {"harbor.txt": HARBOR, "corpus.toml": "min_tokens = 10"})
    for marked, said in [
        (0, "Reviewed: 0 of 3 questions.\n"),
        (1, "Reviewed: 1 of 3 questions. Not yet: q2, q3.\n"),
        (3, "Reviewed: 3 of 3 questions.\n"),
    ]:
        reviewed = [each.model_copy(update={"reviewed": mark}) for each in drafts[:marked]]
        file.write_text(dump([*reviewed, *drafts[marked:]]))
        main(["data", "questions", "check", str(file), "--corpus", str(tmp_path / "harbor.txt")])
        assert said in capsys.readouterr().out


def test_a_mistake_is_a_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "questions", "check", "nowhere.jsonl"]) == 2
    assert "[no-questions-file]" in capsys.readouterr().err
