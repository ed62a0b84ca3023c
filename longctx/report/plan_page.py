"""A gate's plan in words: what the trials of each band can show, how many a goal takes, and what they cost."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from longctx.cells.cell import Cell
from longctx.gate.bands import Band
from longctx.gate.power import (
    IN_CONTEXTS,
    BandPlan,
    Load,
    Target,
    plan_of_run,
    share_asked,
    size_of_all_bands,
    whole_passing,
)
from longctx.live.cost.prefixes import best_questions, price_of_evidence
from longctx.report.blocks import bare_table
from longctx.report.document import Document
from longctx.results.grouping import grouped
from longctx.results.row import Subject
from longctx.stats.search import MOST_TRIALS
from longctx.text import count, usd
from longctx.views.chart import Table
from longctx.vocabulary.point import in_words, is_check

WORTH_A_CHANGE = 1.05
"""How many times the lowest price another number of questions a context must cost to be named."""
SIDE_BY_SIDE = "trials", "tokens", "expected", "in batches", "at most", "all pass if unchanged"
"""The columns on each model of a plan of several."""


def plan_lines(plans: Sequence[BandPlan], target: Target, profile: str, runs: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of a plan: its price, what it finds, and the bands. The arguments are as in `plan_document`."""
    models = list(dict.fromkeys(plan.subject.model for plan in plans))
    run = plan_of_run(plans, target)
    trials = sum(plan.load.trials for plan in plans if not is_check(plan.band.test))
    head = f"{_planned(profile, runs)} on {' and '.join(models)}: {count(trials, 'trial')}".removeprefix("the profile ")
    yield head + (
        f", {_about(plans, target)}" if _is_priced(plans) else ", price not known: add [prices] to the model's profile"
    )
    passing = whole_passing([plan.sized for plan in plans], target)
    yield f"An unchanged model passes in {passing:.0%}. {_found(plans, run, target)}"
    yield ""
    yield bare_table(_bands(plans, run, target), right=RIGHT)
    yield from _remarks(plans, target, runs)


RIGHT = "trials", "at most", "finds a drop of", "passes if unchanged"
"""The columns that are aligned at their right."""


def _about(plans: Sequence[BandPlan], target: Target) -> str:
    expected, in_batches, most = map(usd, _expected(plans, target))
    full_in_batches = usd(math.fsum(_paid(plan.load)[1] for plan in plans))
    return f"about {expected}, at most {most} (batches: {in_batches}, {full_in_batches})"


def _is_priced(plans: Sequence[BandPlan]) -> bool:
    return all(plan.load.price is not None for plan in plans)


def _found(plans: Sequence[BandPlan], run: BandPlan | None, target: Target) -> str:
    """Say which drops the plan finds with the power that is asked for."""
    drops = [plan.outlook.smallest_paired for plan in plans]
    of_band = max((drop for drop in drops if drop is not None), default=None)
    if of_band is None or None in drops:
        return f"Not every band finds a drop in {_exact(target.power)}: use more trials."
    found = f"Found in {_exact(target.power)}: a drop of"
    if run and run.outlook.smallest_paired:
        of_all = _points(run.outlook.smallest_paired)
        return f"{found} {of_all} everywhere, or of {_points(of_band).partition(' ')[0]} in one band."
    return f"{found} {_points(of_band)}{' in one band' * (len(plans) > 1)}."


def _points(drop: float) -> str:
    return f"{math.ceil(100 * drop - 1e-9)} points"


def _bands(plans: Sequence[BandPlan], run: BandPlan | None, target: Target) -> Table:
    named = [(_band_name(plan, plans), plan) for plan in plans]
    shown = [*named, *([("all bands together", run)] if run else [])]
    return Table.from_rows(
        "",
        [
            {
                "band": name,
                "trials": _in_clusters(plan.load.trials, plan.load.clusters),
                "at most": _price(plan.load.most if plan.load.most is not None else plan.load.price),
                "finds a drop of": "-"
                if plan.outlook.smallest_paired is None
                else _points(plan.outlook.smallest_paired),
                "passes if unchanged": _percent(plan.outlook.passing),
            }
            for name, plan in shown
        ],
    )


