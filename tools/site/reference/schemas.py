"""The formats of files that no class of longctx describes.

A file may have more fields: programs should ignore those that they do not know.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from longctx.vocabulary.point import Kind

Outcome = Literal["pass", "regression", "inconclusive", "invalid"]


class Table(BaseModel):
    model_config = ConfigDict(extra="allow")


class SubjectFields(Table):
    """The subject: who was asked, and in which words."""

    model: str
    """The model that was asked."""
    prompt_set: str
    """The prompt set."""
    labels: dict[str, str]
    """The labels of `--ctx-label`."""


class Trials(Table):
    """The numbers of trials by the source of their answers."""

    live: int
    """Trials that this run asked."""
    replayed: int
    """Trials that were replayed from recordings."""
    unmeasured: int
    """Trials that were not measured."""


class CellRate(SubjectFields):
    """The rate of one cell."""

    test: str
    """The test, such as `passkey`."""
    cell: str
    """The slug of the cell's parameters."""
    params: dict[str, int | str | None]
    """The cell's parameters."""
    correct: int
    """Trials with the right answer."""
    n: int
    """Trials that were measured."""
    rate: float | None
    """`correct / n`; null if nothing was measured."""
    lo: float
    """The lower end of Wilson's 95% interval."""
    hi: float
    """The upper end of Wilson's 95% interval."""
    outcomes: dict[Kind, int]
    """The number of trials with each outcome."""
    depth: float | None
    """The median depth of the needle: 0 is the beginning of the prompt, 1 its end."""
    distance_from_end: int | None
    """The median number of tokens between the needle and the end."""


class Usage(Table):
    """The tokens, cost and time of one test on one model."""

    test: str
    """The test, such as `passkey`."""
    model: str
    """The model that was asked."""
    input: int
    """The tokens of all prompts."""
    cached: int | None
    """The tokens that were read from the prompt cache; null if no answer reports them."""
    written: int
    """The tokens that were written to the prompt cache."""
    output: int
    """The tokens of all replies."""
    cost_usd: float | None
    """The cost of the answers when they were asked, in US dollars; null if prices are not known."""
    latency_s: list[float] | None
    """The median and the 95th percentile in seconds; null if no answer has a latency."""


class Cost(Table):
    """The cost of one model's answers when they were asked, in US dollars."""

    model: str
    """The model that was asked."""
    live: int
    """Answers that this run asked for."""
    live_usd: float | None
    """The cost of these answers; null if prices are not known."""
    replayed: int
    """Answers that were replayed."""
    replayed_usd: float | None
    """The cost of the replayed answers when they were recorded."""
    dated: str | None
    """The date of the prices."""


class SummaryFile(Table):
    """`summary.json`: the tables of the terminal, for programs. A test adds entries of its own, such as `passkey`
    (k_max of each window) and `qa` (effects of the variants)."""

    schema_: Literal[1] = Field(alias="schema")
    """The version of the format, which rises when a field changes its meaning."""
    run: str
    """The run's name."""
    trials: Trials
    """The numbers of trials that were asked, replayed, and not measured."""
    errors: dict[str, int]
    """The number of trials that were not measured, by cause."""
    cells: list[CellRate]
    """The rate of each cell for each model and prompt set."""
    usage: list[Usage]
    """The tokens, cost and time of each test and model."""
    costs: list[Cost]
    """The cost of each model."""
    answered: list[dict[str, Any]]
    """Models that answered instead of the model that was asked: `model`, `by`, and `number` of `of` trials."""


class BandFields(Table):
    """One band of lengths of one test."""

    band: str
    """The band's name in the profile; `all` if that has no bands."""
    verdict: Outcome
    """The verdict on this band."""
    n: int
    """The number of pairs of trials."""
    clusters: int
    """The number of clusters of pairs; the number of pairs if each stands alone."""
    gained: int
    """Discordant pairs whose answer was wrong and is right now."""
    lost: int
    """Discordant pairs whose answer was right and is wrong now."""
    difference: float
    """The present rate minus the earlier one."""
    bound: float
    """The one-sided upper bound of the drop. If it is below `margin`, the band passes."""
    p_value: float
    """The p-value of the drop, before Holm's correction."""
    needed: int | None
    """The approximate number of trials that would settle an inconclusive band."""
    same_answers: bool
    """Whether the run replayed the baseline's own answers, with the same judgements."""
    reason: str
    """Why the band is invalid; empty if it is not."""


