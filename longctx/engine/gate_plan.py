"""The check of a gated run before it asks: it ends if its verdict must be invalid, and warns if it seldom passes."""

from __future__ import annotations

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from statistics import fmean

from longctx import clocks
from longctx.cells.cell import Cell, Trial
from longctx.engine.measure import foreseen_row, unmeasured_row
from longctx.engine.plan import Plan
from longctx.engine.run_data import RunData
from longctx.engine.terms import looks_to_take, rules
from longctx.errors import Invalid, TapeError, UserError
from longctx.gate.bands import RUN, Band
from longctx.gate.invalid_in_advance import invalid_in_advance
from longctx.gate.plan import Assumed, Load, Target, against_baselines, all_bands, in_bands, outlook, passing
from longctx.gate.validity import vacuous_bands
from longctx.live.cost.prefixes import ContextPrice
from longctx.live.failure import Unasked
from longctx.live.watch import Say
from longctx.recording.request import Place
from longctx.recording.tape import Tape
from longctx.results.row import Row, Subject, grouped
from longctx.views.declared import reporting_of_test
from longctx.views.reporting import Reports
from longctx.vocabulary.looks import AT_ONCE
from longctx.vocabulary.point import is_check, name_of_test
from longctx.vocabulary.report import Report
from longctx.vocabulary.shapes import STRATEGY

NAMED = 3
"""The most bands that the warning names."""


class Preflight:
    """What is known about a run's verdict before its first request.

    cells: those of protocols; those of test functions are in the run. say: prints a sentence.
    """

    def __init__(self, run: RunData, cells: Sequence[Cell], tape: Tape, say: Say) -> None:
        assert run.plan.baseline is not None
        self._run, self._cells, self._tape, self._say = run, cells, tape, say
        self._baseline = run.plan.baseline.rows
        self._known: dict[str, Row] = {}

    def passed_over(self, trial: Trial, place: Place) -> None:
        """Note a question that is not sent: its recorded answer counts, or the record mode does not ask it."""
        try:
            answer = self._tape.reply(place)
        except TapeError as error:
            row = unmeasured_row(self._run, trial, "infra_error", error.code)
        else:
            stale = unmeasured_row(self._run, trial, "not_asked", self._tape.status(place))
            row = foreseen_row(self._run, trial, answer) if answer else stale
        self._known[trial.key] = row

    def ready(self, unasked: Sequence[Unasked]) -> None:
        """Check again, now that the tape has been read and the models are known."""
        for cell, why in unasked:
            self._known |= {
                trial.key: unmeasured_row(self._run, trial, "not_asked", why.cause) for trial in cell.each_trial()
            }
        self.check(list(dict.fromkeys(why.message for _, why in unasked)))
        if len(self._known) < sum(cell.size for cell in self._cells):
            self.warn()

    def warn(self) -> None:
        """Warn if the gate would pass too seldom even though nothing changed, or cannot pass."""
        plan = self._run.plan
        for why in vacuous_bands(self._gated(), plan.tests, plan.margin):
            self._say(f"No run can pass: {why}.")
        of_tests = [cell for test in plan.tests for cell in plan.all_cells_of(test)] if plan.own else []
        cells = [*of_tests, *self._run.cells]
        if warning := unpowered(cells, target_of(self._run)):
            self._say(warning)

    def _gated(self) -> list[Row]:
        """Return the baseline's rows in the bands that this run judges."""
        bands = {(cell.point.test, cell.band) for cell in (*self._cells, *self._run.cells) if cell.gated}
        stated = {cell.point.test: cell.point.declared.guessing for cell in self._run.cells}
        return [
            replace(row, guessing=stated.get(row.test) or row.guessing)
            for row in self._baseline
            if (name_of_test(row.test), row.band) in bands
        ]

    def check(self, causes: Sequence[str] = ()) -> None:
        """Raise Invalid if the verdict can only be invalid. causes: sentences on what cannot be asked."""
        rows = [row for cell in (*self._cells, *self._run.cells) for row in self._rows(cell)]
        now = clocks.stamp()
        part = self._run.settings.shard is not None
        baseline = [row for row in self._baseline if not is_check(row.test)]  # no answer is foreseen to them
        if reasons := invalid_in_advance(
            baseline, rows, rules(self._run, rows, now, AT_ONCE), part, self._run.plan.tests
        ):
            why = " ".join([f"{'; '.join(reasons)}.", *causes[:1]])
            raise Invalid(
                "verdict-already-invalid", f"{why} The verdict could only be invalid, so no requests were sent."
            )

    def _rows(self, cell: Cell) -> Iterator[Row]:
        for trial in cell.each_trial():
            yield self._known.get(trial.key) or foreseen_row(self._run, trial)


