"""Files of labels: what is written for people, and what they may hand back."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.errors import UserError
from longctx.results.labels import COLUMNS, ToLabel, as_csv, read_labels


def test_a_file_has_the_texts_but_nothing_that_tells_the_run_or_executes(tmp_path: Path) -> None:
    answers = [ToLabel("b" * 12, "test_tone/all#1", "Hello", "Polite?", "=1+1"), ToLabel("a" * 12, "t", "", "", "a\nb")]
    text = as_csv(answers)
    assert text.splitlines()[0] == ",".join(COLUMNS)
    assert [line[:12] for line in text.splitlines()[1:]] == ["a" * 12, "b" * 12]
    assert "'=1+1" in text
    file = tmp_path / "labels.csv"
    file.write_text(text)
    with pytest.raises(UserError, match="2 of 2 answers have no label"):
        read_labels(file)


@pytest.mark.parametrize("text", ["answer,label\na,right\nb,Wrong\n", "\ufeffanswer;label;x\na;right;\nb;wrong;\n;;\n"])
def test_labels_are_read_as_spreadsheets_save_them(text: str, tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(text, encoding="utf-8")
    assert read_labels(file).right == {"a": True, "b": False}


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("answer,label\na,right\na,wrong\n", "contradictory-labels"),
        ("answer,label\na,right\nb,\n", "labels-missing"),
        ("answer,label\na,right\nb\n", "labels-missing"),
        ("answer,label\na,fine\n", "bad-label"),
        ("answer\na\n", "bad-labels-file"),
        ("", "bad-labels-file"),
        ('answer,label\n"a,right\n', "bad-labels-file"),
    ],
)
def test_other_files_are_refused(text: str, code: str, tmp_path: Path) -> None:
    file = tmp_path / "labels.csv"
    file.write_text(text)
    with pytest.raises(UserError, match=rf"\[{code}\]"):
        read_labels(file)


def test_a_file_that_is_absent_or_no_text_is_refused(tmp_path: Path) -> None:
    (tmp_path / "image.csv").write_bytes(b"\xff\xfe\x00")
    for name in ("image.csv", "absent.csv"):
        with pytest.raises(UserError, match="bad-labels-file"):
            read_labels(tmp_path / name)
