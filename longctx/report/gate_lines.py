"""What the terminal shows of a gate at the usual verbosity: its bands, what was lost, and what became dearer or slower.

gate.md has the evidence, and so has the terminal with -v.

The answers that a run lost, which people look at before they decide: each trial with its old and its new answer.

They are named by test, the worst first, and each trial once: a check that it lost is a remark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Any, TypeVar

from longctx.gate.bands import BandVerdict
from longctx.gate.usage import Growth, UsageChange
from longctx.gate.verdict import RunVerdict
from longctx.report.blocks import Block, terminal_blocks
from longctx.report.usage_table import before_after, seconds, thousand
from longctx.results.grouping import grouped
from longctx.results.row import Row
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
COLUMNS = 100
"""The most columns that a line of a terminal takes."""
SHORTEST = 8
"""The fewest characters to which a text is cut for that."""
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
    """The test's own sentence about it, without the reply."""
    question: str | None = None
    band: str = ""
    """The test and the band that it belongs to."""

    @property
    def test(self) -> str:
        return self.trial.partition("/")[0]

    @property
    def line(self) -> str:
        return lost_line(self.trial, self.before, self.after, self.question, self.reason)


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
            **(
                {"question": lambda lost: one_line(lost.question, LONGEST_REASON)}
                if any(lost.question for lost in self.shown)
                else {}
            ),
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
        said = ("trial", "question", "expected", "baseline", "this run", "reason")
        return Table.from_rows("Lost answers", rows, said=tuple(name for name in said if name in columns))

    def first(self, most: int) -> list[LostAnswer]:
        """Return so many of them, of as many bands as possible."""
        return taken_in_turn(list(grouped(self.shown, lambda lost: lost.band or lost.test).values()), most)


def taken_in_turn(groups: Sequence[Sequence[Each]], most: int) -> list[Each]:
    """Return so many of the members of all groups, the first of each before the second of any, group by group."""
    ranked = [(index, number, each) for number, group in enumerate(groups) for index, each in enumerate(group)]
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
    bands = _by_band(verdict, before, after)
    found = [lost for band in bands for lost in band]
    if not found:
        return NONE_LOST
    shown = taken_in_turn(bands, MOST_LOST)
    views = texts([lost.before for lost in shown], [lost.after for lost in shown])
    whole = sum(lost.whole for lost in found)
    rows = sum(len(test.lost) for test in verdict.tests)  # `compare` counts checks, too
    return LostAnswers(
        tuple(_shown(lost, *views) for lost in shown),
        whole,
        " ".join([*command, str(rows)]) if command else "",
        len(found) - whole,
    )


def _by_band(verdict: RunVerdict, before: Sequence[Row], after: Sequence[Row]) -> list[list[_Lost]]:
    """Return the lost trials of each band that lost any: those that regressed first, then by the accuracy lost."""
    pairs = [pair for test in verdict.tests for pair in test.lost]
    rows = Both(before, after) if _any_check(pairs) else Both[Sequence[Row]]((), ())
    by_identity = rows.map(lambda side: {row.identity: row for row in side})
    found: dict[tuple[object, ...], _Lost] = {}
    for pair in sorted(pairs, key=lambda pair: is_check(pair.after.test)):
        was, now = (of.get(_trial(row), row) for of, row in zip(by_identity, pair, strict=True))
        test = pair.after.test
        lost = found.setdefault(_trial(pair.after), _Lost(was, now, not is_check(test)))
        if is_check(test):
            lost.checks.append(test.removeprefix(f"{name_of_test(test)}."))
    by_band = grouped(found.values(), lambda lost: _band_of(lost.after))
    ranks = {(band.band.test, band.band.name): _rank(band) for band in verdict.bands}
    return [by_band[name] for name in sorted(by_band, key=lambda name: ranks.get(name, UNRANKED))]


def _band_of(row: Row) -> tuple[str, str]:
    return name_of_test(row.test), str(row.band)


UNRANKED = (True, 0.0)
"""The rank of a band that has no verdict, of which a check alone has one."""


def _rank(band: BandVerdict) -> tuple[bool, float]:
    """Return what orders bands, the worst first: whether it did not regress, then its change."""
    return band.verdict != "regression", band.difference


def _any_check(pairs: Sequence[Both[Row]]) -> bool:
    return any(is_check(pair.after.test) for pair in pairs)


def _trial(row: Row) -> tuple[object, ...]:
    """Return the identity of the row of a check's trial."""
    return replace(row, test=name_of_test(row.test)).identity


def _shown(lost: _Lost, before: Views, after: Views) -> LostAnswer:
    row = lost.after
    reply = _answer(row, after)
    reasons = [why] if (why := without_answers(row.why or "", reply, row.returned, row.expected)) else []
    reasons += [f"check {name} was lost" for name in lost.checks if not row.why or name not in row.why]
    return LostAnswer(
        trial=f"{name_of_test(row.test)}/{row.cell}#{row.name}",
        subject=str(row.subject),
        expected=row.expected,
        before=_answer(lost.before, before),
        after=reply or row.outcome,
        reason="; ".join(reasons) or None,
        question=_question(after.get(row.identity, {})),
        band=", ".join(_band_of(row)),
    )


ASKED = "question", "instruction", "operation"
"""The marks of a prompt that name what is asked."""
FIRST_REQUEST = "request 1"
"""The name of the excerpt of what a test function sends first."""


