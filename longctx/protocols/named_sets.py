"""RULER's tasks, which ask for a set of names: that set, nothing missing and nothing else.

RULER scores the share of the names that occur in the reply; the trace keeps it, and the report shows it with the rate.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from longctx import Answer, Causes, Mark, Outcome, Report, Shares, unanswered
from longctx.protocols.haystack import AnswerBegun
from longctx.vocabulary.point import Kind

if TYPE_CHECKING:
    from longctx import Answers, Row

NOWHERE = "nowhere_in_the_text"
"""The origin of a made-up name."""
ASKED, MATCHED, NAMED, MISSED = "asked", "matched", "named", "missed"
"""Keys of a trace: how many items were asked for, and how many RULER's match finds; and, followed by _1, _2 … for the
first, second … item, its `where`."""
ITEM = re.compile(f"({NAMED}|{MISSED})_([0-9]+)")
OFTEN = 0.1
"""The share of trials with everything asked for and something else from which it is reported."""
TENTHS = 10


@dataclass(frozen=True, slots=True)
class Needle:
    """Something in the text that an answer may name.

    start, end: its place in the user's text.
    """

    name: str
    where: int
    """The percentage of the text before it, or how often it occurs."""
    start: int
    end: int

    @classmethod
    def at(cls, start: int, line: str, name: str, user: str) -> Needle:
        """Return the item that a line of the user's text names."""
        return cls(name, 100 * start // len(user), start, start + len(line))


@dataclass(frozen=True, slots=True)
class NamedAnswers:
    """The names that a trial asks for."""

    items: tuple[Needle, ...]
    """In the order of the question."""
    others: Mapping[str, str]
    """Everything else in the prompt that could be named, with its origin."""
    placed: tuple[Needle, ...] = ()
    """The items of `others` that have a place in the text."""

    @property
    def names(self) -> list[str]:
        return [item.name for item in self.items]

    @property
    def known(self) -> frozenset[str]:
        """Everything in the prompt that could be named."""
        return frozenset((*self.names, *self.others))


def text_of(answer: Answer, prefill: str) -> str:
    """Return the text of an answer without its prefilled beginning, which the model may also have repeated."""
    return answer.text.strip().removeprefix(prefill)


def string_match(names: Sequence[str], text: str) -> int:
    """Count the names that RULER's match finds in an answer; `string_match_all` divides this by their number."""
    said = re.sub(r"[\x00-\x1f]", "\n", text.strip()).strip().lower()
    return sum(name.lower() in said for name in names)


def judged_names(answer: Answer, text: str, asked: NamedAnswers, named: Sequence[str], what: str) -> Outcome:
    """Judge an answer. text: see text_of. named: the names in it, in order. what: the noun for an item, whose plural
    ends in s."""
    names = asked.names
    scores = {ASKED: len(names), MATCHED: string_match(names, text)}
    if answer.stop_reason == "refusal" or not named:
        return replace(unanswered(answer, lacks=f"no {what} in the reply"), trace=scores)
    missed = [name for name in names if name not in named]
    besides = Counter(asked.others.get(name, NOWHERE) for name in dict.fromkeys(named) if name not in names)
    return Outcome(
        _kind(answer, bool(missed), bool(besides)),
        " ".join(dict.fromkeys(named)),
        _why(names, missed, besides, what),
        scores | _traced(asked, missed) | besides,
    )


def shown(outcome: Outcome, asked: NamedAnswers, prompt: AnswerBegun) -> Outcome:
    """Add marks of the asked items, named or missed, of other items that were named, and of the question."""
    named, length = (outcome.returned or "").split(), len(prompt.text)
    needles = [
        Mark("needle" if item.name in named else "needle that was missed", item.start, item.end) for item in asked.items
    ]
    besides = [Mark("named, not asked for", item.start, item.end) for item in asked.placed if item.name in named]
    question = Mark("question", length - len(prompt.after.lstrip()), length)
    return replace(outcome, marks=[*needles, *besides, question])


def _kind(answer: Answer, missed: bool, besides: bool) -> Kind:
    """Return the kind of outcome. What was cut off might be what is missing, but another name is wrong in any case."""
    if besides:
        return "wrong"
    if missed:
        return "truncated" if answer.cut_off else "wrong"
    return "correct"


def _traced(asked: NamedAnswers, missed: Sequence[str]) -> dict[str, int]:
    return {
        f"{MISSED if item.name in missed else NAMED}_{number}": item.where
        for number, item in enumerate(asked.items, start=1)
    }


def _why(names: Sequence[str], missed: Sequence[str], besides: Mapping[str, int], what: str) -> str:
    if not missed and not besides:
        return f"all {len(names)} {what}s and nothing else"
    parts = [f"{len(names) - len(missed)} of {len(names)} {what}s are named"]
    if missed:
        parts.append(f"{' '.join(missed)} missed")
    if besides:
        extra = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in besides.items())
        parts.append(f"plus {extra}")
    return "; ".join(parts)


