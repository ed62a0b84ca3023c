"""What the shipped profiles for gates pass, find and cost, in looks: `python -m benchmarks.gate.profiles`.

Whether a trial is answered is drawn from a normal latent: a part of the item and one of its context, which both runs
share, and a part of the run and one of the run in that context, which they do not. The last makes the changes of a
context correlate, by about 0.05 as plans assume. What falls takes its share of every trial, or of those about a few
documents only. The steps of the gate are written a second time here, and compared with its own by a test; prices are
those of the planner, with the shares of the trials that the simulated gates asked.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from itertools import product
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.runs import binomial, holm
from benchmarks.gate.table import command, sections, share, table
from longctx.cells.cell import ReplyTokens
from longctx.config.models import load_model
from longctx.engine.loads import planned as loads_of_profile
from longctx.engine.run_plan import Plan
from longctx.engine.settings import Settings
from longctx.gate.bands import DOUBT, RUN_MARGIN
from longctx.gate.rules import ALPHA
from longctx.live.cost.prefixes import ContextPrice
from longctx.stats.bound import DRAWS, UNSEEN, over_clusters
from longctx.stats.concentrated import Changed
from longctx.stats.group_sequential import Looks, planned
from longctx.stats.search import narrowed
from longctx.text import usd
from longctx.vocabulary.looks import LooksPlan
from longctx.workspace import Workspace

RESULTS = Path(__file__).with_name("PROFILES.md")
CORRELATION = 0.05
"""That of the changes of two trials of a context."""
OF_CONTEXT = 0.3
"""The share of what both runs have in common that belongs to the context."""
MODELS = "claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"
REPLY = 500
"""The tokens of a reply, thinking included, that the prices are for."""
DOCUMENT = 200_000
"""The tokens of a user's document."""
GATES_OF_A_BASELINE = 10
"""Gates that share the price of a baseline."""
WORTH = 1.2
"""A drop of fewer standard errors is never shown, and its p-value is not computed."""
MOST_TOGETHER = 6
"""The most trials that share a context."""
NORMAL = NormalDist()
Array = NDArray[np.float64]
Ints = NDArray[np.integer]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Gated:
    """A band: its name, its trials, and how many share a context."""

    name: str
    trials: int
    together: int = 1

    @property
    def contexts(self) -> int:
        return self.trials // self.together

    @property
    def test(self) -> str:
        return self.name.partition(",")[0]


@dataclass(frozen=True, slots=True)
class Gate:
    name: str
    margin: float
    bands: tuple[Gated, ...]
    plan: LooksPlan = "few"
    """Of its looks."""
    looks: Looks | None = None
    """In place of the plan's."""
    run_margin: float | None = None
    """That which is stated of all bands together, which then must pass."""


GATE = Gate(
    "gate",
    0.075,
    (
        Gated("line_retrieval, short", 432),
        Gated("line_retrieval, long", 432),
        Gated("passkey, all", 360),
        Gated("collage, meaning", 408),
        Gated("collage, long", 612, 6),
        Gated("coreference, all", 720, 6),
        Gated("variable_tracking, all", 720, 6),
    ),
    "early",
)
PR = Gate(
    "gate-pr",
    0.25,
    (
        Gated("line_retrieval, short", 58),
        Gated("collage, short", 60),
        Gated("variable_tracking, all", 58),
        Gated("coreference, all", 58),
    ),
    run_margin=0.075,
)
SHORT = Gate("gate-short", 0.125, (Gated("line_retrieval, short", 160), Gated("collage, short", 168, 4)))
SETS = Gate(
    "gate-sets",
    0.1,
    tuple(Gated(f"{name}, all", 390) for name in ("multiple_needles", "frequent_words", "graph_walks")),
    "early",
)
SHIPPED = GATE, PR, SHORT, SETS
OWN = Gate("50 documents of 4 questions", 0.1, (Gated("documents", 200, 4),))
OWN_PR = (
    Gate("24 documents of 1 question", 0.25, (Gated("documents", 24),)),
    Gate("15 documents of 4 questions", 0.2, (Gated("documents", 60, 4),)),
)


