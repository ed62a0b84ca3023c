"""What is known of the judges of test functions, in words and as data."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from longctx.compare.judges import GradedTest
from longctx.gate.verdict import RunVerdict
from longctx.stats.judge_errors import Limited
from longctx.stats.rates import Rate
from longctx.text import count

EQUAL_ERRORS = "equal errors of its judge before and after are"
LABEL_THEM = "`longctx data labels RUN` writes answers to label, with which the verdict holds without that."
WITHIN = 0.05
"""A judge is known well enough if its labels leave the accuracy uncertain by no more than this."""


def judge_sentences(graded: Sequence[GradedTest]) -> Iterator[str]:
    """Yield a sentence on each judge that has labels: its agreement, its errors, and the accuracy without them."""
    for judged in graded:
        if judged.agreement.n:
            yield f"{_name(judged, graded)}: the judge {_agrees(judged)}{_errors(judged)}"


def doubts(graded: Sequence[GradedTest]) -> Iterator[str]:
    """Yield a sentence on each judge that has labels: what a reader must know before relying on its accuracies."""
    for judged in graded:
        if judged.agreement.n:
            corrected = f"; accuracy without its errors {_limits(judged.accuracy)}" if judged.errors.usable else ""
            yield f"{_name(judged, graded)}: the judge {_agrees(judged)}{corrected}.{_too_few(judged, WITHIN)}"


def gate_sentences(verdict: RunVerdict) -> Iterator[str]:
    """Yield what the verdict assumes of each judge, or what its errors make of the difference in each band."""
    for judged in verdict.graded:
        gated = [
            (band, change)
            for test in verdict.tests
            if test.test in (judged.function, judged.test) and test.after == judged.subject
            for band, change in zip(test.bands, test.changes, strict=True)
            if band.n and (test.test == judged.test or not judged.errors.usable)
        ]
        name = _name(judged, verdict.graded)
        if not gated:
            continue
        if any((test, judged.subject) in verdict.labelled for test in (judged.function, judged.test)):
            yield f"{name}: people labelled its answers, so the verdict holds whatever its judge's errors are."
            continue
        if not judged.errors.usable:
            yield f"{name}: {EQUAL_ERRORS} assumed, and its grades are taken as right; {LABEL_THEM}"
            continue
        yield f"{name}: {EQUAL_ERRORS} assumed; {LABEL_THEM}"
        few = _too_few(judged, verdict.rules.margin)
        for band, change in gated:
            value, low, high = judged.errors.difference((band.difference, *change.interval))
            yield (
                f"{name}, {band.band.name}: {value:+.3f} [{low:+.2f}, {high:+.2f}] without the judge's errors, "
                f"if it errs as often in both runs; the verdict allows for them.{few}"
            )


def judges_data(graded: Sequence[GradedTest]) -> Iterator[dict[str, Any]]:
    """Yield each test function that a judge grades, for JSON."""
    for judged in graded:
        yield {
            "test": judged.test,
            **judged.subject.fields,
            "labels": judged.agreement.n,
            "agreement": judged.agreement.as_data,
            "kappa": _as_data(judged.kappa) if judged.agreement.n else None,
            "wrong_on_right": judged.errors.on_right.as_data,
            "right_on_wrong": judged.errors.on_wrong.as_data,
            "accuracy": judged.shown.as_data,
            "corrected": _as_data(judged.accuracy) if judged.errors.usable else None,
            "labels_needed": judged.needed(WITHIN),
        }


def _name(judged: GradedTest, graded: Sequence[GradedTest]) -> str:
    """Return the name of a test: with its subject if others have that name, too."""
    several = sum(each.test == judged.test for each in graded) > 1
    return f"{judged.test}, {judged.subject}" if several else judged.test


def _agrees(judged: GradedTest) -> str:
    rate = judged.agreement
    known = "" if math.isnan(judged.kappa[0]) else f" (Cohen's kappa {_limits(judged.kappa)})"
    return f"agrees with {rate.correct:,.0f} of {count(rate.n, 'label')}{known}"


def _errors(judged: GradedTest) -> str:
    if not judged.errors.labels:
        return ". Its errors do not correct the accuracy, which the judge alone does not decide."
    right, wrong = judged.errors.on_right, judged.errors.on_wrong
    errors = f"; it calls {_of(right, 'right')} wrong, and {_of(wrong, 'wrong')} right"
    if not judged.errors.usable:
        return f"{errors}.{_too_few(judged, WITHIN)}"
    accuracy = f"Accuracy {judged.shown.rate:.2f}, without these errors {_limits(judged.accuracy)}."
    return f"{errors}. {accuracy}{_too_few(judged, WITHIN)}"


def _of(rate: Rate, kind: str) -> str:
    return f"{rate.correct:,.0f} of {rate.n:,} {kind} answers" + (
        f" ({rate.rate:.0%} [{rate.lo:.0%}, {rate.hi:.0%}])" if rate.n else ""
    )


def _too_few(judged: GradedTest, within: float) -> str:
    """Return a sentence, after a space, if the labels are too few to know the judge; empty if they are not."""
    if not judged.errors.labels or judged.known(within):
        return ""
    needed, given = judged.needed(within), judged.errors.labels
    take = (
        f"accuracies to within {within:.0%} need about {needed:,}"
        if needed
        else "label more answers, right ones and wrong ones"
    )
    return f" {count(given, 'label')} {'is' if given == 1 else 'are'} too few to know how often the judge errs: {take}."


def _limits(value: Limited) -> str:
    return "{:.2f} [{:.2f}, {:.2f}]".format(*value)


def _as_data(value: Limited) -> dict[str, float | None]:
    return dict(zip(("value", "lo", "hi"), (None if math.isnan(each) else each for each in value), strict=True))
