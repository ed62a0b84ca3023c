"""The files that a run leaves whose fields the code writes by hand. They may hold more: a reader ignores what it does
not know."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from longctx.vocabulary.scenario import Kind

Outcome = Literal["pass", "regression", "inconclusive", "invalid"]


class Table(BaseModel):
    model_config = ConfigDict(extra="allow")


class SubjectFields(Table):
    """Whom the trials were put to."""

    model: str
    """The model that was asked."""
    prompt_set: str
    """The wording that it was asked in."""
    labels: dict[str, str]
    """What the user said of the run."""


class Trials(Table):
    """Numbers of trials."""

    live: int
    """Asked by this run."""
    replayed: int
    """Answered from recordings."""
    unmeasured: int
    """Not measured."""


class ScenarioRate(SubjectFields):
    """The rate of one scenario."""

    family: str
    """Such as `passkey`."""
    scenario: str
    """The slug of its parameters."""
    params: dict[str, int | str | None]
    """Its parameters."""
    correct: int
    """Trials that were right."""
    n: int
    """Trials that were measured."""
    rate: float | None
    """`correct / n`; null where nothing was measured."""
    lo: float
    """The lower end of Wilson's 95% interval."""
    hi: float
    """Its upper end."""
    outcomes: dict[Kind, int]
    """How many trials had each outcome."""
    depth: float | None
    """Median depth of the needle: 0 is the start, 1 the end."""
    distance_from_end: int | None
    """Median tokens from the needle to the end."""


class Usage(Table):
    """What one family took on one model."""

    family: str
    """Such as `passkey`."""
    model: str
    """The model that was asked."""
    input: int
    """Tokens of the prompts, all of them."""
    cached: int | None
    """Tokens that were read from the prompt cache; null where no answer tells of it."""
    written: int
    """Tokens that were written to the prompt cache."""
    output: int
    """Tokens of the replies."""
    cost_usd: float | None
    """What the answers cost when they were asked; null where prices are not known."""
    latency_s: list[float] | None
    """Median and 95th percentile, seconds; null where no answer tells."""


class Cost(Table):
    """What the answers of one model cost when they were asked, in US dollars."""

    model: str
    """The model that was asked."""
    live: int
    """Answers that this run asked for."""
    live_usd: float | None
    """What they cost; null where prices are not known."""
    replayed: int
    """Answers that were replayed."""
    replayed_usd: float | None
    """What they had cost."""
    dated: str | None
    """The day of the prices."""


class SummaryFile(Table):
    """`summary.json`: the tables of the terminal, for programs. A family adds entries of its own, such as `passkey`
    (k_max of each window) and `qa` (effects of the variants)."""

    schema_: Literal[1] = Field(alias="schema")
    """The version of the format, which rises when a field changes its meaning."""
    run: str
    """The run's name."""
    trials: Trials
    """How many were asked, replayed, and not measured."""
    errors: dict[str, int]
    """Cause -> trials that were not measured."""
    scenarios: list[ScenarioRate]
    """A rate for each scenario of each model and prompt set."""
    usage: list[Usage]
    """Tokens and time of each family and model."""
    costs: list[Cost]
    """Money of each model."""
    answered: list[dict[str, Any]]
    """Where another model answered than was asked for: `model`, `by`, and `number` of `of` trials."""


class BandFields(Table):
    """One band of lengths of one family."""

    band: str
    """Its name in the profile; `all` where that has no bands."""
    verdict: Outcome
    """The verdict on this band."""
    n: int
    """Pairs of trials."""
    clusters: int
    """Clusters that they come in; as many as pairs where each stands alone."""
    gained: int
    """Discordant pairs that are right now and were wrong."""
    lost: int
    """Discordant pairs that are wrong now and were right."""
    difference: float
    """The rate now less the rate before."""
    bound: float
    """The upper bound of the drop, one-sided: below `margin`, the band passes."""
    p_value: float
    """The p-value of the drop, before Holm's correction."""
    needed: int | None
    """About how many trials would settle an inconclusive band."""
    same_answers: bool
    """Whether the run replayed the baseline's own answers, and judged them the same."""