def _band_name(plan: BandPlan, plans: Sequence[BandPlan]) -> str:
    test = in_words(plan.band.test)
    name = f"{test}, {plan.band.name}" if plan.band.name not in ("", "all") else test
    subject = _subject(plan, plans)
    return f"{name} of {subject}" if subject else name


def _remarks(plans: Sequence[BandPlan], target: Target, runs: Sequence[str]) -> Iterator[str]:
    """Yield what must be known of the table."""
    goals = [plan.outlook.for_drop.paired for plan in plans if plan.assumed.rate >= target.drop]
    known = sorted({goal for goal in goals if goal is not None})
    if goals and len(known) < len(set(goals)):
        yield f"To find {_points(target.drop)} in one band: more than {MOST_TRIALS:,} trials in some."
    elif known:
        needed = f"{known[0]:,}" if len(known) == 1 else f"{known[0]:,} to {known[-1]:,}"
        yield f"To find {_points(target.drop)} in one band: {needed} trials in it."
    if weak := [plan for plan in plans if plan.outlook.passing < target.power]:
        least = [plan.outlook.to_pass.paired for plan in weak]
        enough = "" if None in least else f" ({max(each or 0 for each in least):,} trials a band are enough)"
        yield f"Underpowered: {_names(weak, plans)}: use more trials{enough} or a wider margin."
    yield from _warnings(plans, target)
    guessed = [plan for plan in plans if not plan.seen]
    if guessed:
        changed, rates = ({getattr(plan.assumed, of) for plan in guessed} for of in ("discordance", "rate"))
        yield (
            f"Assumed{'' if len(guessed) == len(plans) else f' for {_names(guessed, plans)}'}: "
            f"{_range(changed, '{:.0%}')} of answers change by chance, accuracy {_range(rates, '{:.2f}')} "
            "(--from measures both)."
        )
    if len(guessed) < len(plans):
        yield f"Measured in {' and '.join(runs)}: how many answers change by chance, and the accuracy."
    thinking = math.fsum(
        plan.load.thinking[0] * share for plan, share in zip(plans, _shares(plans, target), strict=True)
    )
    more = "-v: unpaired designs, tokens."
    yield f"{usd(thinking)} is for thinking that no recording has measured. {more}" if thinking else more


def _range(values: set[float], form: str) -> str:
    return " to ".join(dict.fromkeys(form.format(value) for value in (min(values), max(values))))


def plan_document(
    plans: Sequence[BandPlan],
    target: Target,
    profile: str,
    runs: Sequence[str] = (),
    replayed: Sequence[str] = (),
) -> Document:
    """Return a plan in words. plans: at least one. profile: its name; empty for test functions alone.

    runs: the names of the two runs that the assumptions come from, if any. replayed: the tests of which both runs
    replay the same recordings.
    """
    return Document(
        title=f"Plan of {_planned(profile, runs)} with a power of {_exact(target.power)}",
        notes=(*_rules(plans, target), *_sources(plans, runs, replayed), *_warnings(plans, target)),
        tables=tuple(_tables(plans, target)),
    )


def _planned(profile: str, runs: Sequence[str]) -> str:
    if profile:
        return f"the profile {profile}"
    return f"the test functions of {runs[-1]}" if runs else "the selected tests"


def conclusion(plans: Sequence[BandPlan], target: Target) -> str:
    """Return sentences on which bands have the power to pass, and which lack it."""
    powered = [plan for plan in plans if plan.outlook.passing >= target.power]
    weak = [plan for plan in plans if plan.outlook.passing < target.power]
    parts = []
    if powered:
        parts.append(
            f"Powered: {_names(powered, plans)}. If nothing has changed, {_each(powered)} passes with a probability of "
            f"{_exact(target.power)} or more."
        )
    if weak:
        parts.append(
            f"Underpowered: {_names(weak, plans)}. If nothing has changed, {_each(weak)} may well be "
            "inconclusive: use more trials (the last table shows how many) or a wider margin."
        )
    run = plan_of_run(plans, target)
    if run and target.of_run:
        chance = _percent(run.outlook.passing)
        parts.append(
            f"All bands together pass at a margin of {_exact(target.of_run.margin)} with a probability of {chance}."
        )
    elif len(plans) > 1:
        together = math.prod(plan.outlook.passing for plan in plans)
        parts.append(f"Probability that all {len(plans)} bands pass if nothing has changed: {_percent(together)}.")
    return " ".join(parts)


