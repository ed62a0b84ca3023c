"""`longctx data questions review`."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.corpus.questions import load_questions
from longctx.review.http import PROOF
from tests.corpus.examples import HARBOR, question, write_folder
from tests.review.examples import write

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    write_folder(tmp_path, {"harbor.txt": HARBOR, "corpus.toml": "min_tokens = 10"})
    return write(tmp_path, question("q1"), question("q2"))


@contextmanager
def reviewing(path: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Run the command, and yield it with the address that it shows."""
    command = [sys.executable, "-m", "longctx", "data", "questions", "review", str(path), "--no-browser", *options]
    process = subprocess.Popen(
        [*command, "--corpus", str(path.parent)],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler),  # a job in the background has none
    )
    assert process.stdout is not None
    try:
        line = process.stdout.readline()
        shown = re.search(r"http://127\.0\.0\.1:\d+/[\w-]+/", line)
        assert shown, line
        assert process.stdout.readline().startswith("End it with q on the page, or with Ctrl-C here.")
        yield process, shown[0]
    finally:
        process.kill()
        process.communicate()


def post(url: str, name: str, body: bytes) -> None:
    request = urllib.request.Request(f"{url}{name}", body, {PROOF: url.split("/")[3]})
    with urllib.request.urlopen(request, timeout=60) as reply:
        reply.read()


def test_a_review_from_start_to_the_page_s_end(path: Path) -> None:
    with reviewing(path, "--by", " Ann ") as (process, url):
        post(url, "decide", b'{"id": "q1", "decision": "drop"}')
        post(url, "decide", b'{"id": "q2", "decision": "keep"}')
        post(url, "end", b"{}")
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert f"The review has ended. {path}: 1 kept, 0 edited, 1 dropped; 0 undecided." in output
    assert "questions.dropped.jsonl, and can be taken back" in output
    [kept] = load_questions(path).questions
    assert kept.reviewed is not None
    assert kept.reviewed.by == "Ann"


def test_ctrl_c_ends_it(path: Path) -> None:
    before = path.read_bytes()
    with reviewing(path) as (process, _):
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 0
    assert "The review has ended." in output
    assert "2 undecided" in output
    assert "Traceback" not in output
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    ("options", "code"),
    [
        (["nowhere.jsonl"], "no-questions-file"),
        (["QUESTIONS", "--corpus", "nowhere"], "no-documents-folder"),
        (["QUESTIONS"], "unusable-section"),
    ],
)
def test_a_mistake_is_a_sentence(path: Path, options: list[str], code: str, capsys: pytest.CaptureFixture[str]) -> None:
    given = [str(path) if option == "QUESTIONS" else option for option in options]
    assert main(["data", "questions", "review", *given, "--no-browser"]) == 2
    assert f"[{code}]" in capsys.readouterr().err
