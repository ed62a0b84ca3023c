"""Questions and answers between tags, as models write them: found where tags are sloppy, and told apart from the rest.

Source: seeds/long-context-qa.md, cells 8 and 9. Like the notebook, a missing closing tag is forgiven, and answers are
numbered bullets; so are tags in another case or without a number, other bullets, and text around.
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
"""What may begin an answer's line: `1.` `1)` `(1)` `A.` `-`."""


@dataclass(frozen=True, slots=True)
class Tagged:
    """A question with its answers, as text between tags; None for what is missing. raw: both with their tags.

    number: the tags' own; None where they have none. closed: whether a tag ends the last of it.
    """

    number: int | None
    question: str | None
    answers: str | None
    raw: str
    closed: bool


@dataclass(frozen=True, slots=True)
class _Part:
    """What follows one opening tag, up to the next tag of any kind."""

    is_question: bool
    number: int | None
    text: str
    start: int
    end: int
    closed: bool


def find_tagged(reply: str) -> Iterator[Tagged]:
    """Every question and every list of answers in a reply, in order; answers belong to the question just before."""
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
    """The answers in a list, without their bullets; without any bullets, one a line.

    Lines before the first bullet, and after a line without words, are no answers; a line that goes on is joined to the
    one before.
    """
    lines = [line.strip() for line in text.splitlines()]
    bullet = next((one for line in lines for one in BULLETS if one.match(line)), None)
    if bullet is None:
        return [line for line in lines if line]
    found: list[str] = []
    goes_on = False
    for line in lines:
        if match := bullet.match(line):
            found.append(match[1] or "")
            goes_on = True
        elif not any(one.isalnum() for one in line):  # nothing, or a fence such as ```
            goes_on = False
        elif goes_on:
            found[-1] += f" {line}"
    return found


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


def _same(one: int | None, two: int | None) -> bool:
    """Whether two numbers can be of one question."""
    return one is None or two is None or one == two
