"""The row of a trial: its question, its answer, and how that was judged."""

from __future__ import annotations

import functools
import hashlib
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from pydantic import TypeAdapter

from longctx.fields import Amount, Natural, Number, Text, Whole
from longctx.vocabulary.point import CREDIT, MEASURED, Kind, gives_credit, question_in
from longctx.vocabulary.shapes import TEXT, Shape

THINKING = "thinking in text"
"""The number in a trace that is 1 if the text of a reply contained thinking, which was not read as the answer."""
WITHOUT_TEXT = "passed without text"
"""The number in a trace that is 1 if the trial passed, and its last answer has neither text nor a tool call."""
ALONE = "right with the evidence alone"
"""The number in a trace that is 1 if the answer was right with the evidence alone when the question was tried, or 0."""
CALLS_TOOL = "calls a tool"
"""The number in a trace that is 1 if the reply calls a tool instead of answering the probe."""
GRADED = "graded by a judge"
"""The name of a number in a trace that records that a judge was asked; a colon and its verdict may follow."""
AGREEMENT = "judge_agreement"
"""The name, among those of checks, of how often the judge agrees with human labels. `returned` is its verdict, and
`expected` the label; several of a trial are joined by a semicolon."""
STALE = "stale"
"""The error of a row whose trial is recorded for another request only; its trace states which parts differ."""
EARLY_STOP = "early stop"
"""The error of a row whose trial was not sent because its band was settled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """The result of one trial. If it was not measured, `error` is the reason. None means unknown.

    Example:
        >>> rows = Run(profile="recorded").measure().rows  # doctest: +SKIP
        >>> wrong = [row for row in rows if row.measured and not row.correct]  # doctest: +SKIP
        >>> wrong[0].why  # doctest: +SKIP
        'the line after the one asked for'
    """

    run: Text
    """The name of the run."""
    model: Text
    """The model that the requests named."""
    prompt_set: Text
    """The name of the prompt set."""
    prompt_digest: Text
    """The digest of the test's templates in that prompt set."""
    shape: Shape = TEXT
    """The shape of the request, such as `text` or `chat`."""
    test: Text
    """The test, such as `passkey`."""
    version: Natural = 1
    """The test's version, which increases when it builds other trials."""
    cell: Text
    """The slug of its parameters, such as `lines-5-block_size-2`."""
    params: Mapping[Text, Whole | Number | Text | None]
    """The cell's parameters."""
    seed: Natural
    """The random seed that draws the trial."""
    trial: Natural
    """The number of the trial in its cell, from 0."""
    item: Text | None
    """The item, if it was not drawn: in long-context QA, the question's id and its digest, or that of its
    bank for banks of version 1; the id of a test function's case."""
    repeat: Natural
    """How often this run measured the same trial before it."""
    outcome: Kind
    """How the reply was judged; `infra_error` and `not_asked` were not measured, and do not count in an accuracy."""
    band: Text | None = None
    """The band of lengths in which a gate judges the trial; None if it is not gated."""
    cluster: Text | None = None
    """The cluster of trials that are easy or hard together: those about one section or graph, or of one distance."""
    labels: Mapping[Text, Text] = field(default_factory=dict)
    """The labels that the user gave the run."""
    model_returned: Text | None = None
    """The model that answered, as the server names it."""
    answered_by: Mapping[Text, Text] = field(default_factory=dict)
    """The models that answered, by the requested ones; empty unless a trial requests other models than its own."""
    expected: Text | None = None
    """The right answer."""
    returned: Text | None = None
    """The answer that was read from the reply."""
    why: Text | None = None
    """Why the answer is wrong, in a sentence."""
    trace: Mapping[Text, Whole] = field(default_factory=dict)
    """The numbers in `why`, by name; of a stale trial, whether each part of its request differs."""
    lexical: bool | None = None
    """Whether the lexical baseline answers it; None if it is not about documents."""
    error: Text | None = None
    """Why the trial was not measured."""
    probe: Text | None = None
    """The kind of fact that a probe of a conversation asks for, such as `identifier`."""
    retained: Number | None = None
    """The share of the conversation's tokens that the model saw after the context-management strategy."""
    strategy_usd: Amount | None = None
    """What the strategy itself cost, such as the request for a summary, in USD; it is part of `cost_usd`."""
    strategy_s: Amount | None = None
    """The seconds that the requests of the strategy itself took; they are part of `latency_s`."""
    depth: Number | None = None
    """The position of the needle in the text, between 0 (start) and 1 (end)."""
    distance_from_end: Natural | None = None
    """The tokens from the needle to the end of the prompt."""
    input_tokens: Natural | None = None
    """The number of prompt tokens, including prompt-cache reads and writes."""
    cached_tokens: Natural | None = None
    """The tokens that were read from the prompt cache."""
    cache_write_tokens: Natural | None = None
    """The tokens that were written to the prompt cache."""
    output_tokens: Natural | None = None
    """The tokens of the reply, thinking included."""
    thinking_tokens: Natural | None = None
    """The thinking tokens among them, if the server counts these separately."""
    latency_s: Amount | None = None
    """The seconds until the complete reply had arrived."""
    cost_usd: Amount | None = None
    """The cost of the answer when its request was sent, in USD."""
    batch_discount: Number | None = None
    """The share that a batch saved of that cost; None if no batch answered."""
    stop_reason: Text | None = None
    """The reason why the reply ended, as the server gives it."""
    refusal: Text | None = None
    """The category of a refusal, as the server gives it."""
    fallback: bool = False
    """Whether a fallback model answered because the requested one declined: its accuracy is not that model's."""
    source: Text | None = None
    """`live` if this run asked, else `replayed`."""
    origin: Text | None = None
    """In a run with LONGCTX_BASE: `base` if the answer is recorded there, `asked` if this run asked for it, `new`, or
    `changed` if the base has another answer to the same request."""
    recorded_at: Text | None = None
    """The time of the answer in ISO 8601, UTC."""
    prompt_sha256: Text | None = None
    """The digest of the request; in a baseline, its beginning."""
    documents: Text | None = None
    """The digest of the documents that the prompt holds."""
    guessing: Number | None = None
    """The accuracy that guessing reaches in this trial, if its test function or its file states one."""
    request_parts: Text | None = None
    """The digests of the parts of the request: `model`, `system`, `tools`, `messages` and `parameters`, the rest."""
    judged_by: Text | None = None
    """The digests of what judges the answer: `expected`, `case`, `accepted`, `labels`, `judge` and `judge_prompt`."""
    code: Text | None = None
    """The digest of the code of its test function (functions/code_digest.py). No verdict depends on it."""
    server: Text | None = None
    """The name of the server that answered, as the user gave it; None without one."""
    answers: Text | None = None
    """The digest of the recorded answers of its line (results/answer_groups.py); no file of a run contains it."""

    @classmethod
    def of(cls, kept: Mapping[str, Any]) -> Row:
        """Return the row with the fields that a file kept. Raises ValueError if one is missing or unusable."""
        # Most texts occur in many rows; interning keeps one copy of each.
        values: dict[str, Any] = {}
        if not isinstance(kept, Mapping):
            raise ValueError("a row is a JSON object")
        for name in KEPT:
            if name in kept:
                value = kept[name]
                values[name] = sys.intern(value) if type(value) is str else value
        return _type().validate_python(values)

    @property
    def subject(self) -> Subject:
        if not self.labels:
            return _without_labels(self.model, self.prompt_set, self.shape, self.server or "")
        return Subject.of(self.model, self.prompt_set, self.labels, self.shape, self.server or "")

    @property
    def identity(self) -> tuple[object, ...]:
        """The trial, and whose it is; a run has one row with it."""
        labels = tuple(sorted(self.labels.items()))
        subject = (self.test, self.model, self.prompt_set, self.shape, labels, self.server)
        return (*subject, self.cell, self.item, self.seed, self.trial, self.repeat)

    @property
    def name(self) -> str:
        """The name of the trial in its cell: its number, or the id of its case or question.

        Questions of version-1 banks are named by their numbers.
        """
        if not self.item:
            return str(self.trial)
        if (question := question_in(self.item)) is None:
            return self.item
        return question[0] if self.version > 1 else str(self.trial)

    @property
    def measured(self) -> bool:
        return self.outcome in MEASURED

    @property
    def correct(self) -> bool:
        return self.outcome == "correct"

    @property
    def credit(self) -> float:
        """The trial's score in the accuracy: 1, 0, or partial credit from a check or another tool."""
        if self.trace and CREDIT in self.trace and gives_credit(self.test):
            return self.trace[CREDIT] / 1000
        return 1 if self.outcome == "correct" else 0

    @property
    def answer_id(self) -> str:
        """Eight hexadecimal digits that identify the answer among all answers to the same request."""
        text = f"{self.recorded_at} {self.model_returned} {self.repeat} {self.prompt_sha256}"
        return hashlib.sha256(text.encode()).hexdigest()[:8]

    @property
    def cluster_key(self) -> object:
        """What identifies the row's cluster. A trial without one of its own forms one with its repeats."""
        return self.cluster or (self.cell, self.seed, self.item, self.trial)

    @property
    def cluster_or_item(self) -> object:
        """The row's cluster or, if it has none, its item. Several cells may share an item."""
        return self.cluster or self.item or (self.cell, self.seed, self.item, self.trial)

    @property
    def identified(self) -> tuple[object, object]:
        """Its cluster and its trial, for the interval of the accuracy."""
        trial = self.cell, self.seed, self.item, self.trial
        return self.cluster or self.item or trial, trial

    def to_json(self) -> str:
        return json.dumps({name: getattr(self, name) for name in KEPT}, ensure_ascii=False, separators=(",", ":"))


