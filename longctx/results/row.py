"""One row a trial: what was asked, what came back, how it was judged."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from longctx.results.subject import Subject
from longctx.vocabulary.scenario import MEASURED, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measured trial, or one that could not be measured, with its cause in `error`.

    depth: 0 = start, 1 = end. distance_from_end, *_tokens: tokens; input_tokens include cached_tokens, read from the
    prompt cache, and cache_write_tokens. latency_s: seconds. cost_usd: what the answer cost when it was asked.
    recorded_at: ISO 8601, UTC. source: `live` if this run asked, else `replayed`.
    labels: what the user said of the run. version: of the family. band: of lengths, in which a gate judges the trial;
    None where no gate does. cluster: trials with the same are easy or hard together. answers: a digest of the recorded
    answers that its line rests on (results/answers.py), which stands in no file of a run. None is what was never known.
    """

    run: str
    model: str
    prompt_set: str
    prompt_digest: str
    family: str
    version: int = 1
    scenario: str
    params: Mapping[str, int | str | None]
    seed: int
    trial: int
    item: str | None
    repeat: int
    outcome: Kind
    band: str | None = None
    cluster: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    model_returned: str | None = None
    expected: str | None = None
    returned: str | None = None
    why: str | None = None
    trace: Mapping[str, int] = field(default_factory=dict)
    error: str | None = None
    depth: float | None = None
    distance_from_end: int | None = None
    input_tokens: int | None = None
    cached_tokens: int | None = None
    cache_write_tokens: int | None = None
    output_tokens: int | None = None
    latency_s: float | None = None
    cost_usd: float | None = None
    stop_reason: str | None = None
    source: str | None = None
    recorded_at: str | None = None
    prompt_sha256: str | None = None
    answers: str | None = None

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Self:
        """The row whose fields were kept in a file. Raises TypeError where one lacks that every row has."""
        return cls(**{name: kept[name] for name in KEPT if name in kept})

    @property
    def subject(self) -> Subject:
        return Subject.of(self.model, self.prompt_set, self.labels)

    @property
    def measured(self) -> bool:
        return self.outcome in MEASURED

    @property
    def correct(self) -> bool:
        return self.outcome == "correct"

    def to_json(self) -> str:
        return json.dumps({name: getattr(self, name) for name in KEPT}, ensure_ascii=False, separators=(",", ":"))


KEPT = tuple(field.name for field in fields(Row) if field.name != "answers")
"""The fields that a run's files hold, in their order."""
