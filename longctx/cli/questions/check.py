"""`questions check`: look for faults in a file of questions, without a model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from longctx.cli.shared.task import add_question_file, add_task
from longctx.vocabulary.bank import SHIPPED
from longctx.workspace import Workspace


def add(tasks: Any) -> None:
    text = "look for faults in a file of questions, without a model; exit status 1 if there are any"
    parser = add_task(tasks, "check", text)
    add_question_file(parser)
    parser.set_defaults(
        run=lambda options, _: show(options.workspace, options.corpus, options.questions), passes_on=False
    )


def show(workspace: Workspace, corpus: Path | None, questions: Path | None, bank: str = SHIPPED) -> int:
    """Print what is found. The exit status: 1 where a fault is. None: the documents, or the questions, of the bank."""
    from tabulate import tabulate

    from longctx.authoring.check import check
    from longctx.corpus.documents import load_corpus
    from longctx.corpus.questions import load_questions
    from longctx.corpus.settings import bank_files
    from longctx.corpus.standing import numerical
    from longctx.visible import visible

    folder, file = bank_files(workspace, bank)
    documents = load_corpus(corpus or folder)
    asked = load_questions(questions or file, documents)
    findings = check(documents, asked.questions)
    if findings:
        rows = [(finding.kind, finding.question, visible(finding.what)) for finding in findings]
        print(tabulate(rows, headers=["fault", "question", "what was found"], maxcolwidths=[None, None, 90]))
    numbers = sum(numerical(question.right) for question in asked.questions)
    print(
        f"{len(asked.questions)} questions, {numbers} of them numerical, about {len(documents.sections)} sections "
        f"({documents.tokens:,} tokens of {documents.vocabulary}): {len(findings) or 'no'} "
        f"fault{'' if len(findings) == 1 else 's'} found"
    )
    return 1 if findings else 0