def prices(plans: Sequence[BandPlan], target: Target) -> Iterator[str]:
    """Yield sentences on what a gate in looks costs if nothing has changed: of each model, if several, and of all."""
    models = list(dict.fromkeys(plan.subject.model for plan in plans))
    if any(plan.load.price is None for plan in plans):
        return
    if len(models) > 1:
        for model in models:
            yield f"{model}: {_in_looks([plan for plan in plans if plan.subject.model == model], target)}"
    yield f"Expected price: {_in_looks(plans, target)}"
    if thinks := sorted({plan.subject.model for plan in plans if plan.load.thinking[0]}):
        shares = list(zip(plans, _shares(plans, target), strict=True))
        parts = (math.fsum(plan.load.thinking[place] * share for plan, share in shares) for place in (0, 1))
        direct, in_batches = map(usd, parts)
        yield (
            f"Of this, {direct} (in batches {in_batches}) is for thinking that no recording has measured: "
            f"`thinking_tokens` in the profile of {' and '.join(thinks)} assumes it."
        )


def questions_worth(cells: Sequence[Cell], correlations: Mapping[tuple[Subject, Band], float]) -> Iterator[str]:
    """Yield a sentence for each band whose test can ask several questions about a context, if another number is best.

    correlations: the intra-cluster correlation of each band, where its trials come in contexts.
    """
    for (model, test, band), members in grouped(cells, _model_and_band).items():
        cell = max(members, key=lambda each: each.size_tokens)
        if not (hasattr(cell.point, "questions") and cell.gated and cell.model.caching and cell.model.prices):
            continue
        where = Subject(cell.model.model, cell.wording.prompt_set, shape=cell.shape), Band(test, band)
        asked = cell.point.questions_per_context
        correlation = correlations.get(where, IN_CONTEXTS) if asked > 1 else IN_CONTEXTS
        size = cell.size_tokens, cell.tokens.expected
        best = best_questions(cell.model, *size, correlation)
        prices = [price_of_evidence(cell.model, *size, number, correlation) for number in (best, asked)]
        if best != asked and prices[0] and prices[1] and prices[1].direct > WORTH_A_CHANGE * prices[0].direct:
            least, now = (usd(price.direct) for price in prices if price)
            yield (
                f"{test} ({band}) on {model}: {count(best, 'question')} per context cost least, {least} per "
                f"independent trial at a correlation of {correlation:g}, sent directly; {asked} cost {now}. With "
                "fewer contexts there are fewer looks."
            )


def _model_and_band(cell: Cell) -> tuple[str, str, str]:
    return cell.model.model, cell.point.test, cell.band


def _shares(plans: Sequence[BandPlan], target: Target) -> list[float]:
    """Return the mean share of its trials that each band sends in looks if nothing has changed."""
    if target.of_run:  # every band is asked until all together are settled
        return [share_asked(*size_of_all_bands([plan.sized for plan in plans]), target.of_run)] * len(plans)
    return [share_asked(*plan.sized, target) for plan in plans]


def _paid(load: Load) -> tuple[float, float]:
    """Return the price of a load, directly and in batches."""
    price = load.price or 0.0
    return price, price if load.batch_price is None else load.batch_price


def _expected(plans: Sequence[BandPlan], target: Target) -> tuple[float, float, float]:
    """Return the price that is expected, directly and in batches, and the most."""
    shares, each = _shares(plans, target), [_paid(plan.load) for plan in plans]
    direct, in_batches = (
        math.fsum(price[place] * share for price, share in zip(each, shares, strict=True)) for place in (0, 1)
    )
    most = math.fsum((plan.load.most if plan.load.most is not None else plan.load.price) or 0.0 for plan in plans)
    return direct, in_batches, most


def _in_looks(plans: Sequence[BandPlan], target: Target) -> str:
    expected, in_batches, most = map(usd, _expected(plans, target))
    return f"{expected} (in batches {in_batches}), at most {most}"


