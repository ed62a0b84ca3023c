"""Samples of lm-evaluation-harness: `samples_TASK_TIME.jsonl`, as --log_samples writes them.

Source: lm_eval/evaluator.py of version 0.4.13.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from longctx.fields import reason
from longctx.results.foreign.result import ForeignResult
from longctx.results.strict_json import loads


class _Sample(BaseModel):
    model_config = ConfigDict(extra="allow")

    doc_id: int
    doc: Any
    filter: str = "none"
    metrics: list[str] | None = Field(default=None, fail_fast=True)
    """The names of its metrics, each of which is a field; older versions do not list them."""
    doc_hash: str | None = None


def of_lines(text: str) -> list[ForeignResult]:
    """Return the results of a file. Raises ValueError, which names the line."""
    results = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            sample = _Sample.model_validate(loads(line))
        except (ValueError, ValidationError) as error:
            raise ValueError(f"line {number}: {reason(error)}") from None
        fields = sample.model_extra or {}
        metrics = sample.metrics or [name for name, value in fields.items() if isinstance(value, int | float)]
        results += [
            ForeignResult(
                id=str(sample.doc_id),
                of={"filter": sample.filter, "metric": metric},
                value=fields.get(metric),
                fields=sample.doc if isinstance(sample.doc, dict) else {},
                answer=_answer(fields),
                document=sample.doc_hash,
            )
            for metric in metrics
        ]
    return results


def _answer(fields: dict[str, Any]) -> str | None:
    """Return what was generated; None of a task that compares likelihoods."""
    for name in ("filtered_resps", "resps"):
        first = fields.get(name)
        while isinstance(first, list) and first:
            first = first[0]
        if isinstance(first, str):
            return first
    return None