@dataclass(frozen=True, slots=True)
class Case:
    """A gate on a model, and what falls."""

    gate: Gate
    rate: float = 0.9
    discordance: float = 0.1
    """The share of the pairs that change by chance."""
    drops: Mapping[str, float] = field(default_factory=dict)
    """Of bands, shares of their trials."""
    documents: float | None = None
    """The share of the documents, contexts here, that all of a drop is in; None for all of them."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """The answers of a band in two runs, of many gates: shape (gates, contexts, trials of each)."""

    before: Bools
    after: Bools
    fallen: Bools
    """The contexts that a drop is in, shape (gates, contexts)."""

    @property
    def changes(self) -> Ints:
        changes: Ints = self.after.astype(np.int8) - self.before
        return changes


@cache
def common(rate: float, discordance: float) -> float:
    """Return the correlation of the latents of two runs with which this share of the trials changes.

    By R. L. Plackett's reduction of the bivariate normal (Biometrika 41, 1954): the share is an integral over the
    arcsine of the correlation, from where no trial changes.
    """
    angles = np.linspace(np.pi / 2, 0, 4001)
    density = np.exp(-(NORMAL.inv_cdf(rate) ** 2) / (1 + np.sin(angles))) / np.pi
    shares = np.concatenate([[0.0], np.cumsum((density[1:] + density[:-1]) / 2 * -np.diff(angles))])
    return float(np.sin(np.interp(discordance, shares, angles)))


def draw(band: Gated, case: Case, gates: int, random: np.random.Generator, of_context: float | None = None) -> Drawn:
    """Draw the answers of a band in the two runs of each gate.

    of_context: the share of a run's own variation that belongs to the context; by default that which gives CORRELATION.
    """
    shape, one_each = (gates, band.contexts, band.together), (gates, band.contexts, 1)
    shared, drop = common(case.rate, case.discordance), case.drops.get(band.name, 0.0)
    if of_context is None:
        of_context = calibrated(case.rate, case.discordance) if band.together > 1 else 0.0

    def latent(variance: float, in_context: float) -> NDArray[np.float32]:
        parts = ((1 - in_context, shape), (in_context, one_each))
        return sum(  # type: ignore[return-value]
            np.float32(np.sqrt(variance * part)) * random.standard_normal(size, dtype=np.float32)
            for part, size in parts
            if part
        )

    both = latent(shared, OF_CONTEXT if band.together > 1 else 0.0)
    before, after = (
        both + latent(1 - shared, of_context) > -NORMAL.inv_cdf(rate)
        for rate in (case.rate, case.rate if case.documents else case.rate - drop)
    )
    fallen = np.zeros(shape[:2], bool)
    if case.documents and drop:
        number = round(case.documents * band.contexts)
        fallen = random.permuted(np.broadcast_to(np.arange(band.contexts) < number, shape[:2]), axis=1)
        lost = drop * band.contexts / number / case.rate
        after &= ~(fallen[..., None] & (random.random(shape) < lost))
    return Drawn(before, after, fallen)


def correlation(rate: float, discordance: float, of_context: float | None = None, contexts: int = 100_000) -> float:
    """Return the correlation of the changes of two trials of one context."""
    case = Case(GATE, rate, discordance)
    drawn = draw(Gated("", 2 * contexts, 2), case, 1, np.random.default_rng(0), of_context).changes[0]
    return float((drawn[:, 0] * drawn[:, 1]).mean() / (drawn * drawn).mean())


@cache
def calibrated(rate: float, discordance: float) -> float:
    """Return the share of a run's own variation that makes the changes of a context correlate by CORRELATION."""
    return narrowed(lambda share: correlation(rate, discordance, share) < CORRELATION, 0.0, 1.0, halvings=10)[0]


