"""Writing issues of the register to disk: documents with their frozen token counts, and the questions about them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from longctx.authoring.check import check
from longctx.corpus.documents import freeze, load_corpus
from longctx.corpus.federal_register import read_issue
from longctx.corpus.questions import BankQuestion, dump
from longctx.corpus.settings import SETTINGS
from tools.register import meanings
from tools.register.issue import PROGRAM, VERSION, Issue
from tools.register.quiz import few, questions

STEM = "register"


def ship(issues: Sequence[Issue], folder: Path, questions_file: Path, each: int | None = None) -> list[Path]:
    """Write the files of a generated bank and return their paths. The same issues give the same bytes.

    each: the number of questions about a section; None for all five. With several issues, questions that could be about
    a document of another issue are left out. Raises UserError for a seed that gives too few questions.
    """
    folder.mkdir(parents=True, exist_ok=True)
    questions_file.parent.mkdir(parents=True, exist_ok=True)
    alone = len(issues) == 1
    asked: list[BankQuestion] = []
    examples: list[str] = []
    files = []
    for issue in issues:
        stem = STEM if alone else f"{STEM}-{issue.country.seed}"
        read = sections(issue, stem)
        asked += questions(issue, read, among_issues=not alone)
        examples += [name for (name, _), document in zip(read, issue.documents, strict=True) if document.is_example]
        files.append(_write(folder / f"{stem}.xml", issue.xml))
    files.append(_write(folder / SETTINGS, settings(issues, examples)))
    counts = freeze(folder)
    if not alone:
        faulty = {finding.question for finding in check(load_corpus(folder), asked)}
        asked = [question for question in asked if question.id not in faulty]
    return [*files, _write(questions_file, dump(asked if each is None else few(asked, each))), counts]


def ship_meanings(issues: Sequence[Issue], folder: Path, questions_file: Path, documents: str) -> list[Path]:
    """Write a bank of paraphrased questions about issues that another folder has, and return the paths of its files."""
    folder.mkdir(parents=True, exist_ok=True)
    questions_file.parent.mkdir(parents=True, exist_ok=True)
    seeds = ", ".join(str(issue.country.seed) for issue in issues)
    text = (
        f'about = "Questions that matching words does not answer; made by {meanings.PROGRAM}, seeds {seeds}."\n'
        f'documents = "{documents}"\n'
        "literal = false  # questions and answers are in other words\n"
    )
    made = meanings.paraphrased([(issue, sections(issue, f"{STEM}-{issue.country.seed}")) for issue in issues])
    files = [_write(folder / SETTINGS, text)]
    faulty = {finding.question for finding in check(load_corpus(folder), made, literal=False)}
    return [*files, _write(questions_file, dump(question for question in made if question.id not in faulty))]


def sections(issue: Issue, stem: str) -> list[tuple[str, str]]:
    """Return the id and the text of the section of each document of an issue."""
    chunks = read_issue(issue.xml.encode(), stem, "notebook")[: len(issue.documents)]
    return [(f"{stem}-{chunk.number:03d}", chunk.text) for chunk in chunks]


def settings(issues: Sequence[Issue], examples: Sequence[str]) -> str:
    named = ", ".join(f'"{name}"' for name in examples)
    seeds = ", ".join(str(issue.country.seed) for issue in issues)
    count, seed = ("One issue", "seed") if len(issues) == 1 else (f"{len(issues)} issues", "seeds")
    return (
        f'about = "{count} of the register of Verrany, a country that does not exist; made by '
        f'{PROGRAM}, version {VERSION}, {seed} {seeds}."\n'
        'reading = "notebook"  # its sections are recorded so\n'
        f"examples = [{named}]  # for question writing only, kept out of the test\n"
        "version = 1  # its recordings are of trials drawn so\n"
        + ("" if len(issues) == 1 else "rounds = true  # a question about each section before a second about any\n")
    )


def _write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8", newline="\n")
    return path
