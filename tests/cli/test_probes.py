"""`probes`: a session as documents that questions are written about, and reviewed questions as probes."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.corpus.documents import load_corpus
from longctx.corpus.question_bank import BankQuestion, Reviewed, dump, load_questions
from longctx.functions.cells import load_cases
from longctx.functions.transcript import Probe, read_transcript
from tests.given import written

TURNS = [
    {"role": role, "content": f"{name} {place}: " + "the stove is lit and the road is open. " * 12}
    for place in range(4)
    for role, name in (("user", "Look at depot"), ("assistant", "I looked at depot"))
]


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return written(tmp_path / "session.jsonl", json.dumps({"messages": TURNS}) + "\n")


def question(name: str, section: str, reviewed: bool, numerical: bool = False) -> BankQuestion:
    mark = Reviewed(decision="kept", by="Ada", on=datetime.date(2026, 11, 24)) if reviewed else None
    wrong = ("5", "6", "7")
    return BankQuestion(
        id=name, section=section, question="How many?", right="4", wrong=wrong, numerical=numerical, reviewed=mark
    )


def test_reviewed_questions_about_a_session_become_probes_of_it(
    session: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["data", "probes", "documents", "session.jsonl", "--out", "turns"]) == 0
    assert "8 turns in 2 files" in capsys.readouterr().out
    sections = [section.id for section in load_corpus(Path("turns")).sections]
    assert sections == ["turn-0001", "turn-0005"]
    written = [
        question("a", sections[0], True),
        question("b", sections[1], True, True),
        question("c", sections[1], False),
    ]
    Path("q.jsonl").write_text(dump(written))
    assert load_questions(Path("q.jsonl"), load_corpus(Path("turns"))).questions
    assert main(["data", "probes", "take", "q.jsonl", "--out", "probes.jsonl"]) == 0
    assert "2 probes. 1 question without a review left out." in capsys.readouterr().out
    first, second = (Probe.of(case) for case in load_cases(Path("probes.jsonl"), None))
    assert (first.accept, first.kind, first.turn) == (("4",), "fact", 1)
    assert (second.kind, second.turn) == ("number", 5)
    made = read_transcript(session)
    assert made.depth_for(first) == 0
    assert made.depth_for(second) == pytest.approx(0.5, abs=0.02)


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["documents", "session.jsonl", "--out", "taken"], "probes-exist"),
        (["take", "q.jsonl", "--out", "new.jsonl"], "nothing-reviewed"),
        (["documents", "session.jsonl", "--line", "9", "--out", "new"], "empty-transcript"),
    ],
)
def test_nothing_is_overwritten_or_made_of_nothing(
    session: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], code: str
) -> None:
    Path("taken").mkdir()
    Path("q.jsonl").write_text(dump([question("a", "turn-0001", False)]))
    assert main(["data", "probes", *arguments]) == 2
    assert f"[{code}]" in capsys.readouterr().err
    assert not Path("new").exists()
