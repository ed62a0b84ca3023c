"""A project whose documents and questions change between gates: only what a prompt holds makes a recording stale."""

from __future__ import annotations

import re
import shutil
import subprocess

import pytest

from tests.given import json_lines, served
from tests.integration.conftest import Checkout, Result
from tests.integration.harbor import harbors, notice, question, reader
from tests.servers import SimulatedServer

QA = """
[collage]
models = ["toy"]
budgets = [100]
longest = 60
depths = ["middle"]
variants = ["none"]
trials = 200
max_tokens = 50
"""
NUMBERS = range(1, 61)


server = served(reader)


@pytest.fixture
def own(checkout: Checkout, server: SimulatedServer) -> Checkout:
    """Return a checkout with sixty documents and questions, recorded, and a baseline of them."""
    checkout.take("tests_longctx/test_collage.py")
    harbors(checkout, NUMBERS)
    checkout.profile(QA)
    checkout.settings(corpus="documents", questions="questions.jsonl")
    assert checkout.record(server).code == 0
    assert checkout.longctx("baseline", "save", "before").code == 0
    return checkout


def write_questions(checkout: Checkout, *numbers: int) -> None:
    json_lines(checkout.file("questions.jsonl"), *map(question, numbers))


def retire(checkout: Checkout, question: str) -> None:
    with checkout.file("pyproject.toml").open("a") as file:
        file.write(f'\n[tool.longctx.retired]\n"collage#{question}" = "its document is gone"\n')


def gate(checkout: Checkout, server: SimulatedServer, *options: str) -> Result:
    return checkout.record(server, "--ctx-baseline=before", *options, mode="new_episodes")


def asked(result: Result) -> tuple[int, int]:
    """Return how many trials were asked, and of how many."""
    found = re.search(r"collage on toy: (\d+) of (\d+) trials need a request", result.err + result.out)
    assert found
    return int(found[1]), int(found[2])


def test_documents_that_change_three_times_between_gates(own: Checkout, server: SimulatedServer) -> None:
    # A line is added to one of sixty documents.
    own.file("documents/n7.txt").write_text(f"{notice(7)} It opens at dawn.")
    stale = own.pytest("--ctx-baseline=before", "-n1")
    assert stale.says("trials are stale")
    edited = gate(own, server)
    touched, of = asked(edited)
    assert of == 60
    assert 1 <= touched < 20
    assert edited.code == 0, edited.out
    assert edited.says(
        "Gate: pass",
        "documents of documents: 1 changed (n7)",
        f"documents in the prompts of {touched} of 60 trials",
    )
    verdict = own.file("reports/latest/gate.md").read_text()
    assert "What changed: <code>document n7 of documents</code>" in verdict
    assert f"-{notice(7)}\n+{notice(7)} It opens at dawn.\n" in verdict
    assert {row["source"] for row in own.rows()} == {"live", "replayed"}

    # A document is added, and a question about it: only this question, and collages that hold the document, are asked.
    own.file("documents/n61.txt").write_text(notice(61))
    write_questions(own, 61, *NUMBERS)
    added = gate(own, server)
    again, of = asked(added)
    assert of == 61
    assert 1 <= again < 20
    assert added.says("Gate: pass", "1 added (n61)", "and 1 that only this run has")

    # A document is removed with its question: its trial goes, and what held the document is asked again.
    own.file("documents/n3.txt").unlink()
    write_questions(own, *[number for number in (*NUMBERS, 61) if number != 3])
    retire(own, "q3")
    removed = gate(own, server)
    last, of = asked(removed)
    assert of == 60
    assert 1 <= last < 20
    assert removed.says("Gate: pass", "1 changed (n7), 1 added (n61), 1 removed (n3)")

    # Everything is as it was again: nothing is asked, and the answers are the baseline's own.
    own.file("documents/n7.txt").write_text(notice(7))
    own.file("documents/n3.txt").write_text(notice(3))
    own.file("documents/n61.txt").unlink()
    write_questions(own, *NUMBERS)
    replayed = own.pytest("--ctx-baseline=before")
    assert replayed.code == 0
    assert replayed.says("Gate: pass - the only band replays the baseline's own answers")


def test_another_order_of_questions_and_another_name_of_their_file_change_nothing(own: Checkout) -> None:
    write_questions(own, *reversed(NUMBERS))
    own.file("questions.jsonl").rename(own.file("renamed.jsonl"))
    own.settings(corpus="documents", questions="renamed.jsonl")
    result = own.pytest("--ctx-baseline=before")
    assert result.code == 0
    assert result.says("60 replayed", "Changed: no difference found.")
    alone = own.pytest("--ctx-only=q7")
    assert alone.code == 0, alone.out
    [row] = own.rows()
    assert row["item"].startswith("q7@")


def test_what_was_recorded_with_version_1_is_not_lost_in_silence(own: Checkout, server: SimulatedServer) -> None:
    settings = own.file("documents/corpus.toml")
    settings.write_text("min_tokens = 0\nversion = 1\n")
    assert own.record(server).says("60 of 60 trials need a request")
    shutil.rmtree(own.file("reports"))
    for file in own.file("cassettes").rglob("*.jsonl"):
        kept = [line for line in file.read_text().splitlines(True) if "collage.v1/" in line]
        file.write_text("".join(kept))
    settings.write_text("min_tokens = 0\n")
    result = own.pytest()
    assert result.code == 1
    assert result.says("It has answers to trials of version 1 of its test", "write version = 1 in their corpus.toml")
    again = own.record(server, "--ctx-only=q7")
    assert again.says("collage on toy: 1 of these trials has an answer of version 1", "Sending them again costs")
    settings.write_text("min_tokens = 0\nversion = 1\n")
    assert own.pytest().says("60 replayed")


def test_what_a_change_of_documents_makes_stale_and_what_it_costs(own: Checkout, server: SimulatedServer) -> None:
    def git(*arguments: str) -> None:
        names = ["git", "-c", "user.name=me", "-c", "user.email=me@example.org", *arguments]
        subprocess.run(names, cwd=own.folder, check=True, capture_output=True)

    git("init", "-q")
    git("add", "documents")
    git("commit", "-qm", "documents")
    shutil.copytree(own.file("documents"), own.file("before"))
    own.file("documents/n7.txt").write_text(f"{notice(7)} It opens at dawn.")
    own.file("documents/n61.txt").write_text(notice(61))
    own.file("documents/n3.txt").unlink()
    write_questions(own, 61, *NUMBERS)
    options = ["--questions=questions.jsonl", "--profile=tiny.toml"]
    result = own.longctx("data", "corpus", "diff", "before", "documents", *options)
    assert result.code == 0, result.err
    assert result.says(
        "sections changed: 1 (n7)",
        "sections added: 1 (n61)",
        "sections removed: 1 (n3)",
        "trials new: 1, about q61",
        "trials gone: 1, about q3",
    )
    of_revision = own.longctx("data", "corpus", "diff", "HEAD", "documents", *options)
    assert of_revision.out == result.out
    write_questions(own, 61, *[number for number in NUMBERS if number != 3])
    retire(own, "q3")
    assert asked(result) == asked(gate(own, server))
    for revision in ("nowhere", "--output=here"):
        refused = own.longctx("data", "corpus", "diff", *options, "--", revision, "documents")
        assert (refused.code, "unknown-revision" in refused.err) == (2, True)
    assert not own.file("here").exists()
    same = own.longctx("data", "corpus", "diff", "documents", "documents", *options)
    assert same.says("trials unchanged: 60", "trials stale: 0", "0 of 60 trials need a request")