def _question(view: Mapping[str, Any]) -> str | None:
    """Return what a trial asks: the marked part of its prompt, else the last line of its first request."""
    excerpts = view.get("excerpts", ())
    for mark in ASKED:
        if texts := [text for part in excerpts for name, text in part["pieces"] if name == mark]:
            return str(texts[-1]).strip() or None
    requests = [part for part in excerpts if FIRST_REQUEST in part["names"]]
    lines = "".join(text for _, text in requests[0]["pieces"]).strip().splitlines() if requests else []
    return str(lines[-1]) if lines else None


def without_answers(reason: str, *answers: str | None) -> str:
    """Return a reason without the answers that stand next to it; empty if nothing else is left of it.

    answers: the reply, and what was read and expected, the longest of which are left out first.
    """
    reason, *_ = WHERE.split(reason, maxsplit=1)
    kind, colon, rest = reason.partition(": ")
    known = sorted({answer for answer in answers if answer}, key=len, reverse=True)
    if colon and any(_holds(rest, answer) for answer in known) and len(kind.split()) <= MOST_WORDS:
        return kind
    for answer in known:
        reason = re.sub(rf"(?<!\w){re.escape(answer)}(?!\w)", "…", reason)
    return reason.strip() if set(re.findall(r"\w+", reason)) - FILLERS else ""


WHERE = re.compile(r"\s\+\s+where ")
"""Precedes what pytest adds to a failed comparison: where its values are from."""
MOST_WORDS = 3
"""The most words before a colon that are a kind of fault."""
FILLERS = {"not", "and", "is", "right", "where", "accepted", "the", "value", "answer"}
"""The words of a reason that say nothing without the answers in it."""


def _holds(text: str, answer: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", text) is not None


def _answer(row: Row, views: Views) -> str | None:
    """Return what was read from a reply, else the reply; None if neither is kept."""
    reply = views.get(row.identity, {}).get("reply")
    return row.returned or (None if reply is None else str(reply))


def views_of_file(questions: Mapping[tuple[str | None, str | None], str]) -> ViewsOfRows:
    """Return a function that finds the answers and questions of rows from other tools' files.

    questions: by band and item.
    """

    def view(row: Row) -> Mapping[str, Any]:
        asked = questions.get((row.band, row.item))
        excerpts = [{"names": [ASKED[0]], "line": 1, "pieces": [(ASKED[0], asked)]}] if asked else []
        return {"reply": row.returned, "excerpts": excerpts}

    def views(before: Sequence[Row], after: Sequence[Row]) -> tuple[Views, Views]:
        ours, theirs = ({row.identity: view(row) for row in side} for side in (before, after))
        return ours, theirs

    return views


def lost_lines(lost: LostAnswers, most: int) -> Iterator[str]:
    """Yield a line for each of the first lost answers, and one on how to see the others."""
    shown = lost.first(most)
    yield from (answer.line for answer in shown)
    if (more := lost.number + lost.checks - len(shown)) > 0:
        yield f"… {more:,} more lost" + (f": {lost.command}" if lost.command else "")


def lost_line(
    trial: str, before: str | None, after: str | None, question: str | None = None, reason: str | None = None
) -> str:
    """Return a lost answer in a line of at most COLUMNS, for which the longest of its texts are cut."""

    def framed(asked: str, was: str, now: str, why: str) -> str:
        return f'{visible(trial)}: {f"{asked} " if question else ""}"{was}" → "{now}"{f": {why}" if reason else ""}'

    texts = [visible(one_line(text, LONGEST_REASON)) for text in (question, before, after, reason)]
    if len(framed(*texts)) > COLUMNS:
        texts[1:3] = _where_they_differ(*texts[1:3])

    def cut(width: int) -> str:
        widths = 2 * width, width, width, width  # without its question, an answer is not understood
        return framed(*map(one_line, texts, widths))

    cuts = map(cut, range(LONGEST_REASON, SHORTEST, -1))
    return one_line(next((line for line in cuts if len(line) <= COLUMNS), cut(SHORTEST)), COLUMNS)


def _where_they_differ(before: str, after: str) -> tuple[str, str]:
    """Return two answers without the words with which both begin, of which a cut would show nothing else."""
    pairs = zip(before.split(" "), after.split(" "), strict=False)
    alike = sum(len(word) + 1 for word, _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
    was, now = before[alike:], after[alike:]
    return (f"… {was}", f"… {now}") if alike >= SHORTEST and was and now else (before, after)


def one_line(text: str | None, longest: int = LONGEST) -> str:
    """Return a text in one line, cut to so many characters; a dash if it is not kept."""
    words = " ".join((text or "")[: 8 * longest].split())
    return (words if len(words) <= longest else f"{words[: longest - 1]}…") or "-"


NONE_LOST = LostAnswers()


LOST_LINES = 3
"""The most lost answers that are shown."""


def gate_lines(head: Sequence[str], blocks: Sequence[Block], usage: UsageChange | None, lost: LostAnswers) -> str:
    """Return a gate as text. head: its title and the sentences below it. blocks: what is shown below these."""
    shown = [visible(line) for line in head]
    if text := terminal_blocks(blocks, in_full=False):
        shown += ["", text]
    shown += map(visible, _growths(usage))
    return "\n".join([*shown, *map(visible, lost_lines(lost, LOST_LINES))])


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
