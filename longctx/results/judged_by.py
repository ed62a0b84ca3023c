"""What judges an answer besides the test's code, as digests in its row: the expected answer, the case, the judge."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from longctx.results.row import Row

JudgedBy = Literal["expected", "case", "accepted", "labels", "judge", "judge_prompt"]
"""The answer that a protocol expects, the fields of a case, what probes accept, human labels, and the judge: who it is
with its parameters, and its prompt without the answer that it judges."""
OF_JUDGE = frozenset({"judge", "judge_prompt"})
UNKNOWN = "-"
"""Replaces the digest of a prompt in which the judged answer was not found."""
OTHER_EXPECTED = "its expected answer changed"
"""The error of a trial that the baseline judged by another answer, case, label or probe."""
OTHER_JUDGE = "its judge changed"
"""The error of a trial that was graded by another judge, or with another prompt."""
SHORT = 12


def judge_digests(parts: Mapping[JudgedBy, Sequence[object]]) -> str | None:
    """Return the column of a row: the digest of each value, by the name of its part. None is not known."""
    return (
        " ".join(f"{name}={','.join(map(_digest, values))}" for name, values in sorted(parts.items()) if values) or None
    )


def _digest(value: object) -> str:
    if value is None:
        return UNKNOWN
    text = json.dumps(value, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:SHORT]


def changed(before: Row, after: Row) -> str:
    """Return the error of the later row if something else judges it than the earlier one; empty if that is the same.

    Only what is known of both counts: a test that fails early reaches no judge, and earlier rows have no digests.
    """
    was_expected, is_expected = before.expected, after.expected
    if was_expected != is_expected and was_expected is not None and is_expected is not None:
        return OTHER_EXPECTED
    if not before.judged_by or not after.judged_by or before.judged_by == after.judged_by:
        return ""
    was, now = (digests_by_part(row.judged_by) for row in (before, after))
    differ = {name for name in was.keys() & now.keys() if _differs(was[name], now[name])}
    if differ - OF_JUDGE:
        return OTHER_EXPECTED
    return OTHER_JUDGE if differ else ""


def differ(before: str | None, after: str | None) -> bool:
    """Return whether two columns name different judges of an answer. Only what is known of both counts."""
    was, now = digests_by_part(before), digests_by_part(after)
    return any(_differs(was[name], now[name]) for name in was.keys() & now.keys())


def _differs(before: str, after: str) -> bool:
    pairs = zip(before.split(","), after.split(","), strict=False)
    return any(UNKNOWN not in (was, now) and was != now for was, now in pairs)


def digests_by_part(column: str | None) -> dict[str, str]:
    """Return the digests in a column by the names of their parts."""
    entries = (entry.partition("=") for entry in (column or "").split())
    return {name: digests for name, _, digests in entries}


LEAST = 12
"""The fewest characters of an answer that is looked for in a judge's prompt: shorter ones occur there by chance."""


def prompt_without(prompt: str, answers: Sequence[str], sent: str) -> str | None:
    """Return the text of a judge's prompt without the answer that it judges; None if that is not found in it.

    answers: those of the model so far. sent: what the model was sent, whose lines do not count either: documents may
    change.
    """
    texts = {text for answer in answers if (text := answer.strip())}
    found = [text for text in sorted(texts, key=len, reverse=True) if text in prompt]
    if not found or min(map(len, texts)) < LEAST:
        return None
    for text in found:
        prompt = prompt.replace(text, "\0")
    lines = {*map(str.strip, sent.splitlines())}
    return "\n".join(line for line in prompt.splitlines() if line.strip() not in lines)