def report_of_sets(series: Callable[[Any], str], others: Sequence[str], *charts: Shares) -> Report:
    """Return the report of a protocol of named sets. others: the origins of names that were not asked for."""
    return Report(
        x="window",
        axis="window, tokens",
        series=series,
        rate="exact set",
        columns={"RULER's recall": lambda answers: f"{_recall(answers):.2f}"},
        charts=charts,
        causes=Causes(
            {origin.replace("_", " "): origin for origin in (*others, NOWHERE)},
            of="wrong names",
            title="missed and wrong names, in replies that name any",
            columns={
                "missed": lambda answers: f"{_missed(answers):,} of {_items(answers):,}",
                "all, plus others": lambda answers: f"{answers.count(_more):,}",
            },
        ),
        findings=_more_than_asked,
        data=lambda answers: {
            "cell": answers.cell,
            "trials": answers.n,
            "recall": _recall(answers),
            "named": _items(answers) - _missed(answers),
            "missed": _missed(answers),
            "besides": dict(sum((_besides(row) for row in answers.rows), Counter())),
            "all_and_more": answers.count(_more),
            "named_by_depth": _named(answers, _tenth),
            "named_by_number": _named(answers, _number),
        },
    )


def by_number(title: str, label: Callable[[int], str]) -> Shares:
    """Return the chart of the items named, by their number. title: what the number is. label: names a number."""
    return Shares(
        name="by-number",
        title=f"Requested names found, by {title}",
        x="number",
        axis=title,
        label=label,
        points=lambda answers: ((number, "", share) for number, share in _named(answers, _number).items()),
    )


BY_DEPTH = Shares(
    name="by-depth",
    title="Requested names found, by place in the text",
    x="depth",
    axis="place in the text, %",
    label=lambda tenth: f"{tenth * TENTHS}-{(tenth + 1) * TENTHS}%",
    points=lambda answers: ((tenth, "", share) for tenth, share in _named(answers, _tenth).items()),
)
"""The chart of the items named, by the tenth of the text that they are in."""


def _recall(answers: Answers) -> float:
    """Return RULER's recall: the mean share of the asked strings that occur in the reply; 0 without an answer."""
    return sum(row.trace.get(MATCHED, 0) / row.trace.get(ASKED, 1) for row in answers.rows) / answers.n


def _places(row: Row) -> Iterator[tuple[bool, int, int]]:
    """Yield, for each item of an answer that names anything, whether it is named, its number, and its place."""
    for key, where in row.trace.items():
        if match := ITEM.fullmatch(key):
            yield match[1] == NAMED, int(match[2]), where


def _named(answers: Answers, place: Callable[[int, int], int]) -> dict[int, tuple[int, int]]:
    """Return how many items are named, of how many, by a place that is made of their number and `where`."""
    items = sorted((place(number, where), named) for row in answers.rows for named, number, where in _places(row))
    counts: dict[int, tuple[int, int]] = {}
    for at, named in items:
        right, of = counts.get(at, (0, 0))
        counts[at] = right + named, of + 1
    return counts


def _number(number: int, where: int) -> int:
    return number


def _tenth(number: int, where: int) -> int:
    return min(where // TENTHS, TENTHS - 1)


def _items(answers: Answers) -> int:
    return sum(1 for row in answers.rows for _ in _places(row))


def _missed(answers: Answers) -> int:
    return sum(not named for row in answers.rows for named, *_ in _places(row))


def _besides(row: Row) -> Counter[str]:
    """Count the names that were not asked for, by origin."""
    return Counter({key: n for key, n in row.trace.items() if key not in (ASKED, MATCHED) and not ITEM.fullmatch(key)})


def _more(row: Row) -> bool:
    """Return whether an answer names everything that was asked for, and something else."""
    named = [named for named, *_ in _places(row)]
    return bool(named) and all(named) and bool(_besides(row))


def _more_than_asked(answers: Answers) -> Iterator[str]:
    more = answers.count(_more)
    if more >= OFTEN * answers.n:
        yield (
            f"in {more:,} of {answers.n:,} trials everything that was asked for is named, and something else as well: "
            "RULER's recall counts these as complete"
        )
