"""A plan in words and tables: what the trials of each band can show, how many it takes, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pandas as pd

from longctx.gate.plan import BandPlan, Target
from longctx.report.document import Document
from longctx.report.table import Table
from longctx.stats.search import MOST_TRIALS


def plan_document(
    plans: Sequence[BandPlan],
    wanted: Target,
    profile: str,
    further: Mapping[tuple[str, str], int],
    runs: Sequence[str] = (),
    replayed: Sequence[str] = (),
) -> Document:
    """plans: at least one. further: what the gate judges beside bands, one and several of it -> how many.

    runs: the two that the assumptions come from, if any; replayed: families of which both replay the same recordings.
    """
    return Document(
        title=f"Plan of the profile {profile} with a power of {_exact(wanted.power)}",
        notes=(*_rules(plans, wanted, further), *_sources(plans, runs, replayed), *_warnings(plans, wanted)),
        tables=tuple(_tables(plans, wanted)),
    )


def conclusion(plans: Sequence[BandPlan], wanted: Target) -> str:
    """Which bands have the power to pass, and which have not."""
    powered = [plan for plan in plans if plan.outlook.passing >= wanted.power]
    lacking = [plan for plan in plans if plan.outlook.passing < wanted.power]
    parts = []
    if powered:
        parts.append(
            f"Powered: {_names(powered, plans)}. If nothing has changed, {_each(powered)} passes with a probability of "
            f"{_exact(wanted.power)} or more."
        )
    if lacking:
        parts.append(
            f"Not powered: {_names(lacking, plans)}. If nothing has changed, {_each(lacking)} may well be "
            "inconclusive: give more trials (the last table says how many) or a wider margin."
        )
    if len(plans) > 1:
        together = math.prod(plan.outlook.passing for plan in plans)
        parts.append(f"That all {len(plans)} pass together has a probability of {_percent(together)}.")
    return " ".join(parts)


def _rules(plans: Sequence[BandPlan], wanted: Target, further: Mapping[tuple[str, str], int]) -> Iterator[str]:
    step = f"{wanted.alpha:g} / {wanted.hypotheses} = {wanted.first_step:.2g}"
    gated = " and ".join([_count(len(plans), "band"), *(_named(number, *what) for what, number in further.items())])
    yield (
        f"A band passes where the upper bound of its drop ({_exact(1 - wanted.alpha)}, one-sided) is below "
        f"{_exact(wanted.margin)}. A drop is shown by an exact test at {step}: Holm's first and hardest step over "
        f"{gated}."
    )
    yield (
        "Paired: both runs ask the same trials, as the gate does. Unpaired: each run asks its own, as many as said. "
        "Tokens and prices are of one run, with prompts as estimated, replies of full length, and no discount."
    )
    for one, _ in further:
        yield f"The gate judges each {one} besides; that is not planned here."
    if unpriced := sorted({plan.subject.model for plan in plans if plan.load.price is None}):
        yield f"Prices of {', '.join(unpriced)} are not known: a [prices] table in fixtures/models/ gives them."


def _sources(plans: Sequence[BandPlan], runs: Sequence[str], replayed: Sequence[str]) -> Iterator[str]:
    """Where discordance, rate and design effect come from."""
    guessed = [plan for plan in plans if not plan.seen]
    if len(guessed) < len(plans):
        yield (
            f"Pairs that change, and rates, are as seen in {' and '.join(runs)}, with one more of each kind: what "
            "really changed between these two counts as chance here."
        )
    if replayed:
        yield f"Both replay the same recordings of {', '.join(replayed)}; they say nothing of chance and are left out."
    if borrowed := [plan for plan in plans if plan.seen and not plan.own]:
        yield f"Of {_names(borrowed, plans)}, they were seen with another model or other prompts."
    if guessed:
        whose = "" if len(guessed) == len(plans) else f" of {_names(guessed, plans)}"
        why = "the two runs say nothing there" if runs else "--from RUN_A RUN_B measures them"
        yield f"Pairs that change and rates{whose} are guessed, not seen; {why}."
    if clustered := [plan for plan in plans if plan.load.clusters < plan.load.trials]:
        found = sorted({one.assumed.correlation for one in clustered})
        more = " More trials of the same sections help less than more sections do." if found[-1] > 0 else ""
        yield (
            f"Trials of {_names(clustered, plans)} come in clusters, about one section each, and are taken to change "
            f"together by {', '.join(f'{one:.2f}' for one in found)} (0: as if each stood alone, 1: as if a cluster "
            f"were one trial).{more}"
        )


def _warnings(plans: Sequence[BandPlan], wanted: Target) -> Iterator[str]:
    if useless := [plan for plan in plans if not plan.assumed.gains_from_pairing]:
        yield (
            f"Pairing gains nothing in {_names(useless, plans)}: as many pairs change there as if the answers were "
            "independent, 2 p (1 - p)."
        )
    for plan in plans:
        if plan.assumed.rate < wanted.drop:
            yield (
                f"{_names([plan], plans)}: only {plan.assumed.rate:.0%} are right, so a drop of {_exact(wanted.drop)} "
                "cannot happen there."
            )


def _tables(plans: Sequence[BandPlan], wanted: Target) -> Iterator[Table]:
    yield Table("What the trials can show", _frame([_first(plan, plans) | _shown(plan) for plan in plans]))
    title = "Trials a run, tokens and price that it takes, of the same lengths"
    yield Table(title, _frame([_first(plan, plans) | _needed(plan, wanted) for plan in plans]))


def _first(one: BandPlan, plans: Sequence[BandPlan]) -> dict[str, str]:
    whose = _whose(one, plans)
    return {"family": one.band.family, **({"of": whose} if whose else {}), "band": one.band.name}


def _shown(one: BandPlan) -> dict[str, str]:
    load, found = one.load, one.outlook
    return {
        "trials": _in_clusters(load.trials, load.clusters),
        "tokens": _short(load.tokens_of(load.trials)),
        "price": _price(load.price),
        "pairs change": f"{one.assumed.discordance:.3f} {f'of {one.seen:,}' if one.seen else 'guessed'}",
        "rate": f"{one.assumed.rate:.2f}",
        "drop shown, paired": _drop(found.smallest_paired),
        "unpaired": _drop(found.smallest_unpaired),
        "passes if unchanged": _percent(found.passing),
    }


def _needed(one: BandPlan, wanted: Target) -> dict[str, str]:
    found = one.outlook
    impossible = one.assumed.rate < wanted.drop
    return {
        f"drop of {wanted.drop:g}, paired": "-" if impossible else _trials(one, found.for_drop.paired),
        f"drop of {wanted.drop:g}, unpaired": "-" if impossible else _trials(one, found.for_drop.unpaired),
        "pass if unchanged, paired": _trials(one, found.to_pass.paired),
        "pass if unchanged, unpaired": _trials(one, found.to_pass.unpaired),
    }


def _trials(one: BandPlan, trials: int | None) -> str:
    if trials is None:
        return f"more than {MOST_TRIALS:,}"
    tokens, price = _short(one.load.tokens_of(trials)), _price(one.load.price_of(trials))
    return f"{_in_clusters(trials, one.load.clusters_of(trials))} ({tokens}, {price})"


def _in_clusters(trials: int, clusters: int) -> str:
    return f"{trials:,}" + (f" in {clusters:,} clusters" if clusters < trials else "")


def _drop(drop: float | None) -> str:
    return "none" if drop is None else f"{drop:.3f}"


def _percent(share: float) -> str:
    """Rounded down, so that nothing looks certain that is not."""
    return f"{math.floor(share * 100 + 1e-9)}%"


def _exact(share: float) -> str:
    """As it was given."""
    return f"{share * 100:.6g}%"


def _short(tokens: int) -> str:
    for size, unit in ((10**6, "M"), (10**3, "k")):
        if tokens >= size:
            return f"{tokens / size:,.1f}{unit}"
    return str(tokens)


def _price(usd: float | None) -> str:
    return "price?" if usd is None else f"${usd:,.2f}"


def _names(some: Sequence[BandPlan], plans: Sequence[BandPlan]) -> str:
    """Bands by family, with the subject where there are several: `passkey (short, long)`."""
    if len(some) == len(plans) > 1:
        return "all bands"
    found: dict[str, list[str]] = {}
    for one in some:
        whose = _whose(one, plans)
        found.setdefault(f"{one.band.family} of {whose}" if whose else one.band.family, []).append(one.band.name)
    return ", ".join(f"{family} ({', '.join(names)})" for family, names in found.items())


def _whose(one: BandPlan, plans: Sequence[BandPlan]) -> str:
    """What tells its subject from the others; empty where there is one only."""
    if len({plan.subject for plan in plans}) == 1:
        return ""
    return str(one.subject) if len({plan.subject.prompt_set for plan in plans}) > 1 else one.subject.model


def _each(some: Sequence[BandPlan]) -> str:
    return "it" if len(some) == 1 else "each"


def _count(number: int, what: str) -> str:
    return _named(number, what, f"{what}s")


def _named(number: int, one: str, several: str) -> str:
    return f"{number:,} {one if number == 1 else several}"


def _frame(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    return pd.DataFrame(rows, dtype=object).set_index("family")
