"""Two servers of one model, compared by length: who is asked what, in which order, and what may be judged of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from longctx import clocks
from longctx.cells.cell import Cell
from longctx.config.file_names import folder_of
from longctx.engine.run import Run
from longctx.engine.settings import Settings
from longctx.engine.terms import rules
from longctx.errors import UserError
from longctx.gate.served import Noise, Room, Served, ServedRows, Side, TestAndBand
from longctx.gate.tokens import TokenPairs, without_cut_prompts
from longctx.gate.verdict import RunVerdict, give_verdict
from longctx.live.server.says import keep, kept_of, says_now
from longctx.results.baseline_file import load_baseline
from longctx.results.grouping import grouped
from longctx.results.row import Row
from longctx.results.server_says import ServerSays, text_of
from longctx.results.trial_view import View
from longctx.vocabulary.looks import AT_ONCE
from longctx.vocabulary.point import in_words, is_check

TWICE = 20
"""How many trials the old server is asked twice."""
LEAST_FIRST = 10
"""The fewest trials of a band by which it is seen whether there is room for a loss."""
SHARE_FIRST = 10
"""These are one of so many of its trials, over all its cells. They are no evidence, as they decide what is judged."""


class Serving:
    """Plans, asks and judges. Every method raises UserError."""

    def __init__(
        self, sides: tuple[Side, Side], settings: Settings, root: Path, folder: Path, say: Callable[[str], object]
    ) -> None:
        """settings: what both sides share. folder: where runs state why trials could not be sent."""
        self._sides, self._settings, self._root, self._folder, self._say = sides, settings, root, folder, say
        self._left = settings.max_cost
        self._passes = 0
        self._old, self._new = (self._run(side) for side in sides)
        self._plans = {side: list(run.plan.cells) for side, run in zip(sides, (self._old, self._new), strict=True)}
        self._cells = {cell.id: cell for cell in self._plans[sides[0]]}
        if not self._cells:
            raise UserError(
                "nothing-to-serve",
                f"The profile {self._old.plan.profile_name!r} has no table of a protocol: choose another one, such as "
                "serving.",
            )
        self._sent = dict.fromkeys(sides, 0)

    def _run(self, side: Side) -> Run:
        """Return a run of one side; each pass has its own, since a run keeps what failed."""
        self._passes += 1
        settings = replace(
            self._settings,
            base_url=side.url or None,
            server=None if side.baseline else side.name,
            record="once" if side.url else "none",
            max_cost=self._left,
        )
        folder = self._folder / f"asking-{self._passes}"
        return Run.with_settings(settings, self._root, say=self._say, folder=folder)

    def measure(self) -> Served:
        """Ask what the live sides lack, and judge."""
        old, new = self._sides
        says = self._says(old), self._says(new)
        held = [cell for cell in self._cells.values() if self._holds(old, says[0], cell)]
        too_long = [cell for cell in held if not self._holds(new, says[1], cell)]
        first = self._first_trials(held)
        deciding = [replace(cell, trials=number) for cell in held if (number := first[_cell(cell)])]
        self._ask(old, deciding)
        twice = [replace(cell, trials=number, repeats=2) for cell, number in _twice(held, first)]
        self._ask(old, twice)
        early = self._measured(old, deciding)
        rooms = _rooms(held, early.rows)
        asked = [cell for cell in held if rooms[_where(cell)].kind != "hard"]
        for same_length in grouped(asked, lambda cell: cell.band).values():
            for side in self._sides:
                self._ask(side, [cell for cell in same_length if side is old or cell not in too_long])
        both = self._measured(old, asked), self._measured(new, asked)
        tokens = TokenPairs.of(*(of.rows for of in both))
        after = without_cut_prompts(tokens, both[1].rows)
        both = both[0], replace(both[1], rows=after)
        verdict = self._verdict(*([row for row in of.rows if row.trial >= first[row.test, row.cell]] for of in both))
        return Served(
            sides=self._sides,
            says=(self._named(old, says[0], asked), self._named(new, says[1], asked)),
            measured=both,
            tokens=tokens,
            noise=self._noise(old, twice),
            rooms=rooms,
            difficulty={name: test.axes.difficulty for name, test in self._new.plan.tests.items()},
            left_out=len(self._cells) - len(held),
            unsent=[*self._unsent(both)],
            verdict=verdict,
            recorded=[_days(of.rows) for of in both],
            faults=[*_held_by_old_alone(too_long), *self._faults(both, asked)],
            unfinished=[*self._unfinished(both)],
        )

    def _says(self, side: Side) -> ServerSays:
        """Return what a side says of itself, now or when it was recorded."""
        run = self._run(side)
        tape = run.tape(run.settings.record)
        model = next(iter(self._cells.values())).model
        folder = folder_of(model.model, run.settings.server or "")
        if side.baseline:
            return ServerSays()
        if not side.url:
            return kept_of(tape, folder)
        says = says_now(side.url, model)
        keep(tape, folder, run.name, says)
        return says

    def _named(self, side: Side, says: ServerSays, cells: Sequence[Cell]) -> ServerSays:
        """Return what a side says of itself, with what its answers name."""
        if side.baseline:
            return says
        run = self._run(side)
        own, tape = self._own(run, cells), run.tape()
        named = (tape.fingerprint(cell.file, cell.model.model) for cell in reversed(own))
        return replace(says, system_fingerprint=text_of(next(filter(None, named), "")))

    def _holds(self, side: Side, says: ServerSays, cell: Cell) -> bool:
        """Return whether a side can answer the trials of a cell, by its window or by what is recorded of it."""
        if side.url:
            windows = [window for window in (says.window, cell.model.window) if window]
            return not windows or cell.most_tokens + cell.reply_tokens <= min(windows)
        if side.baseline:
            return any((row.test, row.cell) == (cell.point.test, cell.point.slug) for row in self._baseline(side))
        own = next(each for each in self._plans[side] if each.id == cell.id)
        return self._run(side).tape().has_any(own.file, own.model.model)

    def _first_trials(self, cells: Sequence[Cell]) -> dict[TestAndBand, int]:
        """Return how many trials of each cell decide whether its band is judged, none of some."""
        first: dict[TestAndBand, int] = {}
        for band in grouped(cells, _where).values():
            trials = sum(cell.trials for cell in band)
            number = min(trials, max(LEAST_FIRST, trials // SHARE_FIRST))
            shares = [number * place // len(band) for place in range(len(band) + 1)]
            first |= {_cell(cell): after - before for cell, (before, after) in zip(band, pairwise(shares), strict=True)}
        return first

    def _own(self, run: Run, cells: Sequence[Cell]) -> list[Cell]:
        """Return the same cells as a run has them, on its server and with what is known of its model by now."""
        own = {cell.id: cell for cell in run.plan.cells}
        return [replace(own[cell.id], trials=cell.trials, repeats=cell.repeats) for cell in cells]

    def _ask(self, side: Side, cells: Sequence[Cell]) -> None:
        if not side.url or not cells:
            return
        run = self._run(side)
        done = run.ask(self._own(run, cells), max_cost=self._left)
        self._sent[side] += done.asked.answered
        if self._left is not None:
            self._left = max(0.0, self._left - done.spent)

    def _measured(self, side: Side, cells: Sequence[Cell]) -> ServedRows:
        """Return what is recorded of some cells, without checks."""
        if side.baseline:
            of = {(cell.point.test, cell.point.slug): cell for cell in cells}
            known = [(row, of.get((row.test, row.cell))) for row in self._baseline(side)]
            rows = [
                replace(row, band=cell.band, server=side.name)
                for row, cell in known
                if cell and row.repeat == 0 and row.trial < cell.trials
            ]
            return ServedRows(rows, [View("")] * len(rows))
        run = self._run(side)
        run.settings = replace(run.settings, record="none", base_url=None)
        found = run.measure(self._own(run, cells)).cells
        pairs = [pair for cell in found for pair in zip(cell.rows, cell.views, strict=True)]
        kept = [(row, view) for row, view in pairs if not is_check(row.test)]
        return ServedRows([row for row, _ in kept], [view for _, view in kept])

    def _baseline(self, side: Side) -> Sequence[Row]:
        assert side.baseline
        model, seed = next(iter(self._cells.values())).model.model, self._old.plan.seed
        return [row for row in load_baseline(side.baseline).rows if row.model == model and row.seed == seed]

    def _noise(self, side: Side, cells: Sequence[Cell]) -> Noise:
        """Return how much the old server differs from itself, as far as trials were asked twice."""
        if side.baseline:
            known = [(row, "") for row in self._baseline(side)]
        else:
            measured = self._measured(side, cells)
            known = [(row, view.reply or "") for row, view in zip(measured.rows, measured.views, strict=True)]
        answered = [(row, reply) for row, reply in known if row.measured and row.repeat < 2]
        by_trial = grouped(answered, lambda pair: (pair[0].test, pair[0].cell, pair[0].item, pair[0].trial))
        twice = [pair for pair in by_trial.values() if len(pair) == 2]
        replies = None if side.baseline else sum(first[1] != second[1] for first, second in twice)
        return Noise(len(twice), replies, sum(first[0].outcome != second[0].outcome for first, second in twice))

    def _verdict(self, before: Sequence[Row], after: Sequence[Row]) -> RunVerdict:
        run, now = self._new, clocks.stamp()
        terms = rules(run, after, now, AT_ONCE)
        terms = replace(terms, age=None, left_out=0, empty=0, unanswered="")
        return give_verdict(before, after, terms, run.plan.tests)

    def _unsent(self, both: tuple[ServedRows, ServedRows]) -> Iterator[str]:
        for side, measured in zip(self._sides, both, strict=True):
            answered = sum(row.measured for row in measured.rows)
            if side.url and answered and not self._sent[side]:
                yield (
                    f"nothing was sent to {side.shown}: {answered:,} of {len(measured.rows):,} answers are recordings "
                    f"of {_days(measured.rows)}"
                )

    def _unfinished(self, both: tuple[ServedRows, ServedRows]) -> Iterator[str]:
        for side, measured in zip(self._sides, both, strict=True):
            answered = sum(row.outcome not in ("not_asked", "infra_error") for row in measured.rows)
            if side.url and answered < len(measured.rows):
                yield (
                    f"{side.role} answered {answered:,} of {len(measured.rows):,} trials. To send only the rest, run "
                    f"the same command with {side.name}={side.shown} in its place."
                )

    def _faults(self, both: tuple[ServedRows, ServedRows], asked: Sequence[Cell]) -> Iterator[str]:
        if not asked:
            yield "no band has room for a loss: choose other sizes"
        for side, measured in zip(self._sides, both, strict=True):
            answered = [row for row in measured.rows if row.measured]
            if asked and not answered:
                yield f"nothing was asked of {side.shown}: it has no answer"
        names = [{str(row.model_returned) for row in of.rows if row.model_returned} for of in both]
        model = next(iter(self._cells.values())).model
        own = model.model, model.sent_as
        strange = [name for name in names[1] - names[0] if not name.startswith(own)]
        if strange and any(name.startswith(own) for name in names[0]):
            yield f"new answered as {', '.join(sorted(strange))} instead of {model.model}: it serves another model"


def _held_by_old_alone(cells: Sequence[Cell]) -> Iterator[str]:
    """Yield a fault for each band of cells that only the old server can hold, whether or not it can be judged."""
    for test, band in dict.fromkeys(map(_where, cells)):
        yield f"new cannot hold {in_words(test)} at {band}, which old holds"


def _cell(cell: Cell) -> TestAndBand:
    return cell.point.test, cell.point.slug


def _where(cell: Cell) -> TestAndBand:
    return cell.point.test, cell.band


def _rooms(cells: Sequence[Cell], rows: Sequence[Row]) -> dict[TestAndBand, Room]:
    by_band = grouped([row for row in rows if row.measured], lambda row: (row.test, str(row.band)))
    rooms = {}
    for where in dict.fromkeys(map(_where, cells)):
        answered = by_band.get(where, [])
        rooms[where] = Room(sum(row.correct for row in answered), len(answered))
    return rooms


def _twice(cells: Sequence[Cell], first: Mapping[TestAndBand, int]) -> list[tuple[Cell, int]]:
    """Return how many trials of each cell are asked twice, TWICE in all and about as many of each."""
    numbers = dict.fromkeys((cell.id for cell in cells), 0)
    left = TWICE
    while left and (more := [cell.id for cell in cells if numbers[cell.id] < first[_cell(cell)]]):
        for name in more[:left]:
            numbers[name] += 1
        left -= len(more[:left])
    return [(cell, numbers[cell.id]) for cell in cells if numbers[cell.id]]


def _days(rows: Sequence[Row]) -> str:
    days = sorted({row.recorded_at[:10] for row in rows if row.recorded_at})
    return "" if not days else days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
