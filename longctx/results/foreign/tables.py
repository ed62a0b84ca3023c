"""Results of rows whose form nobody knows: one per record of a file, or those of a list inside its only record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.errors import UserError
from longctx.results.foreign.checks import check_direction, check_number, fault, located, place_of
from longctx.results.foreign.choice import Choice, not_there, several_results
from longctx.results.foreign.result import ForeignResult, item_of
from longctx.results.foreign.rows import OUTCOMES, RowReader
from longctx.results.foreign.telling import plain_fields, telling
from longctx.results.foreign.understood import Understood
from longctx.results.foreign.values import short, value_in
from longctx.results.records import Entry, likely_id, records
from longctx.text import visible
from longctx.vocabulary.both import Both

if TYPE_CHECKING:
    from longctx.results.foreign.lists import ListedRows as Listed

NAME = "a file of rows"
PARQUET = b"PAR1"
"""The beginning of a Parquet file."""
READ_OTHERWISE = "id", *OUTCOMES, "band", "cluster", "answer", "expected", "cost", "guessing"
"""The fields of rows that tell no results of an item apart."""


def results_of_rows(path: Path, entries: Iterator[Entry], choice: Choice) -> tuple[Understood, list[ForeignResult]]:
    """Return what rows are, and their results. Raises UserError."""
    form, entries, choice, numbered = _rows_in(path, entries, choice)
    rows = RowReader(choice, numbered=numbered)
    results: list[ForeignResult] = []
    chosen: list[Entry] = []
    for entry in entries:
        try:
            result = rows.read(entry.value)
        except ValueError as error:
            raise fault(place_of(path, entry), error) from None
        if result is not None:
            results.append(result)
            chosen.append(entry)
            check_number(path, results)
    if not results:
        key, value = next(iter(choice.select.items()))
        raise not_there(path, key, value, {name: [*values] for name, values in rows.seen.items()})
    _check_repeats(path, results, chosen, rows)
    check_direction(path, [rows.outcome, *choice.select.values()], choice)
    selected = [f"{key}={value}" for key, value in choice.select.items()]
    outcome = f"{choice.score} of {rows.expected} in {rows.answer}" if choice.score else rows.outcome
    others = [f"{key}={value}" for key, seen in rows.seen.items() for value in seen if value != choice.select[key]]
    by = "their place" if numbered or choice.by_place else choice.named.get("id", "id")
    return Understood(
        form, by, " of ".join([outcome, *selected]), also=(*others, *rows.also), repeats=rows.repeats
    ), results


def _rows_in(path: Path, entries: Iterator[Entry], choice: Choice) -> tuple[str, Iterator[Entry], Choice, bool]:
    """Return what the rows are, the rows, the choice among them, and whether their place identifies them."""
    first = next(entries)
    others = [*([] if (second := next(entries, None)) is None else [second])]
    if others and not choice.rows:
        return NAME, chain((first, *others), entries), choice, False
    found = [*located(place_of(path, first), _inside(first.value, choice))]
    if not found:
        return NAME, chain((first, *others), entries), choice, False
    name, rows = found[0]
    named = (Entry(f"{visible(name)}, entry {number:,}", row) for number, row in enumerate(rows, start=1))
    numbered = "id" not in choice.named and any("id" not in row for row in rows)
    if numbered and (likely := likely_id(rows[0])) and _identifies(rows, likely):
        choice, numbered = replace(choice, named={**choice.named, "id": likely}), False
    return f"{NAME} ({short(name)})", named, choice, numbered


def _inside(record: Mapping[str, Any], choice: Choice) -> Iterator[tuple[str, Listed]]:
    """Yield the list of rows in the first record, if it is not a row itself. Raises ValueError."""
    outcomes = [choice.named["correct"]] if "correct" in choice.named else OUTCOMES
    if not choice.rows and choice.named.get("id", "id") in record and any(_has(record, name) for name in outcomes):
        return
    from longctx.results.foreign.lists import only_list, rows_at

    if choice.rows:
        yield choice.rows, rows_at(record, choice.rows)
    elif found := only_list(record):
        yield found


def _has(record: Mapping[str, Any], name: str) -> bool:
    try:
        value_in(record, name)
    except ValueError:
        return False
    return True


def _identifies(rows: Listed, name: str) -> bool:
    """Return whether each row has its own value in a field."""
    values = [row.get(name) for row in rows]
    return all(isinstance(value, str | int) for value in values) and len(set(values)) == len(values)


def _check_repeats(path: Path, results: Sequence[ForeignResult], entries: Sequence[Entry], rows: RowReader) -> None:
    """Raise UserError if several rows of an item differ in more than what counts repeats."""
    if len({*map(item_of, results)}) == len(results):
        return
    items = Counter(map(item_of, results))
    groups = [(result.id, result.band, *result.of.values()) for result in results]
    counted = Counter(groups)
    explained = len(counted) == len(groups)
    ignored = {*READ_OTHERWISE, rows.outcome, *rows.choice.named.values(), *rows.choice.select}
    repeated = [
        ((result.id, result.band) if explained else group, entry.value)
        for result, group, entry in zip(results, groups, entries, strict=True)
        if items[result.id, result.band] > 1
    ]
    if found := telling(repeated, ignored, explained):
        raise several_results(path, found, [{key: _value(entry.value, key) for key in found} for entry in entries])
    if rows.repeats and not explained:
        twice = next(index for index, group in enumerate(groups) if counted[group] > 1)
        raise UserError("result-twice", f"{path}: it has the result {results[twice].name} twice: keep one of each.")


def _value(record: Mapping[str, Any], name: str) -> str:
    try:
        return str(value_in(record, name))
    except ValueError:
        return "-"


def entries_of(path: Path, begins: bytes) -> Iterator[Entry]:
    """Return the records of a file. begins: its first bytes. Raises UserError, and ValueError if it is damaged."""
    if begins != PARQUET:
        return iter(records(path))
    from longctx.results.foreign.parquet import parquet_rows

    return parquet_rows(path)


def shared_ids(paths: Both[Path], choice: Choice) -> list[str]:
    """Return the fields of rows in two files that identify the same items in both, the likeliest first."""
    known = []
    for path in (paths.before, paths.after):
        with path.open("rb") as file:
            begins = file.read(4)
        _, entries, _, _ = _rows_in(path, entries_of(path, begins), choice)
        fields: dict[str, list[str]] = {}
        for entry in entries:
            for name, value in plain_fields(entry.value):
                fields.setdefault(name, []).append(value)
        known.append({name: set(values) for name, values in fields.items() if len(set(values)) == len(values)})
    old, new = known
    met = {name: len(old[name] & new[name]) for name in old if name in new}
    enough = [name for name, number in met.items() if 2 * number > max(len(old[name]), len(new[name]))]
    return sorted(enough, key=lambda name: (-met[name], likely_id([name]) is None))