NOISE = 0.1, 0.2
"""The shares of pairs that change by chance: the cautious guess, and that of noisy models."""


def target_of(run: RunData) -> Target:
    """Return what the gate of a run is planned for."""
    plan = run.plan
    return Target(plan.margin, run.settings.alpha, looks=looks_to_take(run), run_margin=plan.run_margin)


def as_baseline(cells: Sequence[Cell], target: Target) -> str:
    """Return what these cells can show once they are a baseline, before they are paid for."""
    sizes = _sizes(cells)
    bands, tests = [*sizes.values()], ", ".join(dict.fromkeys(band.test for band in sizes))
    expected = []
    for share in NOISE:
        assumed = [(trials, clusters, replace(guess, discordance=share)) for trials, clusters, guess in bands]
        expected.append(f"if {share:.0%} of pairs change by chance, in {against_baselines(assumed, target)}")
    together = "" if target.run_margin is None else f", and one of {target.run_margin * 100:g}% of all bands together"
    return (
        f"As a baseline of {tests}: an unchanged model passes {in_bands(bands)} at a margin of "
        f"{target.margin * 100:g}%{together}, {'; '.join(expected)}. "
        "Record further runs with --ctx-repeats, and add them with longctx baseline save --add."
    )


def unpowered(cells: Sequence[Cell], target: Target) -> str | None:
    """Return a warning if a gate with these cells passes less often than a plan aims for; else None.

    The rates and their correlations are cautious guesses.
    """
    guess = Assumed()
    passes = {band: passing(*size, of) for band, (size, of) in _tested(cells, target).items()}
    whole = math.prod(passes.values())
    if whole >= target.power:
        return None
    low = sorted((chance, place, band) for place, (band, chance) in enumerate(passes.items()) if chance < target.power)
    names = [f"{band} {chance:.0%}" for chance, _, band in low[:NAMED]]
    if len(low) > NAMED:
        names.append(f"{len(low) - NAMED} more")
    which = f" ({'; '.join(names)})" if names else ""
    return (
        f"Underpowered: if nothing has changed but {guess.discordance:.0%} of pairs by chance, this gate passes with a "
        f"probability of {whole:.0%}{which}. `longctx plan` computes the number of trials that it needs."
    )


def cannot_pass(cells: Sequence[Cell], target: Target) -> Iterator[str]:
    """Yield sentences on the bands that cannot pass with these cells, even if nothing changes.

    Up to NAMED bands have a sentence each, with the numbers of trials that pass; more share one.
    """
    guess = Assumed()
    unable = {
        band: (trials, clusters, guess)
        for band, ((trials, clusters, guess), of) in _tested(cells, target).items()
        if passing(trials, clusters, replace(guess, discordance=0.0), of) < target.power
    }
    if (run := unable.pop(RUN, None)) and target.of_run:
        yield _too_few(RUN, *run, target.of_run)
    if len(unable) <= NAMED:
        yield from (_too_few(band, *size, target) for band, size in unable.items())
        return
    alone = len({band.subject for band in unable}) == 1
    smallest = []
    for band, size in unable.items():
        percent = _smallest_margin(*size, target)
        name = f"{band.test}{'' if band.name == 'all' else f' {band.name}'}" if alone else _named(band)
        smallest.append(f"{name} {f'{percent}%' if percent else 'none'}")
    yield (
        f"{len(unable)} bands cannot pass at a margin of {target.margin * 100:g}% with so few trials. The smallest "
        f"margin that each can, if {guess.discordance:.0%} of pairs change by chance: {'; '.join(smallest)}."
    )


def _too_few(band: Band, trials: int, clusters: int, guess: Assumed, target: Target) -> str:
    unchanged = replace(guess, discordance=0.0)
    needed = [outlook(trials, clusters, assumed, target).to_pass.paired for assumed in (unchanged, guess)]
    least, usual = (f"{number:,}" if number else "more than a million" for number in needed)
    in_clusters = "" if clusters == trials else f" in {clusters:,} clusters"
    percent = _smallest_margin(trials, clusters, guess, target)
    return (
        f"{_named(band)}: {trials:,} trials{in_clusters} cannot pass at a margin of {target.margin * 100:g}%: use "
        f"{least} or more if nothing changes, about {usual} if {guess.discordance:.0%} of pairs do"
        f"{f', or a margin of {percent}%' if percent else ''}."
    )


