"""The forms of other tools' files that are known by name: each is an entry of FORMS."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from longctx.results.foreign.choice import Choice
from longctx.results.foreign.reports import REPORTS, ToolReport, strands
from longctx.results.foreign.result import ForeignResult, once


@dataclass(frozen=True, slots=True)
class Form:
    """A form of files. A new one is a line of FORMS and a function that reads a record, or a Report."""

    name: str
    dated: str
    """The version and the date of the format that is read."""
    knows: Callable[[Mapping[str, Any]], bool]
    """Whether a file is of this form, by its first record."""
    results: Callable[[Mapping[str, Any], Choice], Iterable[ForeignResult]]
    """Returns the results of a record. Raises ValueError."""
    outcome: Callable[[Mapping[str, str]], str]
    """Returns the name of the outcome of results by what was chosen of them."""
    unit: str = "item"
    by: str = "id"
    """What identifies an item."""
    repeats: Sequence[str] = ()
    """What counts repeats."""
    complete: Callable[[Sequence[ForeignResult], Choice], Sequence[ForeignResult]] = lambda results, _: once(results)
    """Returns the results of a file, since some results depend on all others. Raises ValueError."""
    has_direction: bool = True
    """Whether the name of an outcome may say that less is better; not of one that states whether a test passed."""

    @property
    def by_place(self) -> bool:
        return self.by == "their place"


def _of(report: ToolReport) -> Form:
    return Form(
        report.name,
        report.dated,
        report.knows,
        report.results,
        report.outcome_of,
        report.unit,
        report.by,
        report.repeats,
        report.numbered,
        report.has_direction,
    )


def _of_inspect_ai(record: Mapping[str, Any], choice: Choice) -> Iterable[ForeignResult]:
    from longctx.results.foreign import inspect_ai

    return inspect_ai.of_log(record, choice)


def _of_lm_eval(record: Mapping[str, Any], choice: Choice) -> Iterable[ForeignResult]:
    from longctx.results.foreign import lm_eval

    return lm_eval.results(record, choice)


def _of_promptfoo(record: Mapping[str, Any], choice: Choice) -> Iterable[ForeignResult]:
    from longctx.results.foreign import promptfoo

    return promptfoo.results(record, choice)


def _completed(results: Sequence[ForeignResult], choice: Choice) -> Sequence[ForeignResult]:
    from longctx.results.foreign import promptfoo

    return promptfoo.complete(results)


FORMS = (
    Form(
        "a log of inspect_ai",
        "0.3.285, October 2026",
        lambda first: first.keys() >= {"eval", "samples"},
        _of_inspect_ai,
        lambda of: f"scores.{of.get('scorer', '')}",
        unit="sample",
        repeats=("epoch",),
    ),
    Form(
        "a file of samples of lm-evaluation-harness",
        "0.4.13, September 2026",
        lambda first: first.keys() >= {"doc_id", "doc"},
        _of_lm_eval,
        lambda of: of.get("metric", "the one of its length") + f" (filter {of['filter']})",
        unit="sample",
        by="doc_id",
    ),
    Form(
        "an output of promptfoo",
        "0.121, October 2026",
        lambda first: (
            first.keys() >= {"testIdx", "promptIdx"}
            or (isinstance(first.get("results"), dict) and "results" in first["results"])
        ),
        _of_promptfoo,
        lambda of: of["scorer"],
        unit="test",
        by="the variable id, or all variables",
        repeats=("--repeat",),
        complete=_completed,
    ),
    Form(
        "an evaluation report of Strands",
        "1.7, November 2026",
        lambda first: (
            {"detailed_results", "overall_score"} <= first.keys()
            and all(isinstance(first.get(name), list) for name in ("cases", "scores"))
        ),
        strands,
        lambda of: f"scores of {of['metric']}",
        unit="case",
        by="name",
    ),
    *map(_of, REPORTS),
)
"""The forms by what they are called; the first that knows a file reads it, with a module that is imported then."""
