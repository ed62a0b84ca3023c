"""`questions`: review and try questions about documents. Each task is a module with `add`."""

from __future__ import annotations

from typing import Any

from longctx.cli import quality, review


def add(commands: Any) -> None:
    text = "questions about your documents: review them, try them on a model"
    parser = commands.add_parser("questions", help=text, description=f"{text[0].upper()}{text[1:]}.")
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    for task in (review, quality):
        task.add(tasks)
