"""Gates whose questions share contexts: price, passes, finds and alarms, `python -m benchmarks.gate.contexts`.

Whether a trial is answered is drawn from a normal latent: a part of the item and one of its context, which both runs
share, and a part of the run and one of the run in that context, which they do not. The last makes the changes of a
context correlate, by about 0.05 as plans assume. Looks, tests and bounds are those of longctx.stats over clusters; the
prices are those of the shipped profiles by the planner, with the shares of the trials that the simulated gates asked.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from benchmarks.gate.table import command, share, table
from longctx.cases.reply_tokens import ReplyTokens
from longctx.engine.loads import planned as loads_of_profile
from longctx.engine.plan import Plan
from longctx.engine.settings import Settings
from longctx.live.cost.money import usd
from longctx.stats.bound import drop_bound
from longctx.stats.looks import level_of_look, planned, repeated_p_value
from longctx.stats.paired import score
from longctx.stats.signflip import drop_p_value
from longctx.workspace import Workspace

RESULTS = Path(__file__).with_name("CONTEXTS.md")
ALPHA, RATE = 0.05, 0.9
CORRELATION = 0.05
"""That of the changes of two trials of a context."""
OF_CONTEXT = 0.3
"""The share of what both runs have in common that belongs to the context."""
MODELS = "claude-haiku-5-5", "claude-sonnet-5-5", "claude-opus-5-5"
REPLY = 500
"""The tokens of a reply, thinking included, that the prices are for."""
NORMAL = NormalDist()


@dataclass(frozen=True, slots=True)
class Gated:
    """A band: its name, its trials, and how many share a context."""

    name: str
    trials: int
    together: int = 1

    @property
    def contexts(self) -> int:
        return self.trials // self.together


@dataclass(frozen=True, slots=True)
class Gate:
    name: str
    margin: float
    bands: tuple[Gated, ...]


GATE = Gate(
    "gate",
    0.075,
    (
        Gated("line_retrieval, short", 360),
        Gated("line_retrieval, long", 360),
        Gated("passkey, all", 360),
        Gated("collage, meaning", 360),
        Gated("collage, long", 540, 6),
        Gated("coreference, all", 600, 6),
        Gated("variable_tracking, all", 600, 6),
    ),
)
PR = Gate("gate-pr", 0.125, (Gated("line_retrieval, short", 160), Gated("collage, short", 168, 4)))
OWN = Gate("50 documents of 4 questions", 0.1, (Gated("documents", 200, 4),))
OWN_PR = Gate("15 documents of 4 questions", 0.2, (Gated("documents", 60, 4),))


@dataclass(slots=True)
class Counted:
    """Counts over gates. asked: the share of the trials of each band that was asked, summed."""

    gates: int
    asked: NDArray[np.float64]
    passed: int = 0
    found: int = 0
    first_passed: int = 0


@cache
def common(rate: float, discordance: float) -> float:
    """Return the correlation of the latents of two runs with which this share of the trials changes."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)

    def changing(correlation: float) -> float:
        given = (NORMAL.inv_cdf(rate) + np.sqrt(correlation) * nodes) / np.sqrt(1 - correlation)
        chance = np.array([NORMAL.cdf(float(value)) for value in given])
        return float((weights * 2 * chance * (1 - chance)).sum() / np.sqrt(2 * np.pi))

    low, high = 0.0, 1 - 1e-9
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if changing(middle) > discordance else (low, middle)
    return low


def changes(
    band: Gated, discordance: float, drop: float, random: np.random.Generator, of_context: float | None = None
) -> NDArray[np.int64]:
    """Return the changes of a band's trials, shape (contexts, trials of each).

    of_context: the share of a run's own variation that belongs to the context; by default that which gives CORRELATION.
    """
    shape, one_each = (band.contexts, band.together), (band.contexts, 1)
    shared = common(RATE, discordance)
    own = 1 - shared
    in_run = 0.0 if band.together == 1 else of_context if of_context is not None else calibrated(discordance)
    both = np.sqrt(shared * (1 - OF_CONTEXT)) * random.standard_normal(shape)
    both += np.sqrt(shared * OF_CONTEXT) * random.standard_normal(one_each)
    answered = [
        NORMAL.inv_cdf(rate)
        + both
        + np.sqrt(own * (1 - in_run)) * random.standard_normal(shape)
        + np.sqrt(own * in_run) * random.standard_normal(one_each)
        > 0
        for rate in (RATE, RATE - drop)
    ]
    return answered[1].astype(np.int64) - answered[0].astype(np.int64)


