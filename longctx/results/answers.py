"""Which recorded answers rows rest on, as one digest for each scenario: two runs with the same replayed the same."""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pandas as pd

GROUP = ("family", "model", "prompt_set", "labels", "scenario", "seed", "repeat")
ANSWER = ("trial", "prompt_sha256", "recorded_at", "latency_s")


def digest_of_answers(rows: Sequence[Mapping[str, Any]]) -> str | None:
    """rows: of one scenario, subject, seed and repeat. None where a trial has no answer."""
    answers = sorted([row[name] for name in ANSWER] for row in rows)
    if any(sha256 is None for _, sha256, *_ in answers):
        return None
    return hashlib.sha256(json.dumps(answers).encode()).hexdigest()[:16]


def with_answers(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows with a column `answers`: the digest of the scenario that each belongs to."""
    import pandas as pd

    found = [{name: row[name] for name in (*GROUP, *ANSWER)} for row in rows.astype(object).to_dict("records")]
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    keys = [json.dumps([row[name] for name in GROUP], sort_keys=True) for row in found]
    for key, row in zip(keys, found, strict=True):
        known = row["prompt_sha256"] if isinstance(row["prompt_sha256"], str) else None
        groups[key].append(row | {"prompt_sha256": known})
    digests = {key: digest_of_answers(group) for key, group in groups.items()}
    return rows.assign(answers=pd.Series([digests[key] for key in keys], index=rows.index, dtype=object))
