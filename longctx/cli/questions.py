"""`questions`: write, check, review and try questions about documents. Each task is a module with `add`."""

from __future__ import annotations

from typing import Any

from longctx.cli import check, quality, review, write
from longctx.cli.task import add_task


def add(commands: Any) -> None:
    text = "questions about your documents: write them with a model, check, review and try them"
    parser = add_task(commands, "questions", text)
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    for task in (write, check, review, quality):
        task.add(tasks)
