"""`questions`: write, check and try questions about documents. Each task is a module with `add`."""

from __future__ import annotations

from typing import Any

from longctx.cli.questions import check, try_out, write
from longctx.cli.shared_options import add_task


def add(commands: Any) -> None:
    text = "questions about your documents: write them with a model, check and try them"
    parser = add_task(commands, "questions", text)
    tasks = parser.add_subparsers(required=True, metavar="TASK")
    for task in (write, check, try_out):
        task.add(tasks)