class FamilyFields(Table):
    """The verdict on one family. A family adds hypotheses of its own: passkey has `windows`, one for each k_max."""

    family: str
    """Such as `passkey`."""
    before: SubjectFields
    """Whose answers the baseline has."""
    after: SubjectFields
    """Whose answers the run has."""
    verdict: Outcome
    """The worst of its bands' and hypotheses' verdicts; `invalid` where too little is known."""
    reasons: list[str]
    """Why it is invalid, a sentence each."""
    pairs: int
    """Trials that both runs have."""
    unmeasured: int
    """Pairs of which the run did not measure its trial."""
    bands: list[BandFields]
    """A verdict for each band."""


class GateFile(Table):
    """`gate.json`: the verdict on a run. `document` holds it in words, as `gate.md` says them."""

    verdict: Outcome
    """On the run."""
    baseline: str
    """The baseline's name."""
    margin: float
    """The non-inferiority margin: a drop that does not matter."""
    alpha: float
    """The chance of a false alarm over the whole run."""
    alpha_of_verdict: float
    """What of it the test at the end has; less where the run could stop early."""
    trials: int
    """Trials of the run."""
    left_out: int
    """Trials that were not asked because the verdict was settled."""
    reasons: list[str]
    """Why the run is invalid, a sentence each."""
    changed: list[str]
    """What differs between baseline and run."""
    families: list[FamilyFields]
    """A verdict for each family."""


class BaselineHead(Table):
    """The first line of a baseline, `fixtures/baselines/NAME.jsonl`."""

    schema_: Literal[1] = Field(alias="schema")
    """The version of the format, which rises when a field changes its meaning."""
    name: str
    """The baseline's name."""
    saved_at: str
    """ISO 8601, UTC."""
    run: dict[str, Any]
    """The `run.json` of the run that was saved."""
    questions: dict[str, dict[str, list[str | None]]]
    """Bank -> trial -> the question's id and its cluster."""


class BaselineLine(Table):
    """Each other line of a baseline: the trials of one scenario, of one model and wording."""

    family: str
    """Such as `passkey`."""
    version: int
    """The family's version."""
    model: str
    """The model that was asked."""
    prompt_set: str
    """The wording that it was asked in."""
    prompt_digest: str
    """The digest of the family's wording in that set."""
    labels: dict[str, str]
    """What the user said of the run."""
    scenario: str
    """The slug of its parameters."""
    params: dict[str, int | str | None]
    """Its parameters."""
    band: str | None
    """The band of lengths in which a gate judges the trials."""
    seed: int
    """The random seed that draws the trials."""
    repeat: int
    """How often the trials were asked before."""
    model_returned: list[str]
    """The models that answered, as the server names them."""
    recorded: list[str]
    """When the first and the last answer were recorded: ISO 8601, UTC."""
    bank: str | None
    """In long-context QA, the digest of documents and questions."""
    answers: str | None
    """A digest of the recorded answers."""
    trials: list[int] | None
    """Which trials; null for all from 0."""
    outcomes: str
    """One letter a trial: `c` correct, `w` wrong, `u` unparseable, `r` refusal, `t` truncated; not measured: `i`
    infra_error, `n` not_asked."""


class EpisodeFields(Table):
    """The metadata of an episode."""

    trial: str
    """The trial's identity: family and its version, scenario, question, seed, trial, repeat."""
    model: str = ""
    """The model that was asked."""
    prompt_set: str
    """The wording that it was asked in."""
    wording: str
    """The digest of the family's wording."""
    recorded_at: str
    """ISO 8601, UTC."""
    latency_s: float | None
    """Seconds until the whole reply was there; null where a batch answered."""
    run: str
    """The run that asked."""
    batch: str = ""
    """The id of the Message Batch that it was answered in, if any."""


class Episode(Table):
    """A line of a cassette, `cassettes/MODEL/FAMILY/SCENARIO.jsonl`: a whole vcrpy cassette of one interaction. The
    prompt is not in it: the request's body is the SHA-256 of what was sent, and the prompt is built again from the
    trial."""

    version: Literal[1]
    """The version of vcrpy's format."""
    interactions: list[dict[str, Any]]
    """One `request` (`method`, `uri`, `body` as `sha256:…`) and its `response` (`status`, `headers`, `body`)."""
    metadata: EpisodeFields
    """Which trial it answers."""