def correlation(discordance: float, of_context: float | None = None, contexts: int = 100_000) -> float:
    """Return the correlation of the changes of two trials of one context."""
    drawn = changes(Gated("", 2 * contexts, 2), discordance, 0.0, np.random.default_rng(0), of_context)
    return float((drawn[:, 0] * drawn[:, 1]).mean() / (drawn * drawn).mean())


@cache
def calibrated(discordance: float) -> float:
    """Return the share of a run's own variation that makes the changes of a context correlate by CORRELATION."""
    low, high = 0.0, 1.0
    for _ in range(10):
        middle = (low + high) / 2
        low, high = (middle, high) if correlation(discordance, middle) < CORRELATION else (low, middle)
    return low


def simulate(gate: Gate, discordance: float, drops: Sequence[float], gates: int, seed: int = 1) -> Counted:
    """Return what gates do whose first bands lose `drops` of their trials. Bands with a drop come first."""
    random = np.random.default_rng(seed)
    counted = Counted(gates, np.zeros(len(gate.bands)))
    for _ in range(gates):
        drawn = [
            changes(band, discordance, drop, random)
            for band, drop in zip(gate.bands, [*drops, *[0.0] * len(gate.bands)], strict=False)
        ]
        looks = [planned(band.contexts) for band in gate.bands]
        p_values, passed, settled = [1.0] * len(drawn), [False] * len(drawn), [False] * len(drawn)
        asked, shown = [0.0] * len(drawn), [False] * len(drawn)
        for look in range(1, max(looks) + 1):
            now = [at for at in range(len(drawn)) if not settled[at] and look <= looks[at]]
            for at in now:
                clusters = drawn[at][: len(drawn[at]) * look // looks[at]]
                asked[at] = len(clusters) / len(drawn[at])
                sums = clusters.sum(axis=1)
                p_values[at] = min(
                    p_values[at],
                    repeated_p_value(drop_p_value(sums.tolist(), mid=clusters.shape[1] == 1), look, looks[at]),
                )
                level = level_of_look(ALPHA, look, looks[at])
                passed[at] = passed[at] or _passes(clusters, sums, level, gate.margin)
            shown = _holm(p_values)
            for at in now:
                ends = drawn[at][: round(asked[at] * len(drawn[at]))]
                settled[at] = passed[at] or (shown[at] and float(-ends.mean()) >= gate.margin)
        counted.asked += asked
        counted.passed += all(passed)
        counted.found += any(one and not other for one, other in zip(shown, passed, strict=True))
        counted.first_passed += passed[0]
    counted.asked /= gates
    return counted


def _passes(clusters: NDArray[np.int64], sums: NDArray[np.int64], level: float, margin: float) -> bool:
    n, z = clusters.size, NORMAL.inv_cdf(1 - level)
    gained, lost = int((clusters > 0).sum()), int((clusters < 0).sum())
    if score(gained, lost, n, -margin) <= z:  # the bound over clusters is at least that of independent trials
        return False
    return clusters.shape[1] == 1 or drop_bound(clusters.tolist(), level) < margin


def _holm(p_values: Sequence[float]) -> list[bool]:
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    shown = [False] * len(p_values)
    for step, at in enumerate(order):
        if p_values[at] > ALPHA / (len(p_values) - step):
            break
        shown[at] = True
    return shown


@cache
def prices(profile: str, model: str) -> dict[str, tuple[float, float]]:
    """Return the price of each band of a shipped profile in USD, directly and in batches, by its name."""
    plan = Plan(Settings(profile=profile, models=(model,)), Workspace(Path.cwd()))
    replies = ReplyTokens(REPLY, REPLY, REPLY, 0)
    loads = loads_of_profile(plan, cases=[replace(case, replies=replies) for case in plan.cases])
    return {
        f"{band.family}, {band.name}": (load.price or 0.0, load.batch_price or 0.0) for (_, band), load in loads.items()
    }


def price(gate: Gate, model: str, counted: Counted) -> str:
    """Return what the simulated gates cost, directly and in batches."""
    of_bands = prices(gate.name, model)
    sums = [
        sum(asked * of_bands[band.name][place] for asked, band in zip(counted.asked.tolist(), gate.bands, strict=True))
        for place in (0, 1)
    ]
    return f"{usd(sums[0])}; {usd(sums[1])}"


def first(gate: Gate, name: str) -> Gate:
    """Return the gate with a band in the first place, in which drops are simulated."""
    return replace(gate, bands=tuple(sorted(gate.bands, key=lambda band: band.name != name)))


def unchanged(gates: int) -> str:
    rows = []
    for gate in (GATE, PR):
        for discordance in (0.02, 0.05, 0.1):
            counted = simulate(gate, discordance, (), gates)
            costs = [price(gate, model, counted) for model in MODELS]
            rows.append(
                [gate.name, f"{discordance:.0%}", share(counted.passed, gates), share(counted.found, gates), *costs]
            )
    head = ["profile", "pairs that change", "passes", "false alarms"]
    return table([*head, *(f"{model}: directly; in batches" for model in MODELS)], rows)


def dropped(gates: int) -> str:
    rows = []
    for gate, names, drops in (
        (GATE, ("line_retrieval, long", "collage, long", "coreference, all"), (0.05, 0.1)),
        (PR, ("line_retrieval, short", "collage, short"), (0.1, 0.15)),
    ):
        for name in names:
            for drop in drops:
                for discordance in (0.05, 0.1):
                    counted = simulate(first(gate, name), discordance, (drop,), gates)
                    cells = share(counted.found, gates), share(counted.first_passed, gates)
                    rows.append([gate.name, name, f"{100 * drop:g} points", f"{discordance:.0%}", *cells])
    return table(["profile", "band", "drop", "pairs that change", "found", "the band passes"], rows)


def margins(gates: int) -> str:
    rows = []
    for gate, band in ((GATE, GATE.bands[5]), (PR, PR.bands[1]), (OWN, OWN.bands[0])):
        alone = replace(gate, bands=(band,))
        for discordance in (0.05, 0.1):
            counted = simulate(alone, discordance, (gate.margin,), gates)
            rows.append(
                [gate.name, band.name, f"{gate.margin:.1%}", f"{discordance:.0%}", share(counted.passed, gates)]
            )
    return table(["profile", "band", "margin and drop", "pairs that change", "passes"], rows)


def own(gates: int) -> str:
    rows = []
    for gate in (OWN, OWN_PR):
        for discordance in (0.05, 0.1):
            same = simulate(gate, discordance, (), gates)
            found = [share(simulate(gate, discordance, (drop,), gates).found, gates) for drop in (0.1, 0.15, 0.2, 0.3)]
            cells = share(same.passed, gates), share(same.found, gates), f"{same.asked[0]:.0%}"
            rows.append([gate.name, f"{gate.margin:g}", f"{discordance:.0%}", *cells, *found])
    head = ["documents", "margin", "pairs that change", "unchanged passes", "false alarms", "trials asked"]
    return table([*head, *(f"finds {drop} points" for drop in (10, 15, 20, 30))], rows)


def run(gates: int) -> Iterator[str]:
    measured = ", ".join(f"{correlation(changing):.3f} where {changing:.0%} change" for changing in (0.02, 0.05, 0.1))
    yield (
        f"# Contexts\n\nWritten by `python -m benchmarks.gate.contexts`, {gates:,} gates a line; brackets are Wilson's "
        f"95%. The rate is {RATE:g}; the changes of two trials of a context correlate by {measured}. Prices are for "
        f"replies of {REPLY} tokens, thinking included."
    )
    for title, part in (
        ("Nothing has changed", unchanged),
        ("A drop in one band", dropped),
        ("A drop of exactly the margin, in a gate of one band", margins),
        ("A test function's documents", own),
    ):
        yield f"## {title}\n\n{part(gates)}"


if __name__ == "__main__":
    command("contexts", __doc__, run, RESULTS)
