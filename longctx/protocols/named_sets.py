"""Judging replies to RULER's tasks, which ask for a set of names: that set, nothing missing and nothing else.

RULER scores the share of the names that occur in the reply; the trace keeps it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from longctx import Kind, Mark, Outcome, Reply, unanswered
from longctx.protocols.haystack import AnswerBegun

NOWHERE = "nowhere_in_the_text"
"""The origin of a made-up name."""
ASKED, MATCHED, NAMED, MISSED = "asked", "matched", "named", "missed"
"""Keys of a trace: how many items were asked for, and how many RULER's match finds; and, followed by _1, _2 … for the
first, second … item, its `where`."""


@dataclass(frozen=True, slots=True)
class Needle:
    """Something in the text that a reply may name.

    where: the percentage of the text before it, or how often it occurs. start, end: its place in the user's text.
    """

    name: str
    where: int
    start: int
    end: int

    @classmethod
    def at(cls, start: int, line: str, name: str, user: str) -> Needle:
        """Return the item that a line of the user's text names."""
        return cls(name, 100 * start // len(user), start, start + len(line))


@dataclass(frozen=True, slots=True)
class NamedAnswers:
    """The names that a trial asks for.

    items: in the order of the question. others: everything else in the prompt that could be named, with its origin.
    placed: those of the others that have a place in the text.
    """

    items: tuple[Needle, ...]
    others: Mapping[str, str]
    placed: tuple[Needle, ...] = ()

    @property
    def names(self) -> list[str]:
        return [item.name for item in self.items]

    @property
    def known(self) -> frozenset[str]:
        """Everything in the prompt that could be named."""
        return frozenset((*self.names, *self.others))


def answer_of(reply: Reply, prefill: str) -> str:
    """Return the reply without the prefilled beginning of the answer, which the model may also have repeated."""
    return reply.text.strip().removeprefix(prefill)


def string_match(names: Sequence[str], text: str) -> int:
    """Count the names that RULER's match finds in a reply; `string_match_all` divides this by their number."""
    said = re.sub(r"[\x00-\x1f]", "\n", text.strip()).strip().lower()
    return sum(name.lower() in said for name in names)


def judged_names(reply: Reply, answer: str, asked: NamedAnswers, named: Sequence[str], what: str) -> Outcome:
    """Judge a reply. answer: see answer_of. named: the names in it, in order. what: the noun for an item, whose plural
    ends in s."""
    names = asked.names
    scores = {ASKED: len(names), MATCHED: string_match(names, answer)}
    if reply.stop_reason == "refusal" or not named:
        return replace(unanswered(reply, lacks=f"no {what} in the reply"), trace=scores)
    missed = [name for name in names if name not in named]
    besides = Counter(asked.others.get(name, NOWHERE) for name in dict.fromkeys(named) if name not in names)
    return Outcome(
        _kind(reply, bool(missed), bool(besides)),
        " ".join(dict.fromkeys(named)),
        _why(names, missed, besides, what),
        scores | _places(asked, missed) | besides,
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


def _kind(reply: Reply, missed: bool, besides: bool) -> Kind:
    """Return the kind of outcome. A reply that was cut off might still have named what is missing, but a name that was
    not asked for is wrong in any case."""
    if besides:
        return "wrong"
    if missed:
        return "truncated" if reply.cut_off else "wrong"
    return "correct"


def _places(asked: NamedAnswers, missed: Sequence[str]) -> dict[str, int]:
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
