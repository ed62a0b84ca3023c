"""Sentences on the controls of a run whose replies could not be read."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Sequence

from longctx.authoring.items import READ
from longctx.config.keeping import profile_of
from longctx.config.models import load_model
from longctx.results.row import Row
from longctx.results.trial_of_run import RowAndView
from longctx.text import visible
from longctx.workspace import Workspace

TAGGED = "tagged"
"""The prompt set whose answers begin with the opening answer tag."""
RECORDS = {"right": "its right section", "wrong": "a wrong section", "none": "no record"}
WHYS, SHOWN_REPLIES, LONGEST = 3, 2, 200
"""The most reasons that are listed, replies that are shown, and characters of each."""


def sentences(workspace: Workspace, run: Sequence[RowAndView], room: int | None = None) -> list[str]:
    """Return sentences on the controls of a run; none if all replies could be read.

    room: the max_tokens that the user gave with --max-tokens.
    """
    measured = [(row, view) for row, view in run if row.test == "control" and row.measured]
    unread = [(row, view) for row, view in measured if row.outcome not in READ]
    if not unread:
        return []
    whys = Counter(_why(row) for row, _ in unread)
    reasons = ", ".join(f"{why} ({count:,})" for why, count in whys.most_common(WHYS))
    others = whys.total() - sum(count for _, count in whys.most_common(WHYS))
    return [
        f"{len(unread):,} of {len(measured):,} replies have no readable answer: {reasons}"
        f"{f', other reasons ({others:,})' if others else ''}. They do not count for the questions.",
        *_shown(unread),
        f"Fix: {'; '.join(_helps(workspace, unread, room))}. Then record again with --record new_episodes.",
    ]


def _shown(unread: Sequence[RowAndView]) -> Iterator[str]:
    """Yield two of the replies: preferably with the right section, and unreadable for different reasons."""
    seen = [(row, view["reply"]) for row, view in unread if view.get("reply") is not None]
    kinds: dict[str, tuple[Row, str]] = {}
    for row, reply in sorted(seen, key=lambda pair: pair[0].params["record"] != "right"):
        kinds.setdefault(_why(row), (row, reply))
    rest = [pair for pair in seen if pair not in kinds.values()]
    for row, reply in [*kinds.values(), *rest][:SHOWN_REPLIES]:
        question = str(row.item).rpartition("@")[0]
        yield f"The reply to {question} with {RECORDS[str(row.params['record'])]}: “{excerpt(reply)}”"


def excerpt(reply: str) -> str:
    """Return the beginning and the end of a reply, with invisible characters escaped."""
    return visible(f"{reply[: LONGEST // 2]} … {reply[-LONGEST // 2 :]}" if len(reply) > LONGEST else reply)


def _why(row: Row) -> str:
    """Return why a reply cannot be read, without details of this reply."""
    return re.sub("^'.' is", "the answer begins with", str(row.why or row.outcome))


def _helps(workspace: Workspace, unread: Sequence[RowAndView], room: int | None) -> Iterator[str]:
    """Yield what helps, by the outcomes of the replies."""
    row = unread[0][0]
    outcomes = {row.outcome for row, _ in unread}
    model = load_model(workspace, row.model)
    if "truncated" in outcomes:
        yield "a longer reply (" + (f"--max-tokens, {room} now)" if room else "max_tokens of the profile's table)")
    if "unparseable" in outcomes:
        if not model.prefill:
            yield f"prefill = true in {os.path.relpath(profile_of(workspace, model.model))}, if its server takes one"
        if row.prompt_set != TAGGED:
            yield f"--prompts {TAGGED}, whose answers begin with the tag that is read"
    if outcomes - {"truncated"}:
        yield "a prompt set of your own"
