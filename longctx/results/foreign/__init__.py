"""Files of other evaluation tools, read by their form: what a tool measured of each item."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from longctx.errors import UserError
from longctx.fields import reason
from longctx.results.foreign import inspect_ai, lm_eval, promptfoo, rows
from longctx.results.foreign.result import Choice, ForeignResult, once
from longctx.results.records import WHOLE, records
from longctx.text import visible

Read = TypeVar("Read")
MOST_RESULTS = 200_000
"""The most results of a file."""


@dataclass(frozen=True, slots=True)
class Form:
    """A form of files. A new one is a line of FORMS and a function that reads a record."""

    name: str
    knows: Callable[[Mapping[str, Any]], bool]
    """Whether a file is of this form, by its first record."""
    results: Callable[[Mapping[str, Any], Choice], Iterable[ForeignResult]]
    """Returns the results of a record. Raises ValueError."""
    complete: Callable[[Sequence[ForeignResult], Choice], Sequence[ForeignResult]] = lambda results, _: once(results)
    """Returns the results of a file, since some results depend on all others. Raises ValueError."""


FORMS = (
    Form("a log of inspect_ai", lambda first: first.keys() >= {"eval", "samples"}, inspect_ai.of_log),
    Form(
        "a file of samples of lm-evaluation-harness", lambda first: first.keys() >= {"doc_id", "doc"}, lm_eval.results
    ),
    Form("an output of promptfoo", promptfoo.knows, promptfoo.results, lambda results, _: promptfoo.complete(results)),
    Form("a file of rows", lambda first: True, rows.results, rows.complete),
)
"""The forms by what they are called, the first that knows a file reads it."""


def results_of(path: Path, choice: Choice) -> tuple[str, list[ForeignResult]]:
    """Return the form of a file, by name, and its chosen results. Raises UserError, which names the place, OSError."""
    archive, *_ = FORMS
    with path.open("rb") as file:
        is_archive = file.read(len(inspect_ai.MAGIC)) == inspect_ai.MAGIC
    form, results = (archive, inspect_ai.of_archive(path, choice)) if is_archive else _read(path, choice)
    if not results:
        raise UserError(
            "no-imported-rows",
            f"{path} contains no results: write one object per line, or write it again with its tool.",
        )
    try:
        completed = form.complete(results, choice)
    except ValueError as error:
        raise UserError("result-twice", f"{path}: {error}: keep one of each.") from None
    return form.name, choice.of(path, completed)


def _read(path: Path, choice: Choice) -> tuple[Form, list[ForeignResult]]:
    form = FORMS[-1]
    results: list[ForeignResult] = []
    for number, record in enumerate(_located(path, records(path), " Correct it, or let its tool write it again.")):
        if not number:
            form = next(form for form in FORMS if form.knows(record.value))
        place = "" if record.place == WHOLE else f", {record.place}"
        results += _located(f"{path}{place}", form.results(record.value, choice))
        if len(results) > MOST_RESULTS:
            raise UserError("file-too-large", f"{path} has more than {MOST_RESULTS:,} results: split it.")
    return form, results


def _located(place: object, read: Iterable[Read], advice: str = "") -> Iterator[Read]:
    """Yield what is read. Raises UserError, which names the place, for a ValueError. advice: what to do about it."""
    try:
        yield from read
    except ValueError as error:
        raise UserError("bad-result", f"{place}: {visible(reason(error))}.{advice}") from None
