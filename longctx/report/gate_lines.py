"""What the terminal shows of a gate at the usual verbosity: its bands, what was lost, and what became dearer or slower.

gate.md has the evidence, and so has the terminal with -v.

The answers that a run lost, which people look at before they decide: each trial with its old and its new answer.

They are named by test, the worst first, and each trial once: a check that it lost is a remark.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

from longctx.gate.usage import Growth, UsageChange
from longctx.gate.verdict import RunVerdict
from longctx.report.document import bare_table
from longctx.report.tables import before_after, seconds, thousand
from longctx.results.row import Row, grouped
from longctx.text import count, visible
from longctx.views.chart import Table
from longctx.vocabulary.both import Both
from longctx.vocabulary.point import is_check, name_of_test

MOST_LOST = 20
"""The most lost answers that a verdict names."""
LONGEST = 60
"""The most characters that are shown of an answer."""
LONGEST_REASON = 100
"""The most characters that are shown of what a test said."""
Views = Mapping[tuple[object, ...], Mapping[str, Any]]
"""The fields of views by the identities of their rows."""
ViewsOfRows = Callable[[Sequence[Row], Sequence[Row]], tuple[Views, Views]]
"""Returns the views of these rows of the baseline, and of the run."""


Each = TypeVar("Each")


@dataclass(frozen=True, slots=True)
class LostAnswer:
    """A trial that the baseline answered rightly and the run did not. None: the text is not kept."""

    trial: str
    """Its name, such as `passkey/window-256-k-128#3`."""
    subject: str
    expected: str | None
    before: str | None
    after: str | None
    """Its answer, or how it failed without one."""
    reason: str | None = None
    """The test's own sentence about it."""

    @property
    def test(self) -> str:
        return self.trial.partition("/")[0]

    @property
    def line(self) -> str:
        reason = f": {one_line(self.reason, LONGEST_REASON)}" if self.reason else ""
        return f'{self.trial}: "{one_line(self.before)}" → "{one_line(self.after)}"{reason}'


@dataclass(frozen=True, slots=True)
class LostAnswers:
    """The lost answers of a run."""

    shown: tuple[LostAnswer, ...] = ()
    """The first of them, at most MOST_LOST, by test."""
    number: int = 0
    """How many answers were lost."""
    command: str = ""
    """The command that shows all; empty if there is none."""
    checks: int = 0
    """The other trials of which a check was lost, and no answer."""

    @property
    def sentence(self) -> str:
        """How many there are and how to see them all."""
        total = self.number + self.checks
        listed = "all are" if len(self.shown) == total else f"the first {len(self.shown):,} are"
        lost = [f"{count(self.number, 'answer was', 'answers were')} lost: right in the baseline and not in this run"]
        checks = [f"a check was lost in {count(self.checks, 'trial')} whose answer was not"]
        see = f". To see all: {self.command}" if self.command else "."
        return "; ".join([*lost * bool(self.number), *checks * bool(self.checks), f"{listed} listed below"]) + see

    @property
    def table(self) -> Table:
        several = len({lost.subject for lost in self.shown}) > 1
        columns: dict[str, Callable[[LostAnswer], str]] = {
            "trial": lambda lost: lost.trial,
            **({"of": lambda lost: lost.subject} if several else {}),
            **({"expected": lambda lost: one_line(lost.expected)} if any(lost.expected for lost in self.shown) else {}),
            "baseline": lambda lost: one_line(lost.before),
            "this run": lambda lost: one_line(lost.after),
            **(
                {"reason": lambda lost: one_line(lost.reason, LONGEST_REASON)}
                if any(lost.reason for lost in self.shown)
                else {}
            ),
        }
        rows = [{name: cell(lost) for name, cell in columns.items()} for lost in self.shown]
        said = ("trial", "expected", "baseline", "this run", "reason")
        return Table.from_rows("Lost answers", rows, said=tuple(name for name in said if name in columns))

    def first(self, most: int) -> list[LostAnswer]:
        """Return so many of them, of as many tests as possible."""
        return taken_in_turn(list(grouped(self.shown, lambda lost: lost.test).values()), most)


def taken_in_turn(groups: Sequence[Sequence[Each]], most: int) -> list[Each]:
    """Return so many of the members of all groups, the first of each before the second of any, group by group."""
    ranked = [(place, number, each) for number, group in enumerate(groups) for place, each in enumerate(group)]
    chosen = sorted(ranked, key=lambda entry: entry[:2])[:most]
    return [each for _, _, each in sorted(chosen, key=lambda entry: (entry[1], entry[0]))]


@dataclass(slots=True)
class _Lost:
    """A trial of which the answer was lost, or a check, or both."""

    before: Row
    after: Row
    whole: bool
    """Whether its answer was lost, and not a check alone."""
    checks: list[str] = field(default_factory=list)


def lost_answers(
    verdict: RunVerdict, before: Sequence[Row], after: Sequence[Row], texts: ViewsOfRows, command: Sequence[str] = ()
) -> LostAnswers:
    """Return the lost answers behind a verdict. before, after: the rows of both runs.

    command: that which shows all, to which their number is added; none if there is none.
    """
    tests = _by_test(verdict, before, after)
    found = [lost for of_test in tests for lost in of_test]
    if not found:
        return NONE_LOST
    shown = taken_in_turn(tests, MOST_LOST)
    views = texts([lost.before for lost in shown], [lost.after for lost in shown])
    whole = sum(lost.whole for lost in found)
    rows = sum(len(test.lost) for test in verdict.tests)  # `compare` counts checks, too
    return LostAnswers(
        tuple(_shown(lost, *views) for lost in shown),
        whole,
        " ".join([*command, str(rows)]) if command else "",
        len(found) - whole,
    )


