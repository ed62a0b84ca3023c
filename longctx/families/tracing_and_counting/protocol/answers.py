"""What a reply names, held against what was asked for: RULER's recall, and exactly this set and nothing else.

RULER scores with `string_match_all` (scripts/eval/synthetic/constants.py): the share of the asked strings that stand
anywhere in the reply, in capitals or not. A reply that names everything is whole by it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from longctx.vocabulary.judging import CUT_OFF, unanswered
from longctx.vocabulary.scenario import Kind, Mark, Outcome, Reply, Trial

NOWHERE = "nowhere_in_the_text"
"""What is named and was made up."""
ASKED, MATCHED, NAMED, MISSED = "asked", "matched", "named", "missed"
"""In a trace: numbers of all asked items, and of those that RULER's match finds; and, followed by _1, _2 … for the
first, second … of them, the item's `where`."""


@dataclass(frozen=True, slots=True)
class Needle:
    """Something that the text holds and that a reply may name.

    where: percent of the text before it, or how often it stands there. start, end: its place in the user's text.
    """

    name: str
    where: int
    start: int
    end: int

    @classmethod
    def at(cls, start: int, line: str, name: str, user: str) -> Needle:
        """What is named in a line of the user's text."""
        return cls(name, 100 * start // len(user), start, start + len(line))


@dataclass(frozen=True, slots=True)
class NamedAnswers:
    """What a trial asks for.

    items: in the order of the question. others: all else that a reader of the prompt could name -> where it is from.
    question: where the context ends and it begins. placed: those of the others that have a place in the text.
    """

    items: tuple[Needle, ...]
    others: Mapping[str, str]
    question: int
    placed: tuple[Needle, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        """All that the prompt holds and that could be named."""
        return frozenset((*(item.name for item in self.items), *self.others))


def answer_of(trial: Trial, reply: Reply) -> str:
    """The reply without the beginning of the answer, whether that was sent with the question or said."""
    return reply.text.strip().removeprefix(trial.prefill)


def string_match(names: Sequence[str], text: str) -> int:
    """How many of the names RULER's match finds in a reply: `string_match_all` is this over their number."""
    said = re.sub(r"[\x00-\x1f]", "\n", text.strip()).strip().lower()
    return sum(name.lower() in said for name in names)


def judge(trial: Trial, reply: Reply, named: Sequence[str], what: str) -> Outcome:
    """named: what the reply names, in order. what: one asked item is called so; in the plural it has an s."""
    asked: NamedAnswers = trial.facts
    names = [item.name for item in asked.items]
    scores = {ASKED: len(names), MATCHED: string_match(names, answer_of(trial, reply))}
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


def marks(trial: Trial, outcome: Outcome) -> list[Mark]:
    """The asked items, those apart that were missed; of the others those that were named; and the question."""
    named = (outcome.returned or "").split()
    asked: NamedAnswers = trial.facts
    needles = [
        Mark("needle" if item.name in named else "needle that was missed", item.start, item.end) for item in asked.items
    ]
    besides = [Mark("named besides", item.start, item.end) for item in asked.placed if item.name in named]
    question = len(trial.user) - len(trial.user[asked.question :].lstrip())
    return [*needles, *besides, Mark("question", question, len(trial.user))]


def _kind(reply: Reply, missed: bool, besides: bool) -> Kind:
    """A reply that was cut off might have named what it lacks, but not have taken back what it named besides."""
    if besides:
        return "wrong"
    if missed:
        return "truncated" if reply.stop_reason in CUT_OFF else "wrong"
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
        told = ", ".join(f"{count} {reason.replace('_', ' ')}" for reason, count in besides.items())
        parts.append(f"besides, {told}")
    return "; ".join(parts)
