"""Judging that tests share: replies that are cut off, refused or empty, and the first number in a reply."""

from __future__ import annotations

import re

from longctx.vocabulary.answer import CUT_OFF, Answer
from longctx.vocabulary.point import Outcome


def unanswered(reply: Answer, lacks: str = "no number in the reply") -> Outcome:
    """Return the outcome of a reply without an answer: refused, cut off, or unparseable.

    lacks: what a finished reply is missing.

    Example:
        >>> reply = Answer("I cannot say.", "end_turn", "my-model", input_tokens=40, output_tokens=4)
        >>> unanswered(reply, lacks="no key in the reply")
        Outcome(kind='unparseable', returned=None, why='no key in the reply', trace={})
    """
    if reply.stop_reason == "refusal":
        return Outcome("refusal", why=refused(reply))
    if reply.cut_off:
        return Outcome("truncated", why=f"{_cut_off(reply)}, before an answer")
    if reply.stop_reason == "pause_turn":
        return Outcome("unparseable", why="the model paused its turn, before an answer")
    if reply.stop_reason == "tool_use":
        return Outcome("unparseable", why="the model called a tool, and gave no answer")
    return Outcome("unparseable", why=lacks if reply.text.strip() else "an empty reply")


def refused(reply: Answer) -> str:
    """Return that the model refused, with the category that the server gave."""
    return f"the model refused ({reply.refusal})" if reply.refusal else "the model refused"


def first_integer(reply: Answer) -> re.Match[str] | None:
    """Return the first run of digits in the reply, as the protocol's regular expression finds it; None without any.

    Example:
        >>> first_integer(Answer("The key is 12345.", "end_turn", "my-model", input_tokens=40, output_tokens=9))[0]
        '12345'
    """
    return re.search(r"\d+", reply.text, re.ASCII)


def cut_within(match: re.Match[str], reply: Answer) -> Outcome | None:
    """Return the outcome of a reply that was cut off right after this number, which may lack digits; else None."""
    if reply.cut_off and match.end() == len(reply.text):
        return Outcome("truncated", match[0], f"{_cut_off(reply)}, within a number")
    return None


def _cut_off(reply: Answer) -> str:
    return f"cut off after {reply.output_tokens} tokens{CUT_OFF[reply.stop_reason or '']}"