class TestFields(Table):
    """The verdict on one test. A test adds lists of its own: passkey has `windows`, with k_max of both runs."""

    test: str
    """The test, such as `passkey`."""
    before: SubjectFields
    """The subject of the baseline."""
    after: SubjectFields
    """The subject of the run."""
    verdict: Outcome
    """The worst verdict of its bands; `invalid` if too little was measured, and `regression` if a minimum is missed."""
    reasons: list[str]
    """A sentence for each reason why it is invalid."""
    pairs: int
    """The number of trials that both runs have."""
    unmeasured: int
    """The number of pairs that the run did not measure."""
    bands: list[BandFields]
    """The verdict on each band."""


class GateFile(Table):
    """`gate.json`: the verdict on a run. `document` holds the text of `gate.md`."""

    verdict: Outcome
    """The verdict on the whole run."""
    baseline: str
    """The baseline's name."""
    margin: float
    """The non-inferiority margin: a drop that does not matter."""
    alpha: float
    """The probability of a false alarm in the whole run."""
    alpha_of_verdict: float
    """The part of `alpha` that the test at the end has; it is smaller if the run could stop early."""
    trials: int
    """The number of trials of the run."""
    left_out: int
    """The number of trials that were not asked because the verdict was settled."""
    reasons: list[str]
    """A sentence for each reason why the run is invalid."""
    changed: list[str]
    """The settings that differ between the baseline and the run."""
    tests: list[TestFields]
    """The verdict on each test."""


class BaselineHead(Table):
    """The first line of a baseline, `fixtures/baselines/NAME.jsonl`."""

    schema_: Literal[1] = Field(alias="schema")
    """The version of the format, which rises when a field changes its meaning."""
    name: str
    """The baseline's name."""
    saved_at: str
    """The time at which the baseline was saved: ISO 8601, UTC."""
    run: dict[str, Any]
    """The `run.json` of the run that was saved."""
    questions: dict[str, dict[str, list[str | None]]]
    """The id and the cluster of each trial's question, by bank and trial."""


class BaselineLine(Table):
    """Any other line of a baseline: the trials of one cell, model and wording."""

    test: str
    """The test, such as `passkey`."""
    version: int
    """The test's version."""
    model: str
    """The model that was asked."""
    prompt_set: str
    """The prompt set."""
    prompt_digest: str
    """The digest of the test's wording in the prompt set."""
    labels: dict[str, str]
    """The labels of `--ctx-label`."""
    cell: str
    """The slug of the cell's parameters."""
    params: dict[str, int | str | None]
    """The cell's parameters."""
    band: str | None
    """The band of lengths in which a gate judges the trials."""
    seed: int
    """The random seed that draws the trials."""
    repeat: int
    """The index of the repeat, from 0."""
    model_returned: list[str]
    """The models that answered, by the names that the server gave."""
    recorded: list[str]
    """The times at which the first and the last answer were recorded: ISO 8601, UTC."""
    bank: str | None
    """The digest of documents and questions, in long-context QA."""
    answers: str | None
    """A digest of the recorded answers."""
    trials: list[int] | None
    """The indices of the trials; null for all from 0."""
    clusters: str | list[str | None] | None
    """The cluster of all trials, or of each; null if they have none, or those of their questions."""
    outcomes: str
    """One letter a trial: `c` correct, `w` wrong, `u` unparseable, `r` refusal, `t` truncated; not measured: `i`
    infra_error, `n` not_asked."""


class EpisodeFields(Table):
    """The metadata of an episode."""

    trial: str
    """The trial's identity: test and its version, cell, question, seed, trial, repeat."""
    model: str = ""
    """The model that was asked."""
    prompt_set: str
    """The prompt set."""
    wording: str
    """The digest of the test's wording."""
    recorded_at: str
    """The time of the recording: ISO 8601, UTC."""
    latency_s: float | None
    """Seconds from the request to the end of the reply; null if a batch answered."""
    run: str
    """The name of the run that asked."""
    batch: str = ""
    """The id of the Message Batch that answered it, if any."""


class Episode(Table):
    """A line of a cassette, `cassettes/MODEL/TEST/CELL.jsonl`: a whole vcrpy cassette of one interaction. The
    prompt is not in it: the request's body is the SHA-256 of what was sent, and the prompt is built again from the
    trial. A line without an interaction is written by `--ctx-record all`: its metadata has `sent_again`, the trials
    that are sent again, and `replaced`, the runs whose answers to them do not count any more."""

    version: Literal[1]
    """The version of vcrpy's format."""
    interactions: list[dict[str, Any]]
    """One `request` (`method`, `uri`, `body` as `sha256:…`) and its `response` (`status`, `headers`, `body`)."""
    metadata: EpisodeFields
    """The trial that it answers, and how it was asked."""
