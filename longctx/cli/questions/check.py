"""`questions check`: look for faults in a file of questions, without a model."""

from __future__ import annotations

import argparse
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from longctx.cli.shared_options import add_question_file, add_task, print_noticed
from longctx.text import count, some_of

if TYPE_CHECKING:
    from longctx.corpus.question_bank import BankQuestion

SEVERITIES = ("error", "warning", "note")
LISTED = 10
"""The most questions without a review that are named."""


def add(tasks: Any) -> None:
    text = "look for faults in a file of questions, without a model; exit status 1 if there are errors"
    parser = add_task(tasks, "check", text)
    add_question_file(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Print the faults in questions, errors first; return 1 if there are errors, else 0."""
    from tabulate import tabulate

    from longctx.authoring.faults import check
    from longctx.corpus.documents import load_corpus, read_settings
    from longctx.corpus.question_bank import load_questions
    from longctx.text import visible
    from longctx.vocabulary.bank import numerical

    folder = options.corpus or options.workspace.find("register")
    print_noticed(folder)
    documents = load_corpus(folder)
    question_set = load_questions(options.questions, documents)
    findings = check(documents, question_set.questions, read_settings(folder).literal)
    if findings:
        findings = sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity))
        rows = [(finding.severity, finding.kind, finding.question, visible(finding.what)) for finding in findings]
        headers = ["severity", "fault", "question", "what was found"]
        print(tabulate(rows, headers=headers, maxcolwidths=[None, None, None, 90]))
    print(_reviewed(question_set.questions))
    counts: Counter[str] = Counter(finding.severity for finding in findings)
    kinds = [(counts[severity], severity) for severity in SEVERITIES if counts[severity]]
    listed = ", ".join(count(number, severity) for number, severity in kinds)
    found = f"{count(len(findings), 'fault')} found: {listed}" if kinds else "no faults found"
    numbers = sum(numerical(question.right) for question in question_set.questions)
    print(
        f"{len(question_set.questions)} questions, {numbers} of them numerical, about {len(documents.sections)} "
        f"sections ({documents.tokens:,} tokens of {documents.vocabulary}): {found}"
    )
    return 1 if counts["error"] else 0


def _reviewed(questions: Sequence[BankQuestion]) -> str:
    """Return how many questions are marked as reviewed, and which are still to be read if only some are."""
    left = [question.id for question in questions if not question.reviewed]
    sentence = f"Reviewed: {len(questions) - len(left):,} of {len(questions):,} questions."
    if not left or len(left) == len(questions):
        return sentence
    return f"{sentence} Not yet: {some_of(left, LISTED)}."
