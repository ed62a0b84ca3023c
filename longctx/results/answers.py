"""Which recorded answers rows rest on, as one digest for each line: two runs with the same replayed the same."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from longctx.results.line import OF_A_LINE, by_line, line_of

if TYPE_CHECKING:
    import pandas as pd

ANSWER = ("trial", "prompt_sha256", "recorded_at", "latency_s")


def digest_of_answers(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """rows: of one line. None where a trial has no answer."""
    if any(not isinstance(row["prompt_sha256"], str) for row in rows):
        return None
    answers = sorted([row[name] for name in ANSWER] for row in rows)
    return hashlib.sha256(json.dumps(answers).encode()).hexdigest()[:16]


def with_answers(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with a column `answers`: the digest of the line that each belongs to."""
    records = rows.astype(object).to_dict("records")
    found = [{name: row[name] for name in (*OF_A_LINE, *ANSWER)} for row in records]
    digests = {line: digest_of_answers(group) for line, group in by_line(found).items()}
    return with_digests(rows, [digests[line_of(row)] for row in found])


def with_digests(rows: pd.DataFrame, answers: Sequence[str | None]) -> pd.DataFrame:
    """The rows with a column `answers`, where the digests are known already."""
    import pandas as pd

    return rows.assign(answers=pd.Series(answers, index=rows.index, dtype=object))
