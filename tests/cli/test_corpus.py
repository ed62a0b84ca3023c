"""`longctx data corpus`: what it prints, and its exit status."""

from pathlib import Path

import pytest

from longctx.cli import main
from tests.corpus.examples import ISSUE
from tests.corpus.govinfo import DAY, Govinfo, server
from tests.here import HERE

__all__ = ["server"]


def test_a_corpus_is_counted(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "corpus", "stats", str(HERE.own("register"))]) == 0
    printed = capsys.readouterr().out
    assert "left out: examples for writing questions  2 (register-047, register-049)" in printed
    assert [line.split()[0] for line in printed.splitlines()[-3:]] == ["3,000", "70,000", "95,000"]
    assert main(["data", "corpus", "stats", str(HERE.own("register")), "--budget", "2000"]) == 0
    assert capsys.readouterr().out.splitlines()[-1].split()[0] == "2,000"


def test_a_mistake_is_a_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["data", "corpus", "stats", str(tmp_path / "nowhere")]) == 2
    assert "[no-documents-folder]" in capsys.readouterr().err


def test_an_issue_is_fetched_and_counted(server: Govinfo, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    server.content = ISSUE.replace("A notice.", "quay " * 400).encode()
    assert main(["data", "corpus", "fetch", DAY, "--out", str(tmp_path), "--base-url", server.url]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert printed[0].startswith(f"{tmp_path / f'FR-{DAY}.xml'}: {len(server.content):,} bytes, sha256 ")
    assert printed[1].endswith("1 left out by size")
    assert (tmp_path / "sections.toml").exists()


def test_a_limit_is_kept(server: Govinfo, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["data", "corpus", "fetch", DAY, "--out", str(tmp_path), "--base-url", server.url, "--max-bytes", "10"]
    assert main(command) == 2
    assert "[download-too-large]" in capsys.readouterr().err
