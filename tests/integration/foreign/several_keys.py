"""Several keys are hidden in a text, and the model must name all that the question asks for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from longctx import (
    Answer,
    Axes,
    Causes,
    Count,
    Mark,
    Outcome,
    ProtocolAsk,
    ProtocolCell,
    ProtocolDraw,
    Report,
    Shares,
    mark,
    protocol,
    unanswered,
)

if TYPE_CHECKING:
    from longctx import Answers, Row

NAMES = "Anna", "Boris", "Clara", "David", "Emma", "Felix", "Greta", "Hugo"


class SeveralKeysAxes(Axes):
    """Every number of keys in every number of sentences."""

    keys: tuple[Count, ...]
    sentences: tuple[Count, ...]
    max_tokens: Count = 60

    def cells(self) -> Iterator[dict[str, object]]:
        for keys in self.keys:
            for sentences in self.sentences:
                yield {"keys": keys, "sentences": sentences}


def asked(answers: Answers) -> int:
    """Return how many keys the trials requested."""
    return sum(int(row.params["keys"] or 0) for row in answers.rows)


def missed(row: Row) -> int:
    return int(row.params["keys"] or 0) - row.trace.get("found", 0)  # a refusal has no trace


def seldom_all(answers: Answers) -> Iterator[str]:
    """Yield a finding if most keys are named, but seldom all of them."""
    rate, share = answers.rate(), answers.total("found") / asked(answers)
    if rate.rate <= 0.5 < share:
        yield f"{share:.0%} of the keys are named, but all of them in {rate.correct} of {rate.n} trials only"


REPORT = Report(
    x="sentences",
    axis="sentences of the text",
    series=lambda params: f"{params['keys']} keys",
    rate="all named",
    columns={"keys named": lambda answers: f"{answers.total('found')} of {asked(answers)}"},
    charts=(
        Shares(
            name="each",
            title="Keys named, each counted",
            x="sentences",
            points=lambda answers: [(answers.params["sentences"], "", (answers.total("found"), asked(answers)))],
        ),
    ),
    causes=Causes({"keys missed": missed, "numbers that are no key": "strange"}, of="faults", title="what is wrong"),
    findings=seldom_all,
    data=lambda answers: {
        "cell": answers.cell,
        "found": answers.total("found"),
        "asked": asked(answers),
    },
)


def validate(cell: ProtocolCell) -> None:
    if not 1 <= cell.keys <= len(NAMES):
        raise ValueError(f"{cell.keys} keys are not possible: use 1 to {len(NAMES)}.")


@protocol(
    axes=SeveralKeysAxes,
    title="Several keys",
    unit="sentences",
    templates={"system": (), "opening": (), "sentence": (), "needle": ("name", "key"), "question": ("names",)},
    size=lambda cell, tokens: 12 * (cell.sentences + cell.keys) + 40,
    length="sentences",
    context="sentences",
    validate=validate,
    report=REPORT,
)
def several_keys(
    ask: ProtocolAsk, draw: ProtocolDraw, prompt: Callable[..., str], keys: int, sentences: int
) -> Outcome:
    """`keys` keys of five digits, at random places between `sentences` sentences."""
    stream = draw.stream()
    drawn = [str(key) for key in 10_000 + stream.choice(90_000, keys, replace=False)]
    places = sorted(stream.randint(0, sentences + 1, keys), reverse=True)
    needles = [prompt("needle", name=name, key=key) for name, key in zip(NAMES, drawn, strict=False)]
    lines = [prompt("sentence")] * sentences
    for place, needle in zip(places, reversed(needles), strict=True):
        lines.insert(place, needle)
    text = "\n".join([prompt("opening"), *lines, prompt("question", names=", ".join(NAMES[:keys]))])

    answer = ask(text, expected=" ".join(drawn), needle=needles[0])

    outcome, named = judge_answer(answer, drawn), re.findall(r"\d+", answer.text, re.ASCII)
    marks: list[Mark] = []
    for key, needle in zip(drawn, needles, strict=True):
        marks += mark("needle" if key in named else "needle that was not found", text, needle)
    return replace(outcome, marks=marks)


def judge_answer(answer: Answer, asked: Sequence[str]) -> Outcome:
    """Judge an answer by all numbers in it."""
    named = re.findall(r"\d+", answer.text, re.ASCII)
    if answer.stop_reason == "refusal" or not named:
        return unanswered(answer, lacks="no key in the reply")
    found, strange = set(asked) & set(named), set(named) - set(asked)
    why = f"{len(found)} of {len(asked)} keys are named" + (f", and {len(strange)} that are none" if strange else "")
    right = len(found) == len(asked) and not strange
    trace = {"found": len(found), **({"strange": len(strange)} if strange else {})}
    return Outcome("correct" if right else "truncated" if answer.cut_off else "wrong", " ".join(named), why, trace)
