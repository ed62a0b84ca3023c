"""`data`: documents, the questions about them, and probes of sessions."""

from __future__ import annotations

from typing import Any

from longctx.cli import corpus, probes, questions
from longctx.cli.questions import filter


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "data",
        help="documents, questions about them, and probes of sessions: write and check them",
        description="Documents and the questions about them, a model's filter of questions, and probes of sessions.",
    )
    kinds = parser.add_subparsers(required=True, metavar="KIND")
    for kind in (corpus, questions, filter, probes):
        kind.add(kinds)