def _models(plans: Sequence[BandPlan], target: Target) -> Iterator[Table]:
    """Yield a table of the models side by side, if there are several."""
    by_model = grouped(plans, lambda plan: plan.subject.model)
    if len(by_model) < 2:
        return
    rows = []
    for model, own_plans in by_model.items():
        known = all(plan.load.price is not None for plan in own_plans)
        prices = map(usd, _expected(own_plans, target)) if known else ("?",) * 3
        together = math.prod(plan.outlook.passing for plan in own_plans)
        trials = sum(plan.load.trials for plan in own_plans if not is_check(plan.band.test))
        tokens = sum(plan.load.tokens_of(plan.load.trials) for plan in own_plans)
        cells = (f"{trials:,}", _short(tokens), *prices, _percent(together))
        rows.append({"model": model, **dict(zip(SIDE_BY_SIDE, cells, strict=True))})
    yield Table.from_rows("Models side by side: a run in looks if nothing has changed", rows)


def _rules(plans: Sequence[BandPlan], target: Target) -> Iterator[str]:
    step = f"{target.alpha:g} / {target.hypotheses} = {target.first_step:.2g}"
    minimums = [count(target.minimums, "stated minimum")] if target.minimums else []
    gated = " and ".join([count(len(plans), "band"), *minimums])
    yield (
        f"A band passes where the upper bound of its drop ({_exact(1 - target.alpha)}, one-sided) is below "
        f"{_exact(target.margin)}. A drop is tested by its mid-p-value at {step}: Holm's first and hardest step over "
        f"{gated}."
    )
    if target.of_run:
        yield f"All bands together pass where that bound is below {_exact(target.of_run.margin)}, which they must, too."
    yield (
        "Paired: both runs have the same trials, as in a gate. Unpaired: each run has its own, as many as shown. "
        "Tokens and prices are of one run, sent directly, with prompts as estimated, replies as recorded or else of "
        "full length, and the prompt cache where several questions share a context."
    )
    if unpriced := sorted({plan.subject.model for plan in plans if plan.load.price is None}):
        yield f"Prices of {', '.join(unpriced)} are not known: add [prices] to their profiles in fixtures/models/."


def _sources(plans: Sequence[BandPlan], runs: Sequence[str], replayed: Sequence[str]) -> Iterator[str]:
    """Yield sentences on where discordance, rate and design effect come from."""
    guessed = [plan for plan in plans if not plan.seen]
    if len(guessed) < len(plans):
        yield (
            f"Discordance and rates are estimated from {' and '.join(runs)}, with one pair of each kind added. A real "
            "change between these two counts as chance here."
        )
    if replayed:
        yield f"Both replay the same recordings of {', '.join(replayed)}; these do not vary by chance and are left out."
    if borrowed := [plan for plan in plans if plan.seen and not plan.own]:
        yield f"For {_names(borrowed, plans)}, they come from another model or other prompts."
    if guessed:
        whose = "" if len(guessed) == len(plans) else f" for {_names(guessed, plans)}"
        why = "the two runs have no pairs there" if len(runs) == 2 else "--from RUN_A RUN_B measures them"
        yield f"Discordance and rates{whose} are guesses; {why}."
    if clustered := [plan for plan in plans if plan.load.clusters < plan.load.trials]:
        correlations = sorted({plan.assumed.correlation for plan in clustered})
        values = ", ".join(f"{correlation:.2f}" for correlation in correlations)
        more = " More trials in the same clusters help less than more clusters do." if correlations[-1] > 0 else ""
        yield (
            f"Trials of {_names(clustered, plans)} come in clusters (one section, graph or distance), with an assumed "
            f"intra-cluster correlation of {values} (0: as if trials were independent, 1: as if a cluster were one "
            f"trial).{more}"
        )


def _warnings(plans: Sequence[BandPlan], target: Target) -> Iterator[str]:
    if useless := [plan for plan in plans if not plan.assumed.gains_from_pairing]:
        yield (
            f"Pairing gains nothing in {_names(useless, plans)}: as many pairs change there as if the two answers were "
            "independent, 2 p (1 - p) at a rate p."
        )
    for plan in plans:
        if plan.assumed.rate < target.drop:
            yield (
                f"{_names([plan], plans)}: only {plan.assumed.rate:.0%} are right, so a drop of {_exact(target.drop)} "
                "cannot happen there."
            )