@functools.cache
def _type() -> TypeAdapter[Row]:
    """Pydantic's checks of a row, which take 10 ms to make: a worker that replays reads no row."""
    return TypeAdapter(Row)


KEPT = tuple(field.name for field in fields(Row) if field.name != "answers")
"""The columns that a run's files keep, in their order."""


@dataclass(frozen=True, slots=True, order=True)
class Subject:
    """The subject of an accuracy: a model, a prompt set, the run's labels, the shape of its requests, its server."""

    model: str
    prompt_set: str
    labels: tuple[tuple[str, str], ...] = ()
    """Pairs of name and value, sorted by name; often none."""
    shape: Shape = TEXT
    server: str = ""
    """The name of the server that answers; empty without one."""

    @classmethod
    def of(
        cls, model: str, prompt_set: str, labels: Mapping[str, str], shape: Shape = TEXT, server: str = ""
    ) -> Subject:
        return cls(model, prompt_set, tuple(sorted(labels.items())), shape, server)

    @property
    def fields(self) -> dict[str, Any]:
        """The fields of the subject in JSON files."""
        shape = {} if self.shape == TEXT else {"shape": self.shape}
        server = {"server": self.server} if self.server else {}
        return {"model": self.model, "prompt_set": self.prompt_set, "labels": dict(self.labels), **shape, **server}

    @property
    def label(self) -> str:
        """The shape, unless it is the text, the server and the labels, such as `shape=chat steps=200`."""
        shape = [] if self.shape == TEXT else [("shape", self.shape)]
        server = [("server", self.server)] if self.server else []
        return " ".join(f"{name}={value}" for name, value in (*shape, *server, *self.labels))

    def __str__(self) -> str:
        """Return, for instance, `some-model, prompts protocol, method=PI steps=200`."""
        return ", ".join([self.model, f"prompts {self.prompt_set}", *([self.label] if self.label else [])])


