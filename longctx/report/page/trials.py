"""The trials of a run for the page's explorer: a small index, and compressed chunks of details, opened on demand."""

from __future__ import annotations

import base64
import gzip
import itertools
import json
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from longctx.report.page.earlier_answers import CHANGES, Earlier, EarlierAnswers, change_of
from longctx.results.grouping import grouped
from longctx.results.row import EARLY_STOP, Row

CHUNK = 200
"""The number of trials in a chunk."""
LEVEL = 6
"""The level of compression. Level 9 makes the details of 24,000 trials 5% smaller and takes three times as long."""
SHORT = 40
"""The most characters of an answer in the index."""
FACTS: dict[str, tuple[str, Callable[[Any], str]]] = {
    "item": ("question", str),
    "depth": ("depth of the needle", "{:.1%}".format),
    "distance_from_end": ("needle to the end", "{:,.0f} tokens".format),
    "input_tokens": ("prompt", "{:,.0f} tokens".format),
    "cached_tokens": ("read from the prompt cache", "{:,.0f} tokens".format),
    "output_tokens": ("reply", "{:,.0f} tokens".format),
    "thinking_tokens": ("thinking", "{:,.0f} tokens".format),
    "latency_s": ("latency", "{:,.2f} s".format),
    "cost_usd": ("cost", lambda usd: f"${usd:,.6f}".rstrip("0").rstrip(".")),
    "stop_reason": ("stopped by", str),
    "refusal": ("category of the refusal", str),
    "model_returned": ("answered by", str),
    "source": ("answer", str),
    "recorded_at": ("recorded", lambda at: f"{at[:10]} {at[11:16]} UTC"),
}
"""The label and the format of each field of a row that is shown."""
WHY_NOT_ASKED = ("stale", "missing", "budget", "pending", EARLY_STOP)
"""The causes that are shown instead of the outcome `not_asked`."""


def subject_of(row: Row) -> str:
    return str(row.subject)


def shown_subject(rows: Sequence[Row]) -> Callable[[Row], str]:
    """Return what names the subject of a row: its treatment, and the rest only where a treatment has several."""
    subjects = grouped(rows, lambda row: (row.model, row.test))
    several = {of for of, group in subjects.items() if len({row.subject for row in group}) > 1}
    return lambda row: str(row.subject) if (row.model, row.test) in several else row.model


def index(
    rows: Sequence[Row],
    title: Callable[[str], str],
    earlier: EarlierAnswers | None = None,
    subject: Callable[[Row], str] = subject_of,
) -> str:
    """Return the index as JSON without `<`, so that it can be part of a page.

    It holds lists of names, and for each trial its indices in them, its own name, and what was expected and returned.
    title: returns the title of a test. earlier: the answers of the run that it is compared with, if any; each trial
    then has its group of CHANGES, too. subject: returns what a trial was asked of.
    """
    columns: dict[str, Sequence[str]] = {
        "test": [title(row.test) for row in rows],
        "cell": [row.cell for row in rows],
        "model": [subject(row) for row in rows],
        "outcome": [_outcome(row) for row in rows],
    }
    names = {column: list(dict.fromkeys(values)) for column, values in columns.items()}
    if earlier is not None:
        columns["change"] = [change_of(earlier.get(row.identity), row) for row in rows]
        names["change"] = list(CHANGES)
    places = {column: {name: index for index, name in enumerate(values)} for column, values in names.items()}
    several = len({row.seed for row in rows}) > 1
    coded = ([places[column][value] for value in values] for column, values in columns.items())
    trials = zip(
        *coded,
        (_name(row, several) for row in rows),
        (_short(row.expected) for row in rows),
        (_short(row.returned) for row in rows),
        strict=True,
    )
    slugs = {title(row.test): row.test for row in rows}
    return _in_page(
        {"chunk": CHUNK, "names": names, "tests": list(slugs.values()), "trials": [list(trial) for trial in trials]}
    )


def chunks(
    rows: Sequence[Row],
    views: Iterable[str],
    options: Sequence[str] | None,
    earlier: EarlierAnswers | None = None,
    subject: Callable[[Row], str] = subject_of,
) -> Iterator[str]:
    """Yield Base64 of gzipped JSON: lists with the details of CHUNK trials, in the order of the index.

    views: the view of each row, as FinishedRun.views yields it. options: those of the command line that measure a trial
    again; None to show no command. subject: returns what a trial was asked of.
    """
    known = earlier or {}
    details = (
        _details(row, json.loads(view) if view else {}, options, known.get(row.identity), subject)
        for row, view in zip(rows, views, strict=True)
    )
    while chunk := list(itertools.islice(details, CHUNK)):
        text = json.dumps(chunk, separators=(",", ":"))
        yield base64.b64encode(gzip.compress(text.encode(), LEVEL, mtime=0)).decode()


def _details(
    row: Row,
    view: Mapping[str, Any],
    options: Sequence[str] | None,
    earlier: Earlier | None,
    subject: Callable[[Row], str],
) -> dict[str, Any]:
    before = {"before": _answer(earlier.row, view if earlier.same else earlier.view, subject)} if earlier else {}
    test = view.get("test")
    return {
        **_answer(row, view, subject),
        "expected": row.expected,
        **before,
        "excerpts": view.get("excerpts", []),
        "command": _command(test, row.name, row.repeat, options) if test and options is not None else None,
    }


def _answer(row: Row, view: Mapping[str, Any], subject: Callable[[Row], str]) -> dict[str, Any]:
    """Return one run's answer to a trial."""
    facts = {label: say(value) for name, (label, say) in FACTS.items() if (value := getattr(row, name)) is not None}
    if row.fallback:
        facts["answered by"] = f"{row.model_returned}, a fallback model"
    return {
        "subject": subject(row),
        "outcome": _outcome(row),
        "returned": row.returned,
        "why": [sentence for sentence in (row.why, row.error) if sentence],
        "facts": facts,
        **{name: view[name] for name in ("reply", "quotes") if view.get(name)},
    }


def _outcome(row: Row) -> str:
    """Return the outcome of a trial, or why it was not asked."""
    return row.error if row.outcome == "not_asked" and row.error in WHY_NOT_ASKED else row.outcome


def _command(test: str, trial: str, repeat: int, options: Sequence[str]) -> str:
    """Return the command that replays this trial; with --ctx-record all it asks the trial again."""
    repeats = [f"--ctx-repeats={repeat + 1}"] if repeat else []
    return shlex.join(["pytest", test, f"--ctx-only={trial}", *repeats, *options])


def _name(row: Row, several: bool) -> str:
    """Return the name of a trial in its cell. several: whether the page has trials of several seeds."""
    seed = f" seed {row.seed}" if several else ""
    return f"#{row.name}{seed}" + (f" repeat {row.repeat}" if row.repeat else "")


def _short(text: str | None) -> str | None:
    if text is None:
        return None
    return text if len(text) <= SHORT else text[: SHORT - 1] + "…"


def _in_page(document: object) -> str:
    return json.dumps(document, separators=(",", ":")).replace("<", "\\u003c")
