"""Rows of other evaluation tools, so that the gate can judge them: one JSON object per line."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from longctx.config.project_files import read_text
from longctx.errors import UserError
from longctx.fields import Amount, reason
from longctx.results.foreign import results_of_archive, results_of_text
from longctx.results.foreign.result import MOST_NAMED, Choice, ForeignResult
from longctx.results.manifest import MANIFEST, Manifest, load_manifest
from longctx.results.row import Row, by_test
from longctx.results.store import RESULTS, load_rows
from longctx.results.strict_json import loads
from longctx.text import visible
from longctx.vocabulary.cell import CREDIT, IMPORTED

ALL = Choice()
LACKING = "not in the new results"
"""The error of a row that stands for a result which only the earlier file has."""


def _whole(text: str) -> str:
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise ValueError(f"{text!a} holds half of a character (a lone surrogate)")
    return text


WholeText = Annotated[str, AfterValidator(_whole)]


class ImportedRow(BaseModel):
    """One result of another tool."""

    model_config = ConfigDict(strict=True, extra="forbid")

    id: WholeText
    """What identifies the item: results of the same id are paired. A repeat of an item has the same id again."""
    correct: bool | None
    """Whether the answer is right; null if it was not measured."""
    band: WholeText = "all"
    """The band in which the gate judges it, such as a range of lengths."""
    cluster: WholeText | None = None
    """What items share, such as a document."""
    cost: Amount | None = None
    """USD."""
    guessing: float | None = Field(default=None, ge=0, lt=1)
    """The rate that guessing reaches, such as 0.5 with two answers."""


@dataclass(frozen=True, slots=True)
class _Result:
    """A row, and what only another tool's file has beside it."""

    row: ImportedRow
    credit: float | None = None
    """Partial credit."""
    document: str | None = None
    """The digest of what is asked about."""
    answer: str | None = None
    reason: str | None = None


def load_results(path: Path, choice: Choice = ALL) -> tuple[list[Row], Manifest | None]:
    """Return the rows of another tool's file or, with its manifest, those of a run. Raises UserError.

    path: a file, or the folder of a run or its results.jsonl. choice: what to take from a file of another tool.
    """
    folder = path.parent if path.name == RESULTS and (path.parent / MANIFEST).is_file() else path
    if not folder.is_dir():
        return load_imported(path, choice), None
    _check_no_choice(path, choice)
    try:
        return load_rows(folder), load_manifest(folder)
    except FileNotFoundError:
        raise UserError(
            "no-run-there",
            f"{path} holds no finished run: give a folder such as reports/latest, or a file of JSON lines.",
        ) from None


def load_imported(path: Path, choice: Choice = ALL) -> list[Row]:
    """Read a file of imported rows, or one that another tool wrote. Raises UserError, which names the line."""
    try:
        found = results_of_archive(path)
        text = read_text(path) if found is None else ""
    except OSError as error:
        raise UserError(
            "no-rows-file", f"{path} cannot be read: {error.strerror}. Give a file of JSON lines."
        ) from None
    if found is None:
        found = results_of_text(path, text)
    if found is None:
        _check_no_choice(path, choice)
        imported = _lines(path, text)
    else:
        imported = (_converted(path, result, choice) for result in choice.of(path, found))
    rows: list[Row] = []
    results: Counter[tuple[str, str]] = Counter()
    for each in imported:
        place = each.row.band, each.row.id
        rows.append(_row(path, each, results[place]))
        results[place] += 1
    if not rows:
        raise UserError("no-imported-rows", f"{path} holds no rows: write one JSON object per line.")
    _check_repeats(path, results)
    return rows


def _lines(path: Path, text: str) -> Iterator[_Result]:
    for number, line in enumerate(text.split("\n"), start=1):  # JSON allows U+2028 and its like within a line
        if not line.strip():
            continue
        try:
            yield _Result(ImportedRow.model_validate(loads(line)))
        except (ValueError, ValidationError) as error:
            raise UserError(
                "bad-imported-row",
                f'{path}, line {number}: {reason(error)}. A line is an object such as {{"id": "q1", "correct": true, '
                '"band": "short", "cluster": "handbook.md", "cost": 0.002}; id and correct are required.',
            ) from None


