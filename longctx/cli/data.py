"""`data`: documents, the questions about them, probes of sessions, and labels of judged answers."""

from __future__ import annotations

from typing import Any

from longctx.cli import corpus, labels, probes, questions
from longctx.cli.questions import filter


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "data",
        help="documents, questions about them, probes of sessions, labels of judged answers: write and check them",
        description="Documents and the questions about them, a model's filter of questions, probes of sessions, and "
        "labels of the answers that a judge graded.",
    )
    kinds = parser.add_subparsers(required=True, metavar="KIND")
    for kind in (corpus, questions, filter, probes, labels):
        kind.add(kinds)
