"""The facts of a run on its page: what was measured, how much of it, and what it cost."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from longctx.report.text import answered, cost_sentences
from longctx.results.manifest import Manifest
from longctx.results.row import EARLY_STOP
from longctx.summary.costs import Cost
from longctx.summary.summary import Summary
from longctx.text import count
from longctx.vocabulary.point import MEASURED, is_check

FEW = 2
"""The most tests or models that a heading names; it gives the number of more."""


def headline(summary: Summary) -> str:
    """Return the tests and models of a run, by name if they are few."""
    measured = dict.fromkeys(cell.test for cell in summary.cells if not is_check(cell.test))
    models = dict.fromkeys(cell.subject.model for cell in summary.cells)
    if not measured:
        return "Nothing was measured"
    what = ", ".join(map(summary.title, measured)) if len(measured) <= FEW else count(len(measured), "test")
    return f"{what}: {', '.join(models) if len(models) <= FEW else count(len(models), 'model')}"


def facts(summary: Summary, manifest: Manifest) -> Iterator[tuple[str, str]]:
    """Yield the facts of a run: names and values."""
    total = summary.live + summary.replayed + summary.unmeasured
    yield "run", manifest.run
    if manifest.profile:
        yield "profile", manifest.profile
    if len(subjects := {str(cell.subject) for cell in summary.cells}) == 1:
        yield "model", subjects.pop()
    yield "seed of the trials", "several" if manifest.seed is None else str(manifest.seed)
    if manifest.shard:
        yield "shard", manifest.shard
    if manifest.labels:
        yield "labels", ", ".join(f"{name}={value}" for name, value in manifest.labels.items())
    if manifest.hooks:
        yield "hooks", ", ".join(manifest.hooks)
    yield "trials", f"{total:,}: {summary.live:,} live, {summary.replayed:,} replayed"
    if left_out := summary.errors.get(EARLY_STOP, 0):
        yield "early stop", f"{left_out:,} trials left out"
    if summary.recorded:
        first, last = summary.recorded
        yield "recorded", f"{first}{f' to {last}' if last != first else ''}{_age(manifest.finished_at, first)}"
    if sentence := " ".join(answered(summary)):
        yield "another model", sentence
    yield "cost", " ".join(cost_sentences(summary.costs)) or _nothing(summary.costs)


def counts(summary: Summary, manifest: Manifest, bands: int = 0) -> Iterator[tuple[str, str, str, bool]]:
    """Yield what was counted on the first screen: how many of pytest's tests passed and failed, how many trials and
    checks were right and wrong, and whether any is the latter.

    Trials that were not measured are neither. bands: those that fail a gate, which pytest counts as failed tests.
    """
    if manifest.tests:
        passed = manifest.tests.get("passed", 0)
        failed = sum(manifest.tests.values()) - passed + bands
        yield "tests", f"{passed:,} passed", f"{failed:,} failed", failed > 0
    for what, checks in (("trials", False), ("checks", True)):
        outcomes: Counter[str] = Counter()
        for cell in summary.cells:
            outcomes.update(cell.outcomes if is_check(cell.test) == checks else {})
        if measured := sum(outcomes[kind] for kind in MEASURED):
            wrong = measured - outcomes["correct"]
            yield what, f"{outcomes['correct']:,} right", f"{wrong:,} wrong", wrong > 0


REASONS = {
    "budget": "the cap on the cost left no room",
    "connection": "the server could not be reached",
    "missing": "no answer is recorded",
    "overloaded": "the server was overloaded",
    "pending": "the batch has not ended",
    "prompt_cut": "the server cut the prompt",
    "rate_limit": "the server's rate limit was reached",
    "refused_request": "the server refused the request",
    "server_error": "the server failed",
    "stale": "the recorded answer is of another request",
    "timeout": "no answer came in time",
}
"""What the causes of rows mean that are most frequent."""


def unmeasured(summary: Summary) -> str:
    """Return a sentence on the trials that a run could not measure, with the reasons; empty if there are none."""
    causes = {cause: number for cause, number in summary.errors.items() if cause != EARLY_STOP}
    if not (missing := sum(causes.values())):
        return ""
    total = summary.live + summary.replayed + summary.unmeasured
    reasons = "; ".join(f"{REASONS.get(cause, cause)} ({number:,})" for cause, number in causes.items())
    return f"{missing:,} of {count(total, 'trial')} were not measured: {reasons}. They do not count in any accuracy."


def origins(manifest: Manifest) -> Iterator[tuple[str, str, str]]:
    """Yield the name, the text and the address of each link to where the run comes from. The text names the host."""
    for name, address in (("commit", manifest.commit), ("CI run", manifest.ci_run)):
        if address:
            text = address.removeprefix("https://")
            yield name, re.sub(r"(?<=/commit/[0-9a-f]{10})[0-9a-f]+$", "", text), address


def _nothing(costs: Sequence[Cost]) -> str:
    unknown = [cost.model for cost in costs if cost.replayed_usd is None]
    return "; ".join(f"no prices for {name}" for name in unknown) or "$0.00"


def _age(now: str, first: str) -> str:
    """Return a clause on the age of the oldest recording; empty if a time in the files is invalid."""
    try:
        days = (datetime.datetime.fromisoformat(now).date() - datetime.date.fromisoformat(first)).days
    except ValueError:
        return ""
    return f", up to {count(days, 'day')} old"
