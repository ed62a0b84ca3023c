"""A parser for the tagged questions and answers that models write, tolerant of sloppy tags.

Source: the notebook on long-context QA (docs/protocols.md), cells 8 and 9. Like it, the parser accepts a missing
closing tag and numbered bullets; it also accepts tags in another case or without a number, other bullets, and
surrounding text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

TAG = re.compile(r"<\s{0,2}(/?)\s{0,2}(question|answers?)\s{0,2}#?(\d{0,6})n?\s{0,2}>", re.IGNORECASE)
BULLETS = tuple(
    re.compile(rf"(?:{bullet})(?:\s+(.*))?$", re.DOTALL)
    for bullet in (r"\(?\d{1,2}[.):]", r"\(?[A-Da-d][.):]", r"[-*•–]")
)
"""The bullets that may begin an answer's line: `1.` `1)` `(1)` `A.` `-`."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """A question with its answers, as text between tags; None for what is missing."""

    number: int | None
    """The number in the tags, if any."""
    question: str | None
    answers: str | None
    raw: str
    """Both with their tags."""
    closed: bool
    """Whether the last part has a closing tag."""


@dataclass(frozen=True, slots=True)
class _Part:
    """The text after an opening tag, up to the next tag of any kind."""

    is_question: bool
    number: int | None
    text: str
    start: int
    end: int
    closed: bool


def find_tagged(reply: str) -> Iterator[Tagged]:
    """Yield every question and list of answers in a reply, in order; answers belong to the question before them."""
    parts = list(_parts(reply))
    taken = False
    for part, after in pairwise([*parts, None]):
        assert part is not None
        if taken:
            taken = False
        elif not part.is_question:
            yield Tagged(part.number, None, part.text, reply[part.start : part.end], part.closed)
        elif after is None or after.is_question or not _same(part.number, after.number):
            yield Tagged(part.number, part.text, None, reply[part.start : part.end], part.closed)
        else:
            taken = True
            number = after.number if part.number is None else part.number
            yield Tagged(number, part.text, after.text, reply[part.start : after.end], after.closed)


def bullets(text: str) -> list[str]:
    """Return the answers in a list, without their bullets. Without any bullets, every line is an answer.

    Lines before the first bullet, and after a line without words, are no answers; a continuation line is joined to the
    answer before it.
    """
    lines = [line.strip() for line in text.splitlines()]
    bullet = next((pattern for line in lines for pattern in BULLETS if pattern.match(line)), None)
    if bullet is None:
        return [line for line in lines if line]
    answers: list[str] = []
    in_answer = False
    for line in lines:
        if match := bullet.match(line):
            answers.append(match[1] or "")
            in_answer = True
        elif not any(character.isalnum() for character in line):  # an empty line, or a fence such as ```
            in_answer = False
        elif in_answer:
            answers[-1] += f" {line}"
    return answers


def _parts(reply: str) -> Iterator[_Part]:
    tags = list(TAG.finditer(reply))
    for tag, after in pairwise([*tags, None]):
        assert tag is not None
        if tag[1]:
            continue
        end = len(reply) if after is None else after.start()
        closed = after is not None and bool(after[1])
        number = int(tag[3]) if tag[3] else None
        yield _Part(tag[2].lower() == "question", number, reply[tag.end() : end], tag.start(), end, closed)


def _same(question: int | None, answers: int | None) -> bool:
    """Tell whether the numbers of a question and of answers agree; a missing number agrees with any."""
    return question is None or answers is None or question == answers