def _smallest_margin(trials: int, clusters: int, guess: Assumed, target: Target) -> int | None:
    """Return the smallest margin, in percent, at which a gate with these trials passes as often as a plan aims for."""
    targets = ((percent, replace(target, margin=percent / 100)) for percent in range(1, 100))
    return next(
        (percent for percent, target in targets if passing(trials, clusters, guess, target) >= target.power), None
    )


def _tested(cells: Sequence[Cell], target: Target) -> dict[Band, tuple[tuple[int, int, Assumed], Target]]:
    """Return what must pass, and the target of each: the bands, and all of them together if a margin is stated."""
    sizes = _sizes(cells)
    bands = {band: (size, target) for band, size in sizes.items()}
    return bands | ({RUN: (all_bands(list(sizes.values())), target.of_run)} if target.of_run and sizes else {})


def _named(band: Band) -> str:
    if band == RUN:
        return "All bands together"
    return f"{band.test} of {band.subject}{'' if band.name == 'all' else f', {band.name}'}"


def _sizes(cells: Sequence[Cell]) -> dict[Band, tuple[int, int, Assumed]]:
    """Return the numbers of trials and clusters of each band that is judged and has any, and what is guessed of it."""
    trials: Counter[Band] = Counter()
    in_contexts: set[Band] = set()
    clusters: dict[Band, set[object]] = {}
    for cell in cells:
        if cell.gated:
            of_trials = cell.clusters()
            band = Band(
                cell.point.test,
                cell.band,
                Subject.of(cell.model.model, cell.wording.prompt_set, cell.labels, cell.shape),
            )
            trials[band] += len(of_trials)
            if cell.point.questions_per_context > 1:
                in_contexts.add(band)
            clusters.setdefault(band, set()).update(of_trials)
    return {
        band: (number, len(clusters[band]), Assumed.guess(band in in_contexts))
        for band, number in trials.items()
        if number
    }


SubjectBand = tuple[Subject, Band]


@dataclass(slots=True)
class _Sum:
    """The sum of a band's load."""

    prices: list[float] | None = field(default_factory=lambda: [0.0] * 5)
    """USD directly and in batches, with replies as expected, directly with replies of full length, and of the first two
    what is for thinking that is assumed; None if prices are not known."""
    in_contexts: bool = False
    trials: int = 0
    clusters: set[object] = field(default_factory=set)
    input_tokens: int = 0
    output_tokens: int = 0

    def add(self, cell: Cell) -> None:
        clusters = cell.clusters()
        self.trials += len(clusters)
        self.clusters |= set(clusters)
        self.input_tokens += cell.size_tokens * len(clusters)
        self.output_tokens += cell.reply_tokens * len(clusters)
        self.in_contexts |= cell.point.questions_per_context > 1
        reply = cell.tokens.expected
        assumed = 0 if cell.replies else cell.model.thinking_tokens
        expected, most, said = (
            _price_of(cell, tokens, clusters) for tokens in (reply, cell.reply_tokens, reply - assumed)
        )
        if self.prices is None or expected is None or most is None or said is None:
            self.prices = None
            return
        thinking = expected.direct - said.direct, expected.in_batches - said.in_batches
        each = expected.direct, expected.in_batches, most.direct, *thinking
        self.prices = [total + price for total, price in zip(self.prices, each, strict=True)]

    @property
    def load(self) -> Load:
        tokens = self.trials, len(self.clusters), self.input_tokens, self.output_tokens
        price, batch_price, most, *thinking = self.prices or (None, None, None, 0.0, 0.0)
        return Load(*tokens, price, batch_price, most, self.in_contexts, (thinking[0], thinking[1]))


def _price_of(cell: Cell, reply: float, clusters: Sequence[object]) -> ContextPrice | None:
    """Return the price of a cell's trials. reply: the tokens of a reply. clusters: the cluster of each trial."""
    together = Counter(clusters) if cell.point.questions_per_context > 1 else dict.fromkeys(range(len(clusters)), 1)
    prices = {number: ContextPrice.of(cell.model, cell.size_tokens, reply, number) for number in set(together.values())}
    known = [price for number in together.values() if (price := prices[number])]
    if len(known) < len(together):
        return None
    return ContextPrice(sum(price.direct for price in known), sum(price.in_batches for price in known))


