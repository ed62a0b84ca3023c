"""Judging that tests share: answers that are cut off, refused or empty, and the first number in an answer."""

from __future__ import annotations

import re

from longctx.vocabulary.answer import CUT_OFF, Answer
from longctx.vocabulary.point import Outcome


def unanswered(answer: Answer, lacks: str = "no number in the reply") -> Outcome:
    """Return the outcome of an answer without a usable value: `refusal`, `truncated` or `unparseable`.

    lacks: the reason to report if the answer is complete but unparseable.

    Example:
        >>> answer = Answer("I cannot say.", "end_turn", "my-model", input_tokens=40, output_tokens=4)
        >>> unanswered(answer, lacks="no key in the reply")
        Outcome(kind='unparseable', returned=None, why='no key in the reply', trace={})
    """
    if answer.stop_reason == "refusal":
        return Outcome("refusal", why=refused(answer))
    if answer.cut_off:
        return Outcome("truncated", why=f"{_cut_off(answer)}, before an answer")
    if answer.stop_reason == "pause_turn":
        return Outcome("unparseable", why="the model paused its turn, before an answer")
    if answer.stop_reason == "tool_use":
        return Outcome("unparseable", why="the model called a tool, and gave no answer")
    return Outcome("unparseable", why=lacks if answer.text.strip() else "an empty reply")


def refused(answer: Answer) -> str:
    """Return that the model refused, with the category that the server gave."""
    return f"the model refused ({answer.refusal})" if answer.refusal else "the model refused"


def first_integer(answer: Answer) -> re.Match[str] | None:
    """Return the first run of digits in the answer, as the protocol's regular expression finds it; None without any.

    Example:
        >>> first_integer(Answer("The key is 12345.", "end_turn", "my-model", input_tokens=40, output_tokens=9))[0]
        '12345'
    """
    return re.search(r"\d+", answer.text, re.ASCII)


def cut_within(match: re.Match[str], answer: Answer) -> Outcome | None:
    """Return the outcome of an answer that was cut off right after this number, which may lack digits; else None."""
    if answer.cut_off and match.end() == len(answer.text):
        return Outcome("truncated", match[0], f"{_cut_off(answer)}, within a number")
    return None


def _cut_off(answer: Answer) -> str:
    return f"cut off after {answer.output_tokens} tokens{CUT_OFF[answer.stop_reason or '']}"