@functools.lru_cache(maxsize=256)
def _without_labels(model: str, prompt_set: str, shape: Shape, server: str) -> Subject:
    """Return a subject that many rows have."""
    return Subject(model, prompt_set, (), shape, server)


def short_names(subjects: Iterable[Subject]) -> dict[Subject, str]:
    """Return what a reader needs to tell these subjects apart: the model, and what else is not the same for all.

    Example:
        >>> both = [Subject.of("my-model", prompts, {"steps": "200"}) for prompts in ("protocol", "brief")]
        >>> list(short_names(both).values())
        ['my-model, prompts protocol', 'my-model, prompts brief']
    """
    known = list(dict.fromkeys(subjects))
    prompts = len({subject.prompt_set for subject in known}) > 1
    labels = len({subject.label for subject in known}) > 1
    names: dict[Subject, str] = {}
    for subject in known:
        parts = subject.model, f"prompts {subject.prompt_set}" * prompts, subject.label * labels
        names[subject] = ", ".join(filter(None, parts))
    return names


def total(amounts: Sequence[float | None]) -> float | None:
    """Return the sum of amounts; None if one of them is not known."""
    known = [amount for amount in amounts if amount is not None]
    return sum(known) if len(known) == len(amounts) else None


def digest_of_all(requests: Sequence[str]) -> str:
    """Return the digest of a trial's requests, by those of each."""
    return requests[0] if len(requests) == 1 else hashlib.sha256("/".join(requests).encode()).hexdigest()
