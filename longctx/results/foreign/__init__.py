"""Files of other evaluation tools, read by their form: what a tool measured of each item."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import chain
from pathlib import Path

from longctx.errors import UserError
from longctx.results.foreign.checks import check_direction, check_number, located, place_of
from longctx.results.foreign.choice import Choice
from longctx.results.foreign.forms import FORMS, Form
from longctx.results.foreign.result import ForeignResult
from longctx.results.foreign.tables import entries_of, results_of_rows
from longctx.results.foreign.understood import Understood
from longctx.results.records import Entry

ARCHIVE = b"PK\x03\x04"
"""The beginning of an .eval archive of inspect_ai."""
Found = tuple[Understood, list[ForeignResult]]
"""What a file is, and its chosen results."""


def results_of(path: Path, choice: Choice) -> Found:
    """Return what a file is, and its chosen results. Raises UserError, which names the place, and OSError."""
    with path.open("rb") as file:
        begins = file.read(4)
    if begins == ARCHIVE:
        from longctx.results.foreign import inspect_ai

        return _of_form(path, FORMS[0], inspect_ai.of_archive(path, choice), choice)
    entries = located(path, entries_of(path, begins), " Correct it, or let its tool write it again.")
    if (first := next(entries, None)) is None:
        raise _empty(path)
    entries = chain((first,), entries)
    form = next((form for form in FORMS if form.knows(first.value)), None)
    if form is None or choice.rows or choice.score:
        return results_of_rows(path, entries, choice)
    return _of_form(path, form, _read(path, form, entries, choice), choice)


def _empty(path: Path) -> UserError:
    return UserError(
        "no-imported-rows",
        f"{path} contains no results: write one object per line, or write it again with its tool.",
    )


def _read(path: Path, form: Form, entries: Iterable[Entry], choice: Choice) -> list[ForeignResult]:
    results: list[ForeignResult] = []
    for entry in entries:
        results += located(place_of(path, entry), form.results(entry.value, choice))
        check_number(path, results)
    return results


def _of_form(path: Path, form: Form, results: Sequence[ForeignResult], choice: Choice) -> Found:
    """Return the chosen results of a file of a named form. Raises UserError."""
    if not results:
        raise _empty(path)
    if choice.by_place and not form.by_place:
        raise UserError("ids-of-its-own", f"{path} is {form.name}, which has ids of its own: leave out --id.")
    try:
        completed = form.complete(results, choice)
    except ValueError as error:
        raise UserError("result-twice", f"{path}: {error}: keep one of each.") from None
    chosen = choice.of(path, completed)
    outcome = choice.named.get("correct") or form.outcome(chosen[0].of)
    also = [name for name in dict.fromkeys(form.outcome(result.of) for result in completed) if name != outcome]
    if "correct" in choice.named:
        check_direction(path, [outcome], choice)
    elif form.has_direction:
        check_direction(path, [chosen[0].of.get(key, "") for key in ("metric", "scorer")], choice)
    by = choice.named.get("id", form.by)
    return Understood(form.name, by, outcome, form.unit, also, form.repeats), chosen