def _converted(path: Path, result: ForeignResult, choice: Choice) -> _Result:
    try:
        score = result.score()
        row = ImportedRow(
            id=result.id,
            correct=None if score is None else score == 1,
            band=result.text(choice.band) if choice.band else "all",
            cluster=result.text(choice.cluster) if choice.cluster else None,
            cost=result.cost,
        )
    except (ValueError, ValidationError) as error:
        raise UserError(
            "bad-result", f"{path}, {result.name}: {visible(reason(error))}. Choose another, or convert it to rows."
        ) from None
    credit = None if score in (None, 0, 1) else score
    return _Result(row, credit, result.document, result.answer, result.reason)


def _check_no_choice(path: Path, choice: Choice) -> None:
    if choice:
        raise UserError(
            "nothing-to-choose",
            f"{path} is not a file of inspect_ai, lm-evaluation-harness or promptfoo: leave out --select, --cluster "
            "and --band; rows have bands and clusters of their own.",
        )


def check_same_documents(before: Sequence[Row], after: Sequence[Row], names: tuple[Path, Path]) -> None:
    """Raise UserError if results of one id are about different documents, so that they are no pair.

    names: the files of the earlier and the later results.
    """
    known = {row.item: row.documents for row in before if row.test == IMPORTED and row.documents}
    of_both = dict.fromkeys((row.item, row.documents) for row in after if row.documents and row.item in known)
    if changed := [f"{item}" for item, document in of_both if known[item] != document]:
        listed = visible(", ".join([*changed[:MOST_NAMED], *(["…"] if len(changed) > MOST_NAMED else [])]))
        raise UserError(
            "other-documents",
            f"{names[1]} has other documents than {names[0]} for {len(changed):,} of {len(of_both):,} ids ({listed}), "
            "so their results are no pairs: run both on the same version of the task, or remove these ids.",
        )


def with_lacking(before: Sequence[Row], after: Sequence[Row]) -> list[Row]:
    """Return the later rows with one that was not measured for each item that only the earlier ones have.

    Of a test with several subjects, or with none in the later rows, they stay as they are: the gate names them.
    """
    present = {_asked(row) for row in after}
    lacking = [row for row in before if row.repeat == 0 and _asked(row) not in present]
    subjects = {test: [*of] for test, of in by_test(after).items()}
    added = []
    for row in lacking:
        if len(of := subjects.get(row.test, [])) == 1:
            [subject] = of
            unmeasured: dict[str, Any] = {"outcome": "infra_error", "error": LACKING, "cost_usd": None}
            unmeasured |= {"model": subject.model, "prompt_set": subject.prompt_set, "shape": subject.shape}
            added.append(replace(row, run=after[0].run, labels=dict(subject.labels), **unmeasured))
    return [*after, *added]


def _asked(row: Row) -> tuple[object, ...]:
    """Return what identifies the trial of a row, whoever was asked."""
    return row.test, row.cell, row.item, row.seed, row.trial


def _check_repeats(path: Path, results: Counter[tuple[str, str]]) -> None:
    """Raise UserError unless each item has as many results: asking failed items again would hide a regression."""
    (most, highest), (least, lowest) = results.most_common(1)[0], min(results.items(), key=lambda entry: entry[1])
    if highest != lowest:
        raise UserError(
            "uneven-repeats",
            f"{path} has {visible(most[1])!r} {highest:,} times and {visible(least[1])!r} {lowest:,} times: ask each "
            "item equally often, or keep one result of each.",
        )


def _row(path: Path, result: _Result, repeat: int) -> Row:
    row = result.row
    measured: dict[str, Any] = {"outcome": "correct" if row.correct else "wrong", "returned": result.answer}
    if not row.correct:
        measured["why"] = result.reason
    if result.credit is not None:
        measured |= {"why": f"partial credit {result.credit:g}", "trace": {CREDIT: round(1000 * result.credit)}}
    if row.correct is None:
        measured = {"outcome": "infra_error", "error": "not measured"}
    return Row(
        run=path.stem,
        model=IMPORTED,
        prompt_set=IMPORTED,
        prompt_digest="",
        test=IMPORTED,
        cell=row.band,
        params={},
        seed=0,
        trial=0,
        item=row.id,
        repeat=repeat,
        band=row.band,
        cluster=row.cluster,
        cost_usd=row.cost,
        guessing=row.guessing,
        documents=result.document,
        **measured,
    )
