"""`longctx chunks`: from ten Markdown files to the sentence on how many chunks to retrieve."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from tests.given import json_lines
from tests.integration.conftest import Checkout, Launcher, foreign_project
from tests.servers import SimulatedServer
from tests.session_server import answering

SEARCH = """
from pathlib import Path


def retrieve(question, number):
    name = question.split()[-1].rstrip("?")
    texts = [path.read_text() for path in sorted(Path("docs").glob("*.md"))]
    return sorted(texts, key=lambda text: name not in text)[:number]
"""


@pytest.fixture
def project(launcher: Launcher, tmp_path: Path) -> Checkout:
    made = foreign_project(launcher, tmp_path)
    made.file("docs").mkdir()
    for each in range(10):
        facts = " ".join(f"The code of Depot{10 * each + n} is K{10 * each + n}Q7." for n in range(3))
        made.file(f"docs/part{each}.md").write_text(f"# Part {each}\n\n{facts} The road is open there.\n")
    made.file("search.py").write_text(SEARCH)
    return made


def test_with_a_function_of_the_product(project: Checkout) -> None:
    with SimulatedServer(answering) as server:
        command = ("chunks", "docs", "--model=toy", f"--base-url={server.url}", "--yes", "--retrieve=search:retrieve")
        made = project.longctx(*command)
        assert made.code == 0, made.err
        first, drafting, kept, wrote, after = made.out.splitlines()
        assert re.fullmatch(r"docs: 10 chunks, \d+ tokens\.", first)
        assert drafting == "Drafting 70 questions: its price is not known, since toy has no prices."
        assert re.fullmatch(
            r"30 kept; 10 can be guessed without the documents; 10 cannot be answered from their evidence\. "
            r"Review: tests_longctx/chunks/questions\.jsonl",
            kept,
        ), kept
        assert wrote == "Wrote tests_longctx/test_chunks.py and the profile chunks."
        assert after.startswith(
            f"Next: pytest --ctx-profile chunks --ctx-record once --ctx-base-url={server.url}    (30 questions × 3 "
            "numbers of chunks"
        )
        env = {"PYTHONPATH": f"{project.launcher.env['PYTHONPATH']}:{project.folder}"}
        run = project.pytest(*shlex.split(after.partition("    (")[0])[2:], profile=None, env=env)
    assert run.code == 0, run.out + run.err
    assert run.says(
        "test_chunks: 30 questions are too few to compare 4 and 10 with 1; about 30 more. The best of 3 here is 1, "
        "with about 1.00, corrected for having been chosen. With 1 chunk, at most ",
        "points are lost against the evidence "
        "alone. With 1 the answer was retrieved for 30 of 30 questions; 0 of these were missed.",
    )


def test_by_bm25(project: Checkout) -> None:
    bm25s = pytest.importorskip("bm25s")
    env = {"PYTHONPATH": f"{project.launcher.env['PYTHONPATH']}:{Path(bm25s.__file__).parents[1]}"}
    own = [
        {"id": f"q{n}", "question": f"What is the code of Depot{n}?", "accept": [f"K{n}Q7"], "evidence": f"Depot{n} is"}
        for n in (1, 12, 21, 32)
    ]
    json_lines(project.file("own.jsonl"), *own)
    with SimulatedServer(answering) as server:
        command = ("chunks", "docs", "--model=toy", f"--base-url={server.url}", "--yes", "--questions=own.jsonl")
        made = project.longctx(*command, env=env)
        assert made.says("Trying 4 questions", "4 kept. Review:"), made.out + made.err
        other = "import pytest\n@pytest.mark.longctx(trials=9)\ndef test_other(ask):\n    assert ask('?').text\n"
        project.file("tests_longctx/test_other.py").write_text(other)
        run = project.record(server, "--ctx-profile=chunks", env=env)
        assert run.code == 0, run.out + run.err
        assert "test_other" not in {row["test"] for row in project.rows()}, "the profile names the models of its test"
        assert run.says("4 questions are too few to compare 4 and 10 with 1; about 140 more.")
        json_lines(project.file("own.jsonl"), own[0] | {"evidence": "never written"})
        wrong = project.longctx(*command, "--force", env=env)
    assert wrong.code == 2
    assert wrong.says("the question q1: no chunk is its `chunk` '' or contains its evidence 'never written'")


def test_what_cannot_be_chunked_is_named(project: Checkout) -> None:
    project.file("empty").mkdir()
    made = project.longctx("chunks", "empty", "--model=toy", "--retrieve=search:retrieve")
    assert made.code == 2
    assert made.says("[no-documents-to-chunk]")
    assert project.longctx("chunks", "docs", "--model=toy", "--retrieve=search").says("write MODULE:FUNCTION")
