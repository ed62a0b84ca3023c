"""Rows of other evaluation tools, so that the gate can judge them."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from operator import attrgetter, itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx.errors import UserError
from longctx.results.foreign import results_of
from longctx.results.foreign.choice import MOST_OPTIONS, Choice, Undecided
from longctx.results.foreign.outcome import OffScale, suggested
from longctx.results.foreign.result import ForeignResult
from longctx.results.foreign.tables import results_of_rows, shared_ids
from longctx.results.foreign.understood import Understood
from longctx.results.foreign.values import MOST_NAMED, PERCENT
from longctx.results.grouping import by_test
from longctx.results.making import maker_of
from longctx.results.records import Entry
from longctx.results.row import Row
from longctx.text import visible
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import CREDIT, IMPORTED

if TYPE_CHECKING:
    from longctx.results.manifest import Manifest

ALL = Choice()
RESULTS = "results.jsonl"
"""The file of a run's rows in its folder, as results/store.py writes it."""
RUN = "a run of longctx"
NOT_CHECKED = "imported, not digest-checked: longctx cannot verify that both runs used the same questions"
MOST_BANDS = 100
THREE = 3
"""How many ids of each file are shown if they do not meet."""
NONE: Mapping[str, Any] = {}
"""Shared by all rows, of which there may be hundreds of thousands."""
NOT_IN_NEW = "not in the new results"
"""The error of a row that stands for a result which only the earlier file has."""


place_of = attrgetter("band", "item")
"""Returns the band and the item of a row."""


