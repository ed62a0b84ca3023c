"""One run of a profile: it plans, asks, measures and finishes. It knows no pytest, and needs no terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from longctx.engine.run_data import RunData
from longctx.errors import UserError
from longctx.extras import require

if TYPE_CHECKING:
    from longctx.cells.cell import Cell
    from longctx.engine.measure import Measurement
    from longctx.engine.preflight import Preflight
    from longctx.live.cost.estimate import Estimate, Estimates
    from longctx.live.run import PassResult
    from longctx.live.watch import Say
    from longctx.recording.tape import Tape


class Run(RunData):
    """One run of a profile on models and prompts.

    Args:
        profile: The name or path of a profile, or its entries, as in `{"passkey": {"windows": [4096], "trials": 3}}`;
            None for the project's default.
        model: One model or several, instead of the profile's.
        prompts: One prompt set or several, instead of the profile's.
        root: The project's folder, with its fixtures, cassettes and reports.
        say: A function that receives each message; `print` by default.
        options: Other options of pytest, such as `trials`, `concurrency`, `base_url` or `baseline`.

    Every method raises UserError if the input or the configuration is wrong. Pass a subset of `run.plan.cells` as
    `cells` to restrict a method; the default is all cells.

    Example:
        >>> run = Run(profile="first", model="my-model")  # doctest: +SKIP
        >>> run.estimate()  # doctest: +SKIP
        >>> run.ask(max_cost=1)  # doctest: +SKIP
        >>> run.measure().verdict(baseline="main").verdict  # doctest: +SKIP
        'pass'
    """

    def estimate(self, cells: Sequence[Cell] | None = None, say: Say | None = None) -> list[Estimate]:
        """Print and return the number of requests and their price. Works offline, without a key.

        cells: those to send; by default all of the plan. say: takes the sentences instead of being printed.
        """
        from longctx.report.estimate_lines import estimate_lines

        found = self.estimated(cells)
        for sentence in estimate_lines(found, self.settings.batch, in_full=True):
            (say or self.say)(sentence)
        return list(found.each)

    def estimated(self, cells: Sequence[Cell] | None = None) -> Estimates:
        """Return the number of requests, their price and any remarks on the run. Raises UserError.

        cells: those to send; by default all of the plan.
        """
        from longctx.engine.preflight import cannot_pass, target_of
        from longctx.live.cost.estimate import Estimates
        from longctx.live.estimating import estimate_live

        cells = self._cells_of_protocols() if cells is None else cells
        tape, warnings = self.tape(self.asking_mode), list[str]()
        if preflight := self.preflight(cells, tape, warnings.append):
            preflight.check()
            preflight.warn()
        found = estimate_live(tape, cells, self.say, self.settings.batch)
        target = target_of(self)
        if self.cells:  # test functions are a part of the run that is not here
            target = replace(target, run_margin=None)
        unable = Estimates(remarks=tuple(cannot_pass(cells, target)), details=tuple(self._as_baseline(cells, tape)))
        return Estimates(remarks=tuple(warnings)) + found + unable

    def ask(
        self,
        cells: Sequence[Cell] | None = None,
        *,
        max_cost: float | None = None,
        progress: Callable[..., Any] | None = None,
    ) -> PassResult:
        """Send the requests that have no recorded answer, spending at most `max_cost` USD. Resumes an interrupted run.

        Every answer is recorded before it counts. The record mode is that of the settings, or `once` if that is `none`.

        cells: those to send; by default all of the plan. max_cost: by default the run's cap. progress: opens the
        display, as live/progress.py does. Raises Interrupted if the user stops it.
        """
        require("Asking a model", "anthropic")
        self.has_asked = True
        from longctx.live.run import ProtocolPass
        from longctx.recording.tape import only_writer

        settings = self.settings
        cells = self._cells_of_protocols() if cells is None else cells
        tape = self.tape(self.asking_mode)
        self.to_send = [*cells, *self.cells]
        with only_writer(*tape.all_written, lock=settings.lock):
            tape.set_out_to_send(self.to_send, self.plan.judge if self.cells else None)
            order = None
            if settings.looks and self.plan.baseline and not settings.ask_only and not self._continues(tape, cells):
                from longctx.engine.early_stop import looks_by, record_left_out, until_settled

                tape.looks = looks_by(self, tape, (each for cell in cells if cell.size for each in cell.each_trial()))
                order = until_settled(self, tape)
            if preflight := self.preflight(cells, tape):
                preflight.check()
            for sentence in self._as_baseline(cells, tape):
                self.say(sentence)
            terms = self.terms([cell.model for cell in cells], max_cost)
            asking = ProtocolPass(self.workspace, tape, terms, self.say, order=order, observer=preflight)
            asking.progress = progress or asking.progress
            done = asking.ask(cells)
            if order is not None:
                record_left_out(tape, cells, done.asked.failures, self.say)
        failures = done.asked.failures
        for cell, why in done.unasked:
            failures |= {trial.key: why for trial in cell.each_trial()}
        self.not_asked(failures, done.spent)
        self.forget_plan()
        return done

    def _continues(self, tape: Tape, cells: Sequence[Cell]) -> bool:
        """Return whether these cells of protocols are asked by a later run of a change, which takes no looks."""
        from longctx.engine.memory import continues, first_requests, is_settled

        return not is_settled(tape, cells) and continues(self, first_requests(cells))

    def count_probes(self, cells: Sequence[Cell], alone: bool = False) -> list[Cell]:
        """Have the server count the probes of test functions; return the cells that can be sent.

        What is kept in the models' profiles is not counted again. alone: whether the run sends nothing else; it then
        raises UserError if no cell is left. Raises Interrupted if the user stops it.
        """
        to_count = [cell for cell in cells if cell.token_values is None]
        if not to_count:
            return list(cells)
        from longctx.live.run import count_probes
        from longctx.live.server.counting import print_uncounted
        from longctx.recording.tape import only_writer

        settings, terms = self.settings, self.terms([cell.model for cell in to_count])
        tape = self.tape(settings.record)
        with only_writer(*tape.all_written, lock=settings.lock):
            _, uncounted = count_probes(self.workspace, tape, terms, to_count, self.say)
        left_out = {id(cell) for cell, _ in uncounted}
        known = [cell for cell in cells if id(cell) not in left_out]
        print_uncounted(self.say, uncounted, alone and not known)
        self.not_asked({trial.key: why for cell, why in uncounted for trial in cell.each_trial()}, self.spent)
        self.forget_plan()
        return known

    def measure(self, cells: Sequence[Cell] | None = None) -> Measurement:
        """Replay and judge the recorded answers.

        cells: those to measure; by default all of the plan.
        """
        from longctx.engine.measure import Measurement, Measurer

        if self.settings.baseline is not None and not self.has_asked:
            from longctx.engine.early_stop import keep_left_out

            keep_left_out(self)
        cells = self._cells_of_protocols() if cells is None else cells
        measurer = Measurer(self)
        return Measurement(self, [measurer.measure(cell) for cell in cells])

    def _cells_of_protocols(self) -> Sequence[Cell]:
        """Return the cells of the plan. Raises UserError if the profile is of test functions, which pytest collects."""
        plan = self.plan
        if not plan.cells and not self.cells and plan.own and (plan.own.functions or plan.own.models):
            raise UserError(
                "functions-need-pytest",
                f"The profile {plan.profile_name!r} measures test functions, which pytest collects: run pytest with "
                f"--ctx-profile={plan.profile_name}. Its rows are in reports/latest/results.jsonl.",
            )
        return plan.cells

    def preflight(self, cells: Sequence[Cell], tape: Tape, say: Say | None = None) -> Preflight | None:
        """Return the check before a gated run asks; None if the run will give no verdict. say: prints its sentences."""
        if self.settings.baseline is None or self.settings.ask_only:
            return None
        from longctx.engine.preflight import Preflight

        return Preflight(self, cells, tape, say or self.say)

    def _as_baseline(self, cells: Sequence[Cell], tape: Tape) -> Iterator[str]:
        """Yield what a run for gates can show as a baseline, if it asks anything."""
        own = self.plan.own
        if self.settings.baseline is not None or own is None or own.margin is None:
            return
        if any(not tape.has_trial(trial) for cell in cells if cell.size for trial in cell.each_trial()):
            from longctx.engine.preflight import as_baseline, target_of

            yield as_baseline(cells, target_of(self))
