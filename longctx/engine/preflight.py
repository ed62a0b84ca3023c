"""The check of a gated run before it asks: it ends if its verdict must be invalid, and warns if it seldom passes."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace

from longctx import clocks
from longctx.cells.cell import Cell, Trial
from longctx.engine.measure import foreseen_row, unmeasured_row
from longctx.engine.run_data import RunData
from longctx.engine.terms import looks_to_take, rules
from longctx.errors import Invalid, TapeError
from longctx.gate.bands import RUN, Band
from longctx.gate.invalid_in_advance import invalid_in_advance
from longctx.gate.nothing_to_lose import vacuous_bands
from longctx.gate.power import Assumed, Target, against_baselines, in_bands, outlook, passing, size_of_all_bands
from longctx.live.failure import Unasked
from longctx.live.watch import Say
from longctx.recording.request import Place
from longctx.recording.tape import Tape
from longctx.results.row import Row, Subject
from longctx.vocabulary.looks import AT_ONCE
from longctx.vocabulary.point import is_check, name_of_test

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
        protocol_cells = [cell for test in plan.tests for cell in plan.all_cells_of(test)] if plan.own else []
        cells = [*protocol_cells, *self._run.cells]
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
    low = sorted((chance, index, band) for index, (band, chance) in enumerate(passes.items()) if chance < target.power)
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
    return bands | ({RUN: (size_of_all_bands(list(sizes.values())), target.of_run)} if target.of_run and sizes else {})


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
            clusters_of_trials = cell.clusters()
            band = Band(
                cell.point.test,
                cell.band,
                Subject.of(cell.model.model, cell.wording.prompt_set, cell.labels, cell.shape),
            )
            trials[band] += len(clusters_of_trials)
            if cell.point.questions_per_context > 1:
                in_contexts.add(band)
            clusters.setdefault(band, set()).update(clusters_of_trials)
    return {
        band: (number, len(clusters[band]), Assumed.guess(band in in_contexts))
        for band, number in trials.items()
        if number
    }