@contextlib.contextmanager
def without_collector() -> Iterator[None]:
    """Pause the search for objects that refer to each other, as no rows do: it takes a third of the time of a gate."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


@dataclass(frozen=True, slots=True)
class Loaded:
    """The rows of a file or a run."""

    rows: list[Row]
    form: str
    """What the file is, such as `an output of promptfoo`."""
    manifest: Manifest | None = None
    """The manifest, if the file is a run of longctx."""
    understood: str = ""
    """A sentence, without its full stop, on what was understood of a file of another tool."""
    questions: Mapping[tuple[str | None, str | None], str] = field(default_factory=dict)
    """What a file of another tool asks, by the band and the item."""


def load_results(path: Path, choice: Choice = ALL) -> Loaded:
    """Return the rows of another tool's file or, with its manifest, those of a run. Raises UserError.

    path: a file, or the folder of a run or its results.jsonl. choice: what to take from a file of another tool.
    """
    if path.name != RESULTS and not path.is_dir():
        return load_imported(path, choice)
    from longctx.results.manifest import MANIFEST, load_manifest
    from longctx.results.store import load_rows

    folder = path.parent if path.name == RESULTS and (path.parent / MANIFEST).is_file() else path
    if not folder.is_dir():
        return load_imported(path, choice)
    if choice:
        raise UserError(
            "nothing-to-choose",
            f"{path} is a run of longctx: leave out --select and the options that name a field.",
        )
    try:
        return Loaded(load_rows(folder), RUN, load_manifest(folder))
    except FileNotFoundError:
        raise UserError(
            "no-run-there",
            f"{path} contains no finished run: name a folder such as reports/latest, or a file of results.",
        ) from None


def load_imported(path: Path, choice: Choice = ALL) -> Loaded:
    """Read a file of results. Raises UserError, which names the line."""
    try:
        understood, found = results_of(path, choice)
    except OSError as error:
        raise UserError("no-rows-file", f"{path} cannot be read: {error.strerror}. Name a file of results.") from None
    return _imported(path, understood, found, choice)


def rows_given(name: Path, rows: Sequence[Mapping[str, Any]], choice: Choice = ALL) -> Loaded:
    """Return rows that a program made. Raises UserError. name: what they are called."""
    if not rows:
        raise UserError("no-imported-rows", f"{name} contains no results: give one dictionary per result.")
    entries = (Entry(f"row {number:,}", row) for number, row in enumerate(rows, start=1))
    return _imported(name, *results_of_rows(name, entries, choice), choice)


def _imported(path: Path, understood: Understood, found: Sequence[ForeignResult], choice: Choice) -> Loaded:
    """Return the rows of results. Raises UserError."""
    results: dict[tuple[str, str], int] = {}
    rows = []
    questions: dict[tuple[str | None, str | None], str] = {}
    run = path.stem
    most = max((result.depth for result in found if result.depth is not None), default=0.0)
    whole = 1.0 if most <= 1 else float(PERCENT)
    for result in found:
        place = result.band, result.id
        repeat = results.get(place, 0)
        try:
            rows.append(_row(run, result, repeat, choice, whole))
        except OffScale as error:
            raise _off_scale(path, result, found, error) from None
        except ValueError as error:
            raise UserError(
                "bad-result", f"{path}, {result.name}: {visible(str(error))}. Name another field, or leave it out."
            ) from None
        results[place] = repeat + 1
        if result.question:
            questions[place] = result.question
    if len(bands := {row.band for row in rows}) > MOST_BANDS:
        raise UserError(
            "many-bands",
            f"{path} has {len(bands):,} bands, and no more than {MOST_BANDS} are judged: a band is a group of many "
            "items, such as a range of lengths.",
        )
    _check_repeats(path, results)
    return Loaded(rows, understood.form, understood=understood.sentence(path.name, found, choice), questions=questions)


def _off_scale(path: Path, result: ForeignResult, found: Sequence[ForeignResult], error: OffScale) -> UserError:
    """Return what to say of a number that is not on the scale: which scale the file may have."""
    scale = suggested([each.value for each in found])
    sentence = f"{path}, {result.name}: {visible(str(error))}"
    if scale is None:
        return UserError("bad-result", f"{sentence}. Name another field, or its scale by --scale LOWEST:HIGHEST.")
    advice = f"Name its lowest and its highest mark by --scale, such as --scale {scale}, or another field"
    return Undecided("bad-result", f"{sentence}. {advice}.", options=[("--scale", scale)])


def check_comparable(before: Loaded, after: Loaded, names: Both[Path], choice: Choice = ALL) -> None:
    """Raise UserError unless two files are of one form, have an id in common, and each id is about one document.

    names: the files of the earlier and the later results. choice: what was taken from them.
    """
    if before.form != after.form:
        raise UserError(
            "two-forms",
            f"{names.before} is {before.form} and {names.after} is {after.form}, whose ids name different items: use "
            "two files of one tool, or convert both to rows with id and correct.",
        )
    if before.form == RUN:
        return
    ours = dict.fromkeys(map(place_of, before.rows))
    if ours.keys().isdisjoint(map(place_of, after.rows)):
        theirs = dict.fromkeys(map(place_of, after.rows))
        both = {item for _, item in ours} & {item for _, item in theirs}
        first, second = (min(rows, key=lambda row: row.item not in both) for rows in (before.rows, after.rows))
        if both:
            raise UserError(
                "no-id-in-common",
                f"{names.before} and {names.after} have their ids in different bands: {first.item!r} is in "
                f"{first.band!r} and {second.band!r}. Give both the same bands, in a field band or by --band FIELD.",
            )
        some, others = (", ".join(repr(item) for _, item in [*ids][:THREE]) for ids in (ours, theirs))
        options = [("--id", name) for name in _shared_ids(names, choice)]
        raise Undecided(
            "no-id-in-common",
            f"{names.before} and {names.after} have no id in common: the first has {some}, the second {others}. Name "
            "the field that identifies an item by --id FIELD.",
            options=options,
        )
    _check_same_documents(before.rows, after.rows, names)


def _shared_ids(names: Both[Path], choice: Choice) -> list[str]:
    """Return the fields that identify items of both files, as far as these are rows."""
    try:
        return shared_ids(names, choice)[:MOST_OPTIONS]
    except (UserError, ValueError, OSError):
        return []


def _check_same_documents(before: Sequence[Row], after: Sequence[Row], names: Both[Path]) -> None:
    """Raise UserError if results of one id are about different documents, so that they are no pair.

    names: the files of the earlier and the later results.
    """
    known = {row.item: row.documents for row in before if row.test == IMPORTED and row.documents}
    in_both = dict.fromkeys((row.item, row.documents) for row in after if row.documents and row.item in known)
    if changed := [f"{item}" for item, document in in_both if known[item] != document]:
        listed = visible(", ".join([*changed[:MOST_NAMED], *(["…"] if len(changed) > MOST_NAMED else [])]))
        raise UserError(
            "other-documents",
            f"{names.after} has other documents than {names.before} for {len(changed):,} of {len(in_both):,} ids "
            f"({listed}), so their results cannot be paired: run both on the same version of the task, "
            "or remove these ids.",
        )


def with_unmeasured(before: Sequence[Row], after: Sequence[Row]) -> list[Row]:
    """Return the later rows with one that was not measured for each item that only the earlier ones have.

    Of a test with several subjects, or with none in the later rows, they stay as they are: the gate names them.
    """
    present = {*map(_asked, after)}
    absent = [row for row in before if row.repeat == 0 and _asked(row) not in present]
    if not absent:
        return [*after]
    subjects = {test: [*of] for test, of in by_test(after, ()).items()}
    added = []
    for row in absent:
        if len(of := subjects.get(row.test, [])) == 1:
            [subject] = of
            unmeasured: dict[str, Any] = {"outcome": "infra_error", "error": NOT_IN_NEW, "cost_usd": None}
            unmeasured |= {"model": subject.model, "prompt_set": subject.prompt_set, "shape": subject.shape}
            unmeasured["server"] = subject.server or None
            added.append(replace(row, run=after[0].run, labels=dict(subject.labels), **unmeasured))
    return [*after, *added]


_asked = attrgetter("test", "cell", "item", "seed", "trial")
"""Returns what identifies the trial of a row, for any model."""


def _check_repeats(path: Path, results: Mapping[tuple[str, str], int]) -> None:
    """Raise UserError unless each item has as many results: repeating failed items alone would hide a regression."""
    if len({*results.values()}) > 1:
        (most, highest), (least, lowest) = (of(results.items(), key=itemgetter(1)) for of in (max, min))
        raise UserError(
            "uneven-repeats",
            f"{path} has {visible(most[1])!r} {highest:,} times and {visible(least[1])!r} {lowest:,} times: run each "
            "item equally often, or keep one result of each.",
        )


def _row(run: str, result: ForeignResult, repeat: int, choice: Choice, whole: float) -> Row:
    """Return the row of a result. Raises ValueError. whole: the depth of the context's end."""
    for text in (result.id, result.band, result.cluster):
        if text is not None and not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
            raise ValueError(f"{text!a} contains half of a character (a lone surrogate)")
    score = None if result.error else choice.scale.share(result.value)
    outcome = "infra_error" if score is None else "correct" if score == 1 else "wrong"
    trace = {CREDIT: round(1000 * score)} if score is not None and 0 < score < 1 else NONE
    returned = None if score is None else result.answer
    expected = None if result.expected is None else sys.intern(result.expected)  # both files have it
    error = (result.error or "not measured") if score is None else None
    depth = None if result.depth is None else result.depth / whole
    asked = run, result.band, result.id, repeat, result.band, result.cluster, result.document, expected, depth
    answered = outcome, returned, _why(score, result), trace, error, result.cost, result.guessing
    return make_row(*asked, *answered, NONE, NONE, NONE)


def _why(score: float | None, result: ForeignResult) -> str | None:
    """Return why an answer is not right; None if that is not known, or it was not measured."""
    if score is None or score == 1:
        return None
    return f"partial credit {score:g}" if score else result.reason


ASKED = "run", "cell", "item", "repeat", "band", "cluster", "documents", "expected", "depth"
ANSWERED = "outcome", "returned", "why", "trace", "error", "cost_usd", "guessing"
EMPTY = "params", "labels", "answered_by"
SAME = {"model": IMPORTED, "prompt_set": IMPORTED, "prompt_digest": "", "test": IMPORTED, "seed": 0, "trial": 0}
"""What is the same in all rows of other tools."""
make_row = maker_of(Row, (*ASKED, *ANSWERED, *EMPTY), SAME)