@dataclass(frozen=True, slots=True)
class Evidence:
    """Sums over the changes of some contexts, of many gates."""

    n: Ints
    """Trials."""
    contexts: Ints
    squares_of_sizes: Ints
    """The sum of the squares of the trials of each context."""
    total: Ints
    """Pairs gained minus pairs lost."""
    changed: Ints
    """Pairs that change."""
    by_size: Ints
    """The sum of each context's gains minus losses, times its trials."""
    steps: Ints
    """Contexts whose gains minus losses are 1, 2, … either way, shape (gates, …)."""

    def __getitem__(self, gates: Bools) -> Evidence:
        return Evidence(*(getattr(self, name)[gates] for name in self.__slots__))

    @classmethod
    def of(cls, changes: Ints) -> Evidence:
        gates, contexts, together = changes.shape
        sums, ones = changes.sum(axis=2, dtype=np.int64), np.ones(gates, np.int64)
        total = sums.sum(axis=1)
        steps = np.stack([(np.abs(sums) == step).sum(axis=1) for step in range(1, MOST_TOGETHER + 1)], axis=1)
        changed = np.abs(changes).sum(axis=(1, 2), dtype=np.int64)
        sizes = contexts * together * ones, contexts * ones, contexts * together**2 * ones
        return cls(*sizes, total, changed, total * together, steps)

    @classmethod
    def together(cls, parts: Sequence[Evidence], counted: Sequence[Bools]) -> Evidence:
        """Add parts up, each in the gates where it counts."""

        def added(name: str) -> Ints:
            arrays = [getattr(part, name) for part in parts]
            return sum(
                each * counts.reshape(-1, *[1] * (each.ndim - 1)) for each, counts in zip(arrays, counted, strict=True)
            )

        return cls(*(added(name) for name in cls.__slots__))

    @property
    def drop(self) -> Array:
        return -self.total / np.maximum(self.n, 1)

    def p_values(self, look: int, looks: Looks) -> Array:
        found, squares = np.ones(len(self.n)), self.steps @ np.arange(1, MOST_TOGETHER + 1) ** 2
        for gate in np.flatnonzero((self.total < 0) & (-self.total >= WORTH * np.sqrt(squares))):
            mid = bool(self.n[gate] == self.contexts[gate])
            p_value = sign_flips(tuple(self.steps[gate].tolist()), int(self.total[gate]), mid)
            found[gate] = looks.repeated_p_value(p_value, look)
        return found

    def excludes(self, margin: float, level: float) -> Bools:
        """Return in which gates the bound for independent trials, as many as are effective, is below the margin."""
        mean = self.total / self.n
        squares = self.steps @ np.arange(1, MOST_TOGETHER + 1) ** 2
        independent, apart = self.changed - self.n * mean**2, self.contexts / np.maximum(self.contexts - 1, 1)
        clustered = squares - 2 * mean * self.by_size + mean**2 * self.squares_of_sizes
        effects = np.maximum(1, clustered / np.maximum(independent, 1e-9) * apart)  # L. Kish's
        effects = np.where(independent < 1e-9, self.n / self.contexts, effects)
        effects = np.where(self.n == self.contexts, 1.0, effects)
        gained, lost, n = ((self.changed + self.total) / 2, (self.changed - self.total) / 2, self.n) / effects
        # T. Tango's score at a drop of the margin
        b = -gained - lost - (2 * n - gained + lost) * margin
        c = lost * margin * (1 + margin)
        q = (np.sqrt(np.maximum(0, b * b - 8 * n * c)) - b) / (4 * n)
        variance = n * (2 * q - margin * (1 + margin))
        scores = (gained - lost + n * margin) / np.sqrt(np.maximum(variance, 1e-12))
        return scores > NORMAL.inv_cdf(1 - level)


@lru_cache(maxsize=200_000)
def sign_flips(steps: tuple[int, ...], total: int, mid: bool) -> float:
    """Return the p-value of a drop. steps: contexts that gain or lose 1, 2, … on balance; total: of all of them."""
    chance = np.ones(1)
    for size, number in enumerate(steps, start=1):
        if number:
            flips = np.zeros(size * number + 1)
            flips[::size] = binomial(number, 0.5)
            chance = np.convolve(chance, flips)
    observed = (total + sum(size * number for size, number in enumerate(steps, start=1))) // 2
    return float(chance[: observed + 1].sum() - mid * chance[observed] / 2)


def over_contexts(sums: Ints, together: int, margin: float, level: float) -> Bools:
    """Return in which gates N. Gaffke's bound is below the margin. sums: of each context, shape (gates, contexts)."""
    lost = np.sort(-sums, axis=1) / together
    worst = np.maximum(UNSEEN, lost[:, -1:])
    means = weights(sums.shape[1]) @ np.concatenate([lost, worst], axis=1).T
    below: Bools = np.quantile(means, 1 - level, axis=0) < margin
    return below