def _by_test(verdict: RunVerdict, before: Sequence[Row], after: Sequence[Row]) -> list[list[_Lost]]:
    """Return the lost trials of each test that lost any, the test first that lost the largest share of its own."""
    pairs = [pair for test in verdict.tests for pair in test.lost]
    rows = Both(before, after) if _any_check(pairs) else Both[Sequence[Row]]((), ())
    of_trial = rows.map(lambda side: {row.identity: row for row in side})
    found: dict[tuple[object, ...], _Lost] = {}
    for pair in sorted(pairs, key=lambda pair: is_check(pair.after.test)):
        was, now = (of.get(_trial(row), row) for of, row in zip(of_trial, pair, strict=True))
        test = pair.after.test
        lost = found.setdefault(_trial(pair.after), _Lost(was, now, not is_check(test)))
        if is_check(test):
            lost.checks.append(test.removeprefix(f"{name_of_test(test)}."))
    sizes = {test.test: sum(band.n for band in test.bands) for test in verdict.tests}
    of_tests = grouped(found.values(), lambda lost: name_of_test(lost.after.test))
    return [
        of_tests[name] for name in sorted(of_tests, key=lambda name: -len(of_tests[name]) / max(1, sizes.get(name, 0)))
    ]


def _any_check(pairs: Sequence[Both[Row]]) -> bool:
    return any(is_check(pair.after.test) for pair in pairs)


def _trial(row: Row) -> tuple[object, ...]:
    """Return the identity of the row of a check's trial."""
    return replace(row, test=name_of_test(row.test)).identity


def _shown(lost: _Lost, before: Views, after: Views) -> LostAnswer:
    row = lost.after
    reasons = [row.why] if row.why else []
    reasons += [f"check {name} was lost" for name in lost.checks if not row.why or name not in row.why]
    return LostAnswer(
        trial=f"{name_of_test(row.test)}/{row.cell}#{row.name}",
        subject=str(row.subject),
        expected=row.expected,
        before=_answer(lost.before, before),
        after=_answer(row, after) or row.outcome,
        reason="; ".join(reasons) or None,
    )


def _answer(row: Row, views: Views) -> str | None:
    """Return what was read from a reply, else the reply; None if neither is kept."""
    reply = views.get(row.identity, {}).get("reply")
    return row.returned or (None if reply is None else str(reply))


def lost_lines(lost: LostAnswers, most: int) -> Iterator[str]:
    """Yield a line for each of the first lost answers, and one on how to see the others."""
    shown = lost.first(most)
    yield from (answer.line for answer in shown)
    if (more := lost.number + lost.checks - len(shown)) > 0:
        yield f"… {more:,} more lost" + (f": {lost.command}" if lost.command else "")


def one_line(text: str | None, longest: int = LONGEST) -> str:
    """Return a text in one line, cut to so many characters; a dash if it is not kept."""
    words = " ".join((text or "")[: 8 * longest].split())
    return (words if len(words) <= longest else f"{words[: longest - 1]}…") or "-"


NONE_LOST = LostAnswers()


SAME_ANSWERS = "same answers"
"""The text for a band whose answers are the baseline's own."""
LOST_LINES = 3
"""The most lost answers that are shown."""


def gate_lines(
    head: Sequence[str], bands: Sequence[Mapping[str, Any]], usage: UsageChange | None, lost: LostAnswers
) -> str:
    """Return a gate as text. head: its title and the sentences below it. bands: the rows of the table of bands."""
    shown = [visible(line) for line in head]
    if bands:
        table = Table.from_rows("", [_band(band) for band in bands])
        shown += ["", bare_table(table, right=("before", "after", "change", "lost/gained", "n"))]
    shown += map(visible, _growths(usage))
    return "\n".join([*shown, *map(visible, lost_lines(lost, LOST_LINES))])


def _band(band: Mapping[str, Any]) -> dict[str, Any]:
    get = band.get
    changes = f"{get('lost')}/{get('gained')}" if get("lost") else ""
    return {
        "test": str(band["test"]).replace("_", " ") if not str(band["test"]).startswith("test_") else get("test"),
        **({"of": band["of"]} if "of" in band else {}),
        "band": get("band"),
        "before": get("before"),
        "after": get("after"),
        "change": get("difference"),
        "95% interval": get("95% interval"),
        "lost/gained": changes,
        "n": get("n"),
        "verdict": f"{get('verdict')}, same answers" if get("bound of drop") == SAME_ANSWERS else get("verdict"),
    }


def _growths(usage: UsageChange | None) -> Iterator[str]:
    """Yield a line for price and for latency if the change is significant."""
    if usage is None:
        return
    if _significant(usage.cost):
        yield f"Price of 1,000 trials: {before_after(thousand(usage.before), thousand(usage.after))}"
    if _significant(usage.latency):
        yield f"Median latency: {before_after(*(seconds(side.latency_p50) for side in (usage.before, usage.after)))}"


def _significant(growth: Growth | None) -> bool:
    return growth is not None and growth.value != 0 and (growth.lo > 0 or growth.hi < 0)
