"""docs/documents.md, from a folder to a gate: what was recorded for it replays, offline and without a key."""

from __future__ import annotations

import shutil

import pytest

from tests.integration.conftest import ROOT, Checkout
from tests.integration.pages import blocks, missing, ran

MODEL = "qwen2.5-coder-0.5b"
CORPUS = "fixtures/handbook"
QUESTIONS = "fixtures/questions/handbook.jsonl"


@pytest.fixture
def handbook(checkout: Checkout) -> Checkout:
    """Return a checkout with the handbook, and with the recordings and the tests of long-context QA."""
    checkout.take(*(f"cassettes/{MODEL}/{test}" for test in ("writing", "control", "collage")))
    checkout.take(*(f"tests_longctx/test_{test}.py" for test in ("control", "collage")))
    checkout.take(*(f"fixtures/{name}" for name in ("handbook", "profiles", "questions/filters")))
    return checkout


def test_from_a_folder_to_a_gate(handbook: Checkout) -> None:
    about = (f"--corpus={CORPUS}", f"--model={MODEL}")
    written = handbook.longctx("data", "questions", "write", *about, "--out=mine.jsonl", "--max-tokens=600")
    assert written.code == 0, written.err
    mine, shipped = handbook.file("mine.jsonl"), (ROOT / QUESTIONS).read_text()
    assert mine.read_text() == shipped.replace("prompts seed (", "prompts protocol (")
    assert (
        handbook.file("mine.dropped.jsonl").read_bytes()
        == (ROOT / QUESTIONS.replace(".jsonl", ".dropped.jsonl")).read_bytes()
    )

    tried = handbook.longctx("data", "questions", "try", "mine.jsonl", *about, "--prompts=tagged", "--max-tokens=100")
    assert tried.code == 0, tried.err
    assert tried.says("right section 3 11 0.21", "wrong section 3 11 0.21", "it keeps 3 of 14", "Warning: 3 questions")

    handbook.settings(corpus=CORPUS, questions="mine.jsonl")
    of_mine = [f"--ctx-model={MODEL}", "-kcollage"]
    measured = handbook.pytest(*of_mine, profile="handbook")
    assert measured.code == 0, measured.out
    assert measured.says("18 replayed", "14 questions asked alone, 3 kept")
    assert handbook.longctx("baseline", "save", "mine").code == 0
    gated = handbook.pytest(*of_mine, "--ctx-prompts=protocol", "--ctx-baseline=mine", profile="handbook")
    assert gated.code == 12, gated.out
    assert gated.says("Gate: invalid - the baseline has nothing to lose in collage, all", "18 in 3 clusters")


def test_files_that_are_no_documents_are_named(handbook: Checkout) -> None:
    said = "fixtures/handbook: 2 files are not read (1 .csv, 1 .pdf; the first: rates.csv)"
    check = ["data", "questions", "check", str(ROOT / QUESTIONS), "--corpus"]
    assert handbook.longctx(*check, CORPUS).err == ""
    for name in ("rates.csv", "terms.pdf"):
        handbook.file(f"{CORPUS}/{name}").write_bytes(b"%")
    for command in (check, ["data", "corpus", "stats"], ["data", "corpus", "freeze"]):
        assert handbook.longctx(*command, CORPUS).says(said)
    profile = handbook.file("fixtures/profiles/handbook.toml").read_text()
    handbook.profile(
        profile.replace("[collage]", f'[collage]\nmodels = ["{MODEL}"]\nbank = "handbook"'),
        name="fixtures/profiles/recorded.toml",
    )
    shutil.copy(ROOT / QUESTIONS, handbook.file("questions.jsonl"))
    of_corpus = {"corpus": CORPUS, "questions": "questions.jsonl"}
    given: list[tuple[list[str], dict[str, str]]] = [([], {}), (["-n1"], {}), (["--ctx-estimate"], {}), ([], of_corpus)]
    for options, settings in given:
        handbook.settings(**settings)
        result = handbook.pytest("-kcollage", *options, profile=None, page=not options)
        assert result.code == 0, result.out
        assert result.out.count("2 files are not read") == 1
    handbook.settings()
    with handbook.file(f"{CORPUS}/corpus.toml").open("a") as corpus:
        corpus.write('\nignore = ["*.csv", "*.pdf"]\n')
    assert "not read" not in handbook.pytest("-kcollage", profile=None).out


def test_the_page_shows_what_the_commands_print(handbook: Checkout) -> None:
    """Those of pytest are run by the first test."""
    output = ""
    for kind, text in blocks("documents.md"):
        if kind == "sh" and "handbook" in text and "git" not in text and not text.startswith("pytest"):
            output = ran(handbook, text.strip())
        elif kind == "text":
            assert not missing(text, output), output