@cache
def weights(contexts: int) -> Array:
    drawn = np.random.RandomState(0).standard_exponential((DRAWS, contexts + 1))
    return drawn / drawn.sum(axis=1, keepdims=True)


@dataclass(frozen=True, slots=True)
class Judged:
    """Verdicts of gates; of their bands, shape (gates, bands)."""

    found: Bools
    """Whether the verdict is a regression, of a band or of the run."""
    passed: Bools
    """Whether each band passes."""
    looked: Ints
    """The contexts that the verdict on a band is of."""
    asked: Ints
    """Those that were asked."""


def judged(gate: Gate, drawn: Sequence[Ints], beside: int = 0) -> Judged:
    """Return the verdicts of gates on the changes of their bands. beside: further hypotheses, which show nothing."""
    plans = [
        gate.looks or planned(gate.plan, changes.shape[1], changes[0].size, gate.margin, ALPHA) for changes in drawn
    ]
    looks, of_whole = [plan.number for plan in plans], max(plans, key=lambda plan: plan.number)
    ends = [plan.ends(changes.shape[1]) for changes, plan in zip(drawn, plans, strict=True)]
    evidence = [[Evidence.of(changes[:, :end]) for end in of] for changes, of in zip(drawn, ends, strict=True)]
    shape, most = (len(drawn[0]), len(drawn)), max(looks)
    p_values, of_run, with_run = np.ones(shape), np.ones(shape[0]), len(drawn) > 1
    passed, settled, asking, shown = (
        np.zeros(shape, bool),
        np.zeros(shape, bool),
        np.ones(shape, bool),
        np.zeros(shape, bool),
    )
    of_run_margin = RUN_MARGIN if gate.run_margin is None else gate.run_margin
    run_settled, run_passed = np.zeros(shape[0], bool), np.zeros(shape[0], bool)
    run_shown, looked, asked = np.zeros(shape[0], bool), np.zeros(shape, np.int64), np.zeros(shape, np.int64)
    run: list[tuple[Bools, Ints, Evidence]] = []

    def below(look: int, here: Bools) -> Bools:
        """Return in which of these gates a drop of the run's margin is ruled out at a look."""
        _, of, together = run[look - 1]
        level = of_whole.level(ALPHA, look)
        small = here & together.excludes(of_run_margin, level)
        for one in np.flatnonzero(small):
            sums = [
                each[one, : end[at - 1]].sum(axis=1) for each, end, at in zip(drawn, ends, of[one], strict=True) if at
            ]
            if max(each.shape[2] for each in drawn) > 1:
                small[one] = over_clusters(np.concatenate(sums).tolist(), int(together.n[one]), level) < of_run_margin
        return small

    for look in range(1, most + 1):
        now = asking & (look <= np.array(looks))
        going = now & ~settled
        asked[now], looked[going] = look, look
        doubtful, drops = np.zeros(shape[0], bool), np.zeros(shape)
        for at in (at for at, of in enumerate(looks) if look <= of):
            gates, of_band = going[:, at], evidence[at][look - 1]
            level = plans[at].level(ALPHA, look)
            p_values[gates, at] = np.minimum(p_values[gates, at], of_band[gates].p_values(look, plans[at]))
            passes = gates & of_band.excludes(gate.margin, level)
            if drawn[at].shape[2] > 1:
                sums = drawn[at][passes, : ends[at][look - 1]].sum(axis=2)
                passes[passes] = over_contexts(sums, drawn[at].shape[2], gate.margin, level)
            passed[:, at] |= passes
            drops[:, at] = of_band.drop
        if with_run:
            here: Bools = now.any(axis=1) & ~run_settled
            parts = [
                (of, asked[:, at] == place)
                for at, each in enumerate(evidence)
                for place, of in enumerate(each, start=1)
            ]
            together = Evidence.together([of for of, _ in parts], [counted for _, counted in parts])
            of_run[here] = np.minimum(of_run[here], together[here].p_values(look, of_whole))
            doubtful = together.drop >= DOUBT * RUN_MARGIN
            run.append((here, asked.copy(), together))
            if gate.run_margin is not None:
                run_passed |= below(look, here)
        others = np.ones((shape[0], beside))
        tested = holm(np.column_stack([p_values, *([of_run] if with_run else []), others]))
        shown = tested[:, : shape[1]]
        run_shown = tested[:, shape[1]] if with_run else run_shown
        if gate.run_margin is not None:
            dropped = run_shown & (run[-1][2].drop >= gate.run_margin)
            run_settled |= run[-1][0] & (run_passed | dropped)
            doubtful = ~run_settled
        settled |= going & (passed | (shown & (drops >= gate.margin)) | (look == np.array(looks)))
        doubtful &= (gate.run_margin is not None) | ~run_shown
        doubtful &= ~(settled & shown & ~passed).any(axis=1)
        asking &= ~settled | doubtful[:, None]
    found = (shown & ~passed).any(axis=1)
    small = np.zeros(shape[0], bool)
    if gate.run_margin is None:
        for look, (here, _, _) in enumerate(run, start=1):
            small |= below(look, here & run_shown & ~found & ~small)
    else:
        small, passed = run_passed, passed & run_passed[:, None]
    contexts = [np.array([0, *end]) for end in ends]
    at_looks = (
        np.column_stack([of[at] for of, at in zip(contexts, looks.T, strict=True)]) for looks in (looked, asked)
    )
    return Judged(found | (run_shown & ~small), passed, *at_looks)


