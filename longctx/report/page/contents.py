"""The contents of a run's page: facts of the run, a line for each test, and sections of charts and tables."""

from __future__ import annotations

import datetime
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from longctx.compare.pairs import Treatments, match_runs, pairs
from longctx.errors import UserError
from longctx.registry import shipped
from longctx.report.comparison import effective_lengths
from longctx.report.function_reports import parts_of
from longctx.report.svg import Drawn
from longctx.report.tables import tables
from longctx.report.text import answered, answers_of, cost_sentences, own_test, said
from longctx.results.manifest import Manifest
from longctx.results.row import EARLY_STOP, Row, grouped
from longctx.summary.costs import Cost
from longctx.summary.summary import Summary
from longctx.text import count, usd
from longctx.views.chart import Table
from longctx.vocabulary.both import Both
from longctx.vocabulary.declaration import Protocol
from longctx.vocabulary.point import MEASURED, is_check
from longctx.workspace import packaged

FEW = 2
"""The most tests or models that a heading names; it gives the number of more."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawn chart with the table of its numbers."""

    title: str
    svg: str
    table: Table
    note: str
    """A sentence below it; often empty."""


@dataclass(frozen=True, slots=True)
class PageSection:
    """A part of the page with a heading."""

    id: str
    """Its anchor."""
    title: str
    rates: list[str]
    """The lines of the first table, for each subject."""
    figures: list[Figure]
    tables: list[Table]
    answers: list[str]
    """What a test was run for, in sentences."""

    @property
    def curve(self) -> Figure | None:
        """The first of the figures that has a curve."""
        return next((figure for figure in self.figures if "<polyline" in figure.svg), None)


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


def tests_of(summary: Summary) -> dict[str, list[str]]:
    """Return the tests of each test: its own and those of its checks, in the order of the summary."""
    return grouped(summary.tests, lambda name: own_test(summary, name))


def _check(name: str, test: str) -> str:
    """Return the name of a check in its test."""
    return name.removeprefix(f"{test}.")


def sections(summary: Summary, drawn: Sequence[Drawn]) -> Iterator[PageSection]:
    """Yield a section for each test with its checks, in the order of the summary, then one for all tests."""
    all_tables, lines = tables(summary), said(summary)
    several = len({line.subject for line, _ in lines}) > 1
    for test, members in tests_of(summary).items():
        figures = [_figure(chart) for chart in drawn if chart.chart.test in members]
        own: list[Table] = []
        for name in members:
            member = summary.tests[name]
            own += [table for table in all_tables if table.test == name]
            own += [*member.reporting.further_tables(member.analysis), *effective_lengths(member.lengths)]
        undrawn = [table for table in own if not _is_drawn(table, figures)]
        rates = [
            f"{_check(name, test)}: " * (name != test)
            + f"{'; '.join(parts)} n={line.n:,}"
            + f", {line.subject}" * several
            for name in members
            for line, parts in lines
            if line.test == name
        ]
        parts = parts_of(summary.tests[test])
        told = answers_of(summary.tests[test]) or [said for part, found in parts for said in part.told(found)]
        yield PageSection(test.replace("_", "-"), summary.title(test), rates, figures, undrawn, told)
    figures = [_figure(chart) for chart in drawn if not chart.chart.test]
    yield PageSection("all-tests", "All tests", [], figures, [_usage(summary)], [])


def _is_drawn(table: Table, figures: Sequence[Figure]) -> bool:
    """Return whether a figure shows the numbers of this table."""
    return any((table.columns, table.rows) == (figure.table.columns, figure.table.rows) for figure in figures)


def _figure(drawn: Drawn) -> Figure:
    return Figure(drawn.chart.title, drawn.svg, drawn.chart.table, drawn.chart.note)


