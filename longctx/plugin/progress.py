"""The progress line of the asking pass; silent where the output is no terminal."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from longctx.ask.client import Failure
    from longctx.scenarios.base import Reply


@contextlib.contextmanager
def progress_line(total: int) -> Iterator[Callable[[Reply | Failure], None]]:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    from longctx.scenarios.base import Reply

    console = Console(stderr=True)
    columns = (
        TextColumn("asking"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[tokens]:,} tokens, {task.fields[failed]} failed"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, disable=not console.is_terminal, transient=True) as bar:
        task = bar.add_task("asking", total=total, tokens=0, failed=0)
        fields = bar.tasks[0].fields

        def told(result: Reply | Failure) -> None:
            answered = isinstance(result, Reply)
            tokens = fields["tokens"] + (result.input_tokens + result.output_tokens if isinstance(result, Reply) else 0)
            bar.update(task, advance=1, tokens=tokens, failed=fields["failed"] + (not answered))

        yield told
