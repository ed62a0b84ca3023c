"""One row a trial: what was asked, what came back, how it was judged."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any, Self

from longctx.results.subject import Subject
from longctx.vocabulary.prompt_sets import present_name
from longctx.vocabulary.scenario import MEASURED, Kind


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One measured trial, or one that could not be measured, with its cause in `error`. None: never known."""

    run: str
    """The run that it is of."""
    model: str
    """The model that was asked."""
    prompt_set: str
    """The wording that it was asked in."""
    prompt_digest: str
    """The digest of the family's wording in that set."""
    family: str
    """Such as `passkey`."""
    version: int = 1
    """The family's version, which rises when it builds other trials."""
    scenario: str
    """The slug of its parameters, such as `lines-5-block_size-2`."""
    params: Mapping[str, int | str | None]
    """The scenario's parameters."""
    seed: int
    """The random seed that draws the trial."""
    trial: int
    """Which trial of its scenario, from 0."""
    item: str | None
    """In long-context QA, the question and the digest of its bank."""
    repeat: int
    """How often the trial was asked before."""
    outcome: Kind
    """How the reply was judged; `infra_error` and `not_asked` were not measured, and are in no rate."""
    band: str | None = None
    """The band of lengths in which a gate judges the trial; None where no gate does."""
    cluster: str | None = None
    """Trials with the same are easy or hard together, such as those about one section."""
    labels: Mapping[str, str] = field(default_factory=dict)
    """What the user said of the run."""
    model_returned: str | None = None
    """The model that answered, as the server names it."""
    expected: str | None = None
    """The right answer."""
    returned: str | None = None
    """What the model gave for it."""
    why: str | None = None
    """Why the answer is wrong, in a sentence."""
    trace: Mapping[str, int] = field(default_factory=dict)
    """The numbers of `why`."""
    error: str | None = None
    """Why the trial was not measured."""
    depth: float | None = None
    """Where the needle stands: 0 is the start, 1 the end."""
    distance_from_end: int | None = None
    """Tokens from the needle to the end."""
    input_tokens: int | None = None
    """Tokens of the prompt, with what was read from the prompt cache and written to it."""
    cached_tokens: int | None = None
    """Tokens that were read from the prompt cache."""
    cache_write_tokens: int | None = None
    """Tokens that were written to the prompt cache."""
    output_tokens: int | None = None
    """Tokens of the reply."""
    latency_s: float | None = None
    """Seconds until the whole reply was there."""
    cost_usd: float | None = None
    """What the answer cost when it was asked, in US dollars."""
    stop_reason: str | None = None
    """Why the reply ended, as the server says."""
    source: str | None = None
    """`live` if this run asked, else `replayed`."""
    recorded_at: str | None = None
    """When it was answered: ISO 8601, UTC."""
    prompt_sha256: str | None = None
    """The digest of the request."""
    answers: str | None = None
    """A digest of the recorded answers that its line rests on (results/answers.py), which stands in no file of a
    run."""

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Self:
        """The row whose fields were kept in a file. Raises TypeError where one lacks that every row has."""
        # Most of its texts stand in many rows: each is kept once.
        known: dict[str, Any] = {}
        for name in KEPT:
            if name in kept:
                value = kept[name]
                known[name] = sys.intern(value) if type(value) is str else value
        if "prompt_set" in known:
            known["prompt_set"] = present_name(known["prompt_set"])
        return cls(**known)

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