def _tables(plans: Sequence[BandPlan], target: Target) -> Iterator[Table]:
    run = plan_of_run(plans, target)
    shown = [_band(plan, plans) | _shown(plan) for plan in plans]
    needed = [_band(plan, plans) | _needed(plan, target) for plan in plans]
    if run and target.of_run:
        name = {"test": "all bands", "band": ""}
        shown.append(name | _shown(run))
        needed.append(name | _needed(run, target.of_run))
    yield Table.from_rows("What the trials can detect", shown)
    yield Table.from_rows("Trials that each run needs, with their tokens and price, at the same lengths", needed)
    yield from _models(plans, target)


def _band(plan: BandPlan, plans: Sequence[BandPlan]) -> dict[str, str]:
    """Return the cells that name a band."""
    subject = _subject(plan, plans)
    return {"test": plan.band.test, **({"of": subject} if subject else {}), "band": plan.band.name}


def _shown(plan: BandPlan) -> dict[str, str]:
    """Return the cells on what the planned trials can show."""
    load, outlook = plan.load, plan.outlook
    return {
        "trials": _in_clusters(load.trials, load.clusters),
        "tokens": _short(load.tokens_of(load.trials)),
        "price": _price(load.price),
        "discordance": f"{plan.assumed.discordance:.3f} {f'of {plan.seen:,}' if plan.seen else 'guessed'}",
        "rate": f"{plan.assumed.rate:.2f}",
        "drop found, paired": _drop(outlook.smallest_paired),
        "unpaired": _drop(outlook.smallest_unpaired),
        "passes if unchanged": _percent(outlook.passing),
    }


def _needed(plan: BandPlan, target: Target) -> dict[str, str]:
    """Return the cells on how many trials each goal takes."""
    outlook = plan.outlook
    impossible = plan.assumed.rate < target.drop
    return {
        f"drop of {target.drop:g}, paired": "-" if impossible else _trials(plan, outlook.for_drop.paired),
        f"drop of {target.drop:g}, unpaired": "-" if impossible else _trials(plan, outlook.for_drop.unpaired),
        "pass if unchanged, paired": _trials(plan, outlook.to_pass.paired),
        "pass if unchanged, unpaired": _trials(plan, outlook.to_pass.unpaired),
    }


def _trials(plan: BandPlan, trials: int | None) -> str:
    if trials is None:
        return f"more than {MOST_TRIALS:,}"
    tokens, price = _short(plan.load.tokens_of(trials)), _price(plan.load.price_of(trials))
    return f"{_in_clusters(trials, plan.load.clusters_of(trials))} ({tokens}, {price})"


def _in_clusters(trials: int, clusters: int) -> str:
    return f"{trials:,}" + (f" in {clusters:,} clusters" if clusters < trials else "")


def _drop(drop: float | None) -> str:
    return "none" if drop is None else f"{drop:.3f}"


def _percent(share: float) -> str:
    """Return a share in percent, rounded down so that only what is certain is shown as 100%."""
    return f"{math.floor(share * 100 + 1e-9)}%"


def _exact(share: float) -> str:
    """Return a share in percent, with all digits that the user gave."""
    return f"{share * 100:.6g}%"


def _short(tokens: int) -> str:
    for size, unit in ((10**6, "M"), (10**3, "k")):
        if tokens >= size:
            return f"{tokens / size:,.1f}{unit}"
    return str(tokens)


def _price(price: float | None) -> str:
    return "price?" if price is None else usd(price)


def _names(named: Sequence[BandPlan], plans: Sequence[BandPlan]) -> str:
    """Return bands by test, with the subject if `plans` have several: `passkey (short, long)`."""
    if len(named) == len(plans) > 1:
        return "all bands"
    bands: dict[str, list[str]] = {}
    for plan in named:
        subject = _subject(plan, plans)
        test = f"{plan.band.test} of {subject}" if subject else plan.band.test
        bands.setdefault(test, []).append(plan.band.name)
    return ", ".join(f"{test} ({', '.join(names)})" for test, names in bands.items())


def _subject(plan: BandPlan, plans: Sequence[BandPlan]) -> str:
    """Return the name that tells a plan's subject from the others; empty if `plans` have only one subject."""
    if len({other.subject for other in plans}) == 1:
        return ""
    treatments = {(other.subject.prompt_set, other.subject.label) for other in plans}
    return str(plan.subject) if len(treatments) > 1 else plan.subject.model


def _each(plans: Sequence[BandPlan]) -> str:
    return "it" if len(plans) == 1 else "each"
