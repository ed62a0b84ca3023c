"""An issue on disk: the documents with their frozen counts, and the questions about them."""

from __future__ import annotations

from pathlib import Path

from longctx.corpus.documents import freeze
from longctx.corpus.federal_register import read_issue
from longctx.corpus.questions import dump
from longctx.corpus.register.issue import VERSION, Issue
from longctx.corpus.register.quiz import questions
from longctx.corpus.settings import SETTINGS

STEM = "register"


def ship(issue: Issue, folder: Path, questions_file: Path) -> list[Path]:
    """Write the files that `generate` ships; the same issue gives the same bytes. Returns what was written."""
    folder.mkdir(parents=True, exist_ok=True)
    questions_file.parent.mkdir(parents=True, exist_ok=True)
    chunks = read_issue(issue.xml.encode(), STEM, "notebook")[: len(issue.documents)]
    sections = [(f"{STEM}-{chunk.number:03d}", chunk.text) for chunk in chunks]
    examples = [name for (name, _), document in zip(sections, issue.documents, strict=True) if document.is_example]
    files = {
        folder / f"{STEM}.xml": issue.xml,
        folder / SETTINGS: settings(issue, examples),
        questions_file: dump(questions(issue, sections)),
    }
    for path, text in files.items():
        path.write_text(text, encoding="utf-8", newline="\n")
    return [*files, freeze(folder)]


def settings(issue: Issue, examples: list[str]) -> str:
    named = ", ".join(f'"{name}"' for name in examples)
    return (
        f'about = "One issue of the register of Verrany, a country that does not exist; made by '
        f'longctx.corpus.register, version {VERSION}, seed {issue.country.seed}."\n'
        'reading = "notebook"  # its sections are recorded so\n'
        f"examples = [{named}]  # for question writing only, kept out of the test\n"
    )
