"""The quality of a bank of questions as tables: controls, questions by discrimination, and groups of questions."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence

from longctx.authoring.items import ItemQuality, Quality
from longctx.protocols.choices import above_chance
from longctx.protocols.control import RECORDS
from longctx.report.document import Document
from longctx.results.export import cell
from longctx.stats.rates import Rate
from longctx.views.chart import Table

NAMES = {"right": "right section", "wrong": "wrong section", "none": "no record"}
WORST = {"questions": 10, "facts": 5, "sections": 5}
"""The most rows of each table in a terminal."""


def document(title: str, quality: Quality, notes: Sequence[str], asked: Mapping[str, str], short: bool) -> Document:
    """Return the report. notes: sentences above the tables. asked: the text of each question, by id. short: show only
    the worst, for a terminal."""
    groups = [_groups("facts", quality.facts, short), _groups("sections", quality.sections, short)]
    tables = (controls(quality.overall), _questions(quality.items, asked, short), *filter(None, groups))
    return Document(title, tuple(notes), tables)


def controls(overall: ItemQuality) -> Table:
    """Return the notebook's table: how many are right and wrong with the right section alone, a wrong one, and none."""
    read: list[Rate] = [getattr(overall, record) for record in RECORDS]
    rates = [overall.rate_of_replies(record) for record in RECORDS]
    unread = [rate.n - answers.n for rate, answers in zip(rates, read, strict=True)]
    columns = {
        "record": [NAMES[record] for record in RECORDS],
        "right": [str(answers.correct) for answers in read],
        "wrong": [str(answers.n - answers.correct) for answers in read],
        **({"not readable": list(map(str, unread))} if any(unread) else {}),
        "accuracy [95% interval]": [str(rate) for rate in rates],
        "above chance": [f"{above_chance(rate.rate):+.2f}" if rate.n else "" for rate in rates],
    }
    title = "Asked with the right section alone, with a wrong one, with none"
    return Table.from_columns(title, columns, test="control")


def as_csv(quality: Quality, asked: Mapping[str, str]) -> str:
    """Return a line for each question, the worst first; cells are escaped so that spreadsheets see no formulas."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    counts = [f"{record}_{kind}" for record in RECORDS for kind in ("correct", "n", "unread")]
    writer.writerow(["question", "section", "fact", *counts, "difficulty", "discrimination", "fault", "text"])
    for item in quality.items:
        rates = {record: getattr(item, record) for record in RECORDS}
        numbers = [n for record, rate in rates.items() for n in (rate.correct, rate.n, item.unread.get(record, 0))]
        worth = [f"{item.right.rate:.4f}" if item.right.n else "", _number(item.discrimination, "")]
        names = [cell(text) for text in (item.name, item.section, item.fact)]
        writer.writerow([*names, *numbers, *worth, item.fault, cell(asked.get(item.name, ""))])
    return out.getvalue()


def _questions(items: Sequence[ItemQuality], asked: Mapping[str, str], short: bool) -> Table:
    shown = items[: WORST["questions"]] if short else items
    columns = {
        "question": [item.name for item in shown],
        **_rates(shown),
        "discrimination": [_number(item.discrimination, "-") for item in shown],
        "found": [item.fault for item in shown],
    }
    if not short:
        columns["text"] = [asked.get(item.name, "") for item in shown]
    return Table.from_columns(_title("Questions", len(shown), len(items)), columns, said=("text",))


def _groups(kind: str, items: Sequence[ItemQuality], short: bool) -> Table | None:
    """Return the table of the groups; None if there are none."""
    if not items:
        return None
    shown = items[: WORST[kind]] if short else items
    columns = {
        kind[:-1]: [group.name for group in shown],
        "questions": [str(group.questions) for group in shown],
        **_rates(shown),
        "discrimination [95% interval]": [str(group.paired) for group in shown],
    }
    title = _title(kind.capitalize(), len(shown), len(items))
    return Table.from_columns(title, columns)


def _rates(items: Sequence[ItemQuality]) -> dict[str, list[str]]:
    return {NAMES[record]: [_share(getattr(item, record)) for item in items] for record in RECORDS}


def _title(kind: str, shown: int, of: int) -> str:
    which = f"the worst {shown} of {of}" if shown < of else "worst first"
    return f"{kind} by what the right section is worth, {which}"


def _share(rate: Rate) -> str:
    return f"{rate.correct} of {rate.n}" if rate.n else "-"


def _number(value: float | None, missing: str) -> str:
    return missing if value is None else f"{value:+.2f}"
