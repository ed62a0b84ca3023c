"""The file of labels: answers that a judge graded, for people to label, as CSV.

A line has one answer. Neither its grade nor its run is in it, and lines come in random order, so that people judge as
they would without them. Texts are made harmless for spreadsheets (results/export.py).
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from longctx.errors import UserError
from longctx.results.export import cell

COLUMNS = "answer", "trial", "request", "asked of the judge", "reply", "label"
RIGHT, WRONG = "right", "wrong"
MOST_CHARACTERS = 30_000
"""The most characters of a cell: spreadsheets take few more."""


@dataclass(frozen=True, slots=True)
class ToLabel:
    """An answer that people label."""

    answer: str
    """What identifies it, twelve hex digits."""
    trial: str
    request: str
    criterion: str
    """What the judge is asked of it, without the answer."""
    reply: str


@dataclass(frozen=True, slots=True)
class Labels:
    """What people say of answers."""

    source: str
    """The file that they come from."""
    right: Mapping[str, bool]
    """Whether an answer is right, by what identifies it."""


def as_csv(answers: Iterable[ToLabel]) -> str:
    """Return the file of these answers, without labels."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for of in sorted(answers, key=lambda each: each.answer):
        texts = (cell(text[:MOST_CHARACTERS]) for text in (of.trial, of.request, of.criterion, of.reply))
        writer.writerow([of.answer, *texts, ""])
    return out.getvalue()


def read_labels(path: Path) -> Labels:
    """Return the labels of a file. Raises UserError if it is no such file, or half filled in, or contradicts itself."""
    found: dict[str, bool] = {}
    unlabelled, number = 0, 0
    for line, answer, label in _lines(path):
        number += 1
        if not label:
            unlabelled += 1
            continue
        if label not in (RIGHT, WRONG):
            raise UserError(
                "bad-label", f"{path}:{line}: the label {label!r:.60} is neither `{RIGHT}` nor `{WRONG}`: correct it."
            )
        if found.setdefault(answer, label == RIGHT) != (label == RIGHT):
            raise UserError(
                "contradictory-labels",
                f"{path}:{line}: the answer {answer!r:.40} is labelled `{RIGHT}` and `{WRONG}`: keep one of its lines.",
            )
    if unlabelled:
        raise UserError(
            "labels-missing",
            f"{path}: {unlabelled:,} of {number:,} answers have no label: write `{RIGHT}` or `{WRONG}` in each line.",
        )
    return Labels(str(path), found)


def _lines(path: Path) -> Iterator[tuple[int, str, str]]:
    """Yield the number, the answer and the label of each line. Raises UserError."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _bad(path, str(error)) from None
    head = text.partition("\n")[0]
    reader = csv.DictReader(io.StringIO(text), delimiter=";" if head.count(";") > head.count(",") else ",", strict=True)
    try:
        if missing := {"answer", "label"} - {*(reader.fieldnames or ())}:
            raise _bad(path, f"it has no column {' and no column '.join(sorted(missing))}")
        for row in reader:
            answer, label = ((row[name] or "").strip() for name in ("answer", "label"))
            if answer or label:
                yield reader.line_num, answer, label.casefold()
    except csv.Error as error:
        raise _bad(path, f"line {reader.line_num + 1}: {error}") from None


def _bad(path: Path, why: str) -> UserError:
    return UserError(
        "bad-labels-file", f"{path} is no file of labels ({why}): write one with `longctx data labels RUN`."
    )