@dataclass(slots=True)
class Counted:
    """Counts over gates."""

    gates: int
    asked: NDArray[np.float64]
    """The mean share of the trials of each band that was asked."""
    passed: int = 0
    found: int = 0
    first_passed: int = 0
    """Passes of the first band that falls, or of the first."""


def simulate(case: Case, gates: int, seed: int = 1) -> Counted:
    random, bands = np.random.default_rng(seed), case.gate.bands
    first = next((place for place, band in enumerate(bands) if band.name in case.drops), 0)
    drawn = [draw(band, case, gates, random) for band in bands]
    result = judged(case.gate, [band.changes for band in drawn])
    asked = (result.asked / [band.contexts for band in bands]).mean(axis=0)
    passed = int((result.passed.all(axis=1) & ~result.found).sum())
    return Counted(gates, asked, passed, int(result.found.sum()), int(result.passed[:, first].sum()))


def changed(drawn: Drawn, gate: int, documents: int) -> list[Changed]:
    """Return the trials of the first documents of a gate."""
    before, changes = drawn.before[gate, :documents], drawn.changes[gate, :documents]
    pairs = zip(before.ravel().tolist(), changes.ravel().tolist(), strict=True)
    return [Changed(place // before.shape[1], 0, float(was), change) for place, (was, change) in enumerate(pairs)]


@cache
def prices(profile: str, model: str) -> dict[str, tuple[float, float]]:
    """Return the price of each band of a shipped profile in USD, directly and in batches, by its name."""
    plan = Plan(Settings(profile=profile, models=(model,)), Workspace(Path.cwd()))
    replies = ReplyTokens(REPLY, answers=0)
    loads = loads_of_profile(plan, cells=[replace(cell, replies=replies) for cell in plan.cells])
    return {
        f"{band.test}, {band.name}": (load.price or 0.0, load.batch_price or 0.0) for (_, band), load in loads.items()
    }


def price(gate: Gate, model: str, counted: Counted) -> str:
    """Return what the simulated gates cost, directly and in batches."""
    of_bands = prices(gate.name, model)
    sums = [
        sum(asked * of_bands[band.name][place] for asked, band in zip(counted.asked.tolist(), gate.bands, strict=True))
        for place in (0, 1)
    ]
    return f"{usd(sums[0])}; {usd(sums[1])}"


def own_price(gate: Gate, counted: Counted) -> str:
    """Return what a gate on a user's documents costs on claude-sonnet-5-5, and the share of the baseline's price."""
    [band] = gate.bands
    model = load_model(Workspace(Path.cwd()), "claude-sonnet-5-5")
    of_context = ContextPrice.of(model, DOCUMENT, REPLY, band.together)
    assert of_context is not None
    full = band.contexts * of_context.in_batches
    return f"{usd(float(counted.asked[0]) * full)} + {usd(full / GATES_OF_A_BASELINE)}"


RATES = {0.95: (0.02, 0.05), 0.9: (0.02, 0.05, 0.1), 0.7: (0.02, 0.05, 0.1, 0.2), 0.5: (0.02, 0.05, 0.1, 0.2)}
"""Rates, and shares of the pairs that change by chance; at 0.95 and 0.9 no two runs differ in 10% or 20%."""


@cache
def same(gate: Gate, rate: float, changing: float, gates: int) -> Counted:
    return simulate(Case(gate, rate, changing), gates)


def unchanged(gates: int) -> str:
    rows = []
    for gate in SHIPPED:
        for rate, shares in RATES.items():
            for changing in shares:
                counted = same(gate, rate, changing, gates)
                trials = np.array([band.trials for band in gate.bands])
                asked = f"{float(counted.asked @ trials) / trials.sum():.0%}"
                rates = share(counted.passed, gates), share(counted.found, gates)
                rows.append([gate.name, f"{rate:g}", f"{changing:.0%}", *rates, asked])
    return table(["profile", "rate", "pairs that change", "passes", "false alarms", "trials asked"], rows)


def costs(gates: int) -> str:
    rows = []
    for gate in SHIPPED:
        for changing in RATES[0.9]:
            counted = same(gate, 0.9, changing, gates)
            rows.append([gate.name, f"{changing:.0%}", *(price(gate, model, counted) for model in MODELS)])
    return table(["profile", "pairs that change", *(f"{model}: directly; in batches" for model in MODELS)], rows)


PLACES: Mapping[str, Sequence[str]] = {
    "gate": ("line_retrieval, long", "collage, long", "coreference, all", "line_retrieval", "everywhere"),
    "gate-pr": ("line_retrieval, short", "everywhere"),
    "gate-short": ("line_retrieval, short", "collage, short", "everywhere"),
    "gate-sets": ("multiple_needles, all", "everywhere"),
}
"""Where a drop is simulated: in a band, a test, everywhere. Bands of as many trials and contexts are alike."""


def dropped(gates: int) -> str:
    rows = []
    for gate in SHIPPED:
        noises = ((0.9, 0.1), (0.7, 0.2)) if gate is SETS else ((0.9, 0.05), (0.9, 0.1))
        for place in PLACES[gate.name]:
            bands = [band.name for band in gate.bands if place in (band.name, band.test, "everywhere")]
            for points in (5, 10, 15):
                for (rate, changing), (lost, way) in product(noises, WAYS.items()):
                    counted = simulate(Case(gate, rate, changing, dict.fromkeys(bands, points / 100), way), gates)
                    rates = share(counted.found, gates), share(counted.passed, gates)
                    rows.append([gate.name, place, f"{points} points", lost, f"{rate:g}", f"{changing:.0%}", *rates])
    return table(["profile", "drop in", "of", "lost", "rate", "pairs that change", "found", "passes"], rows)


WAYS: Mapping[str, float | None] = {"hardest": None, "any": 1.0}
"""Which answers a drop takes, as the share of the documents: the hardest, as the latents have it, or any by chance."""
ONE, ALL = "one band", "all bands"
FIRST_TIER: Sequence[tuple[str, float]] = (
    (ONE, 5),
    (ONE, 10),
    (ONE, 25),
    (ONE, 30),
    (ONE, 40),
    (ALL, 3),
    (ALL, 5),
    (ALL, 7.5),
    (ALL, 10),
)
"""Where a drop is, and of how many points."""


def first_tier(gates: int) -> str:
    """What the question of all bands together finds and misses."""
    rows = []
    for (place, points), (lost, way) in product(FIRST_TIER, WAYS.items()):
        names = [band.name for band in PR.bands[: None if place == ALL else 1]]
        cells = []
        for changing in RATES[0.9]:
            counted = simulate(Case(PR, 0.9, changing, dict.fromkeys(names, points / 100), way), gates)
            cells += [share(counted.found, gates), share(counted.passed, gates)]
        rows.append([place, f"{points:g} points", lost, *cells])
    head = [f"{what}, {changing:.0%} change" for changing in RATES[0.9] for what in ("found", "passes")]
    return table(["drop in", "of", "lost", *head], rows)


def margins(gates: int) -> str:
    rows = []
    for gate, band in (
        (GATE, GATE.bands[5]),
        (SHORT, SHORT.bands[0]),
        (SHORT, SHORT.bands[1]),
        (SETS, SETS.bands[0]),
        (OWN, OWN.bands[0]),
    ):
        for rate, changing in ((0.95, 0.02), (0.9, 0.05), (0.9, 0.1), (0.7, 0.2), (0.5, 0.2)):
            alone = Case(replace(gate, bands=(band,)), rate, changing, {band.name: gate.margin})
            passed = share(simulate(alone, gates).passed, gates)
            rows.append([gate.name, band.name, f"{gate.margin:.1%}", f"{rate:g}", f"{changing:.0%}", passed])
    return table(["profile", "band", "margin and drop", "rate", "pairs that change", "passes"], rows)


def documents(gates: int) -> str:
    """What the verdict finds of a drop that is all in a few documents; together.py has what the list names."""
    rows = []
    at_once = replace(OWN, name=f"{OWN.name}, at once", plan="once")
    for gate, band in ((OWN, "documents"), (at_once, "documents"), (SHORT, "collage, short"), (GATE, "collage, long")):
        for points, few in ((3, 0.04), (5, 0.07), (5, 0.2), (10, 0.14), (10, 0.3)):
            for changing in (0.05, 0.1):
                counted = simulate(Case(gate, 0.9, changing, {band: points / 100}, few), gates)
                cells = [share(count, gates) for count in (counted.found, counted.passed)]
                rows.append([gate.name, f"{points} points in {few:.0%}", f"{changing:.0%}", *cells])
    return table(["gate", "drop in documents", "pairs that change", "found", "passes"], rows)


def own(gates: int) -> str:
    rows = []
    for gate in (OWN, *OWN_PR):
        for changing in (0.05, 0.1):
            same = simulate(Case(gate, discordance=changing), gates)
            fallen = (simulate(Case(gate, 0.9, changing, {"documents": drop}), gates) for drop in (0.1, 0.2, 0.3, 0.4))
            cells = share(same.passed, gates), share(same.found, gates), f"{same.asked[0]:.0%}", own_price(gate, same)
            found = [share(counted.found, gates) for counted in fallen]
            rows.append([gate.name, f"{gate.margin:g}", f"{changing:.0%}", *cells, *found])
    head = ["documents", "margin", "pairs that change", "unchanged passes", "false alarms", "trials asked"]
    head += [f"price on claude-sonnet-5-5 + that of a baseline for {GATES_OF_A_BASELINE} gates"]
    return table([*head, *(f"finds {drop} points" for drop in (10, 20, 30, 40))], rows)


PARTS: Sequence[tuple[str, Callable[[int], str]]] = (
    ("Nothing has changed", unchanged),
    ("What an unchanged model costs at a rate of 0.9", costs),
    ("A drop", dropped),
    ("What `gate-pr` finds and misses", first_tier),
    ("A drop of exactly the margin, in a gate of one band", margins),
    ("A drop in few documents", documents),
    ("A test function's documents of 200,000 tokens", own),
)


def run(gates: int) -> Iterator[str]:
    measured = ", ".join(f"{correlation(0.9, changing):.3f} where {changing:.0%} change" for changing in RATES[0.9])
    yield (
        f"# What the profiles for gates find\n\nWritten by `python -m benchmarks.gate.profiles`; {gates:,} gates a "
        "line, brackets are Wilson's 95%. The rate is 0.9 where no other is given; the changes of two trials of a "
        f"context correlate by {measured}. A drop takes the hardest answers, or any by chance. Prices are for replies "
        f"of {REPLY} tokens, thinking included; in batches: or directly where the prompt cache makes that cheaper."
    )
    yield from sections(PARTS, gates)


if __name__ == "__main__":
    command("profiles", __doc__, run, RESULTS, gates=2000)