def _usage(summary: Summary) -> Table:
    rows = [
        {
            "test": summary.title(usage.test),
            "model": usage.model,
            "input tokens": f"{usage.input:,}",
            "read from cache": "-" if usage.cached is None or not usage.input else f"{usage.cached / usage.input:.0%}",
            "written to cache": f"{usage.written / usage.input:.0%}" if usage.input else "-",
            "output tokens": f"{usage.output:,}",
            "latency, median": f"{usage.latency_s[0]:.2f} s" if usage.latency_s else "-",
            "latency, 95%": f"{usage.latency_s[1]:.2f} s" if usage.latency_s else "-",
            "cost": "-" if usage.cost_usd is None else usd(usage.cost_usd),
        }
        for usage in summary.usage
    ]
    return Table.from_rows("Tokens, latency and cost", rows)


def _age(now: str, first: str) -> str:
    """Return a clause on the age of the oldest recording; empty if a time in the files is invalid."""
    try:
        days = (datetime.datetime.fromisoformat(now).date() - datetime.date.fromisoformat(first)).days
    except ValueError:
        return ""
    return f", up to {count(days, 'day')} old"


RowIdentity = tuple[object, ...]
CHANGES = ("lost", "gained", "still wrong", "unchanged", "not compared")
"""The groups of a page's trials: a trial is unchanged if both runs were right."""


@dataclass(frozen=True, slots=True)
class Earlier:
    """The answer of an earlier run to a trial."""

    row: Row
    view: Mapping[str, Any] = field(default_factory=dict)
    """The fields of its view; without `reply` if that was not kept."""
    same: bool = False
    """Whether the later run replayed this very answer."""


EarlierAnswers = Mapping[RowIdentity, Earlier]
"""The earlier answer to each trial, by the identity of the later row."""


def earlier_rows(
    before: Sequence[Row],
    after: Sequence[Row],
    between: str | None = None,
    tests: Mapping[str, Protocol] | None = None,
) -> dict[RowIdentity, Row]:
    """Return the earlier row of each trial that both runs measured, by the identity of its later row.

    between: what changed, as `match_runs` takes it. tests: the known ones, by default
    those of longctx. Empty if it is not clear what is compared.
    """
    measured = Both(before, after).map(lambda rows: [row for row in rows if row.measured])
    try:
        matched, _ = match_runs(*measured, between)
    except UserError:
        return {}
    known = shipped() if tests is None else tests
    paired = (pairs(*match.rows, Treatments.of(known.get(match.test))) for match in matched)
    return {later.identity: earlier for both in paired for earlier, later in both.common.values()}


def change_of(earlier: Earlier | None, row: Row) -> str:
    """Return the group of CHANGES that a trial belongs to."""
    if earlier is None or not row.measured:
        return "not compared"
    return {
        (True, False): "lost",
        (False, True): "gained",
        (False, False): "still wrong",
        (True, True): "unchanged",
    }[earlier.row.correct, row.correct]


OF_A_RUN = ("Questions", "Answers", "Recordings", "Runs")
"""The sections of the glossary that concern every report."""
OF_A_GATE = "The gate"
"""The section that a page with a verdict explains too."""


class Word(NamedTuple):
    name: str
    meaning: str


def words(gated: bool) -> list[Word]:
    """Return the words of the glossary in its order. gated: whether to include those about verdicts."""
    shown = (*OF_A_RUN, OF_A_GATE) if gated else OF_A_RUN
    sections = re.split(r"^## ", _glossary().read_text(encoding="utf-8"), flags=re.MULTILINE)
    return [word for section in sections if section.startswith(shown) for word in _entries(section)]


def _entries(section: str) -> list[Word]:
    entries = re.findall(r"^- \*\*(.+?)\*\*: (.+?)(?=^- |\Z)", section, flags=re.MULTILINE | re.DOTALL)
    return [Word(name, _plain(meaning)) for name, meaning in entries]


def _plain(markdown: str) -> str:
    """Return the text on one line without links and code marks."""
    text = re.sub(r"\[([^\]]+)\]\([^)]+\)", r"\1", " ".join(markdown.split()))
    return text.replace("`", "")


def _glossary() -> Path:
    """Return the path of the glossary: in the data of the wheel, or in the documentation of a checkout."""
    installed = packaged() / "glossary.md"
    return installed if installed.is_file() else packaged().parent / "docs" / "glossary.md"