def planned(
    plan: Plan, of_functions: Mapping[SubjectBand, Load] | None = None, cells: Sequence[Cell] | None = None
) -> dict[SubjectBand, Load]:
    """Return the load of each band that has trials. Raises UserError if none has any.

    of_functions: the loads of test functions, which need no profile. cells: those of the plan, with what is known of
    their replies.
    """
    loads = {**loads_of(plan.cells if cells is None else cells), **(of_functions or {})}
    if not loads:
        raise UserError(
            "nothing-to-plan",
            f"The profile {plan.profile_name!r} has no trials that a gate judges: choose another profile.",
        )
    return loads


def loads_of(cells: Iterable[Cell]) -> dict[SubjectBand, Load]:
    """Return the load of each band that has trials."""
    sums: dict[SubjectBand, _Sum] = {}
    for cell in cells:
        if cell.gated:
            sums.setdefault(band_of(cell), _Sum()).add(cell)
    return {where: band_sum.load for where, band_sum in sums.items() if band_sum.trials}


def loads_of_functions(plan: Plan, rows: Sequence[Row], models: Sequence[str]) -> dict[SubjectBand, Load]:
    """Return the load of each band of the tests of which the plan has no cells, as the rows of a run measured them.

    models: asked instead of the run's; empty to keep these. Checks cost nothing: they judge the same answers.
    """
    gated = [row for row in rows if name_of_test(row.test) not in plan.tests and row.band is not None]
    loads: dict[SubjectBand, Load] = {}
    for (measured, test, band), of_band in grouped(gated, _subject_and_band).items():
        used = [(row.input_tokens or 0, row.output_tokens or 0) for row in of_band]
        clusters = len({row.cluster_key for row in of_band})
        known = is_check(test) or any(tokens for tokens, _ in used)
        free = is_check(test)
        for model in map(plan.model, models or [measured.model]):
            prices = [
                ContextPrice.of(model, fmean(size for size, _ in sizes), fmean(reply for _, reply in sizes), len(sizes))
                for sizes in _by_context(of_band)
                if known and not free
            ]
            paid = [price for price in prices if price is not None]
            direct, in_batches = sum(price.direct for price in paid), sum(price.in_batches for price in paid)
            unknown = not known or len(paid) < len(prices)
            inputs, outputs = (sum(column) for column in zip(*used, strict=True))
            where = dataclasses.replace(measured, model=model.model), Band(test, band)
            tokens = len(of_band), clusters, inputs, outputs
            loads[where] = Load(
                *tokens,
                None if unknown else direct,
                None if unknown else in_batches,
                in_contexts=clusters < len(of_band),
            )
    return loads


def _by_context(rows: Sequence[Row]) -> list[list[tuple[int, int]]]:
    """Return the tokens of the prompts and the replies about each context."""
    contexts = grouped(rows, lambda row: (row.cell, row.seed, row.cluster_key)).values()
    return [[(row.input_tokens or 0, row.output_tokens or 0) for row in context] for context in contexts]


def _subject_and_band(row: Row) -> tuple[Subject, str, str]:
    subject = row.subject
    treated = tuple(pair for pair in subject.labels if pair[0] == STRATEGY)
    return dataclasses.replace(subject, labels=treated, server=""), row.test, str(row.band)


def minimums_of(plan: Plan) -> int:
    """Return how many stated minimums a gate with the plan tests."""
    grids = [grid for tables in plan.grids().values() for grid in tables if grid.gated]
    return sum(grid.minimums * len(grid.prompts) * len(grid.shapes) for grid in grids)


def minimums_of_tests(rows: Sequence[Row], reports: Reports) -> int:
    """Return how many minimums the reports of test functions state. rows: those of a run, or of a baseline.

    A report that fails or is not known counts as one: a gate would be invalid.
    """
    measured = [row for row in rows if row.measured and row.band is not None]
    by_test = grouped(measured, lambda row: (row.test, row.subject))
    return sum(_stated(name, reports[name], of_test) for (name, _), of_test in by_test.items() if name in reports)


def _stated(name: str, report: Report | None, rows: Sequence[Row]) -> int:
    try:
        reported = reporting_of_test(name, report).reported(rows, rows, ()) if report else None
    except Exception:
        reported = None
    return 1 if reported is None else sum(each.minimum is not None for each in reported)


def band_of(cell: Cell) -> SubjectBand:
    """Return the band of a gated cell, and what it is judged with."""
    return Subject.of(cell.model.model, cell.wording.prompt_set, cell.labels, cell.shape), Band(
        cell.point.test, cell.band
    )
