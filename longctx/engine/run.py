"""One run of a profile: it plans, asks, measures and finishes. It knows no pytest, and needs no terminal."""

from __future__ import annotations

import functools
import json
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from longctx import clocks
from longctx.engine.settings import Settings, of_arguments
from longctx.extras import require
from longctx.files import check_is_no_file, write_file
from longctx.gate.rules import DEFAULT_CAP
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.config.models import ModelProfile
    from longctx.engine.gate_plan import Preflight
    from longctx.engine.measure import Measurement
    from longctx.engine.plan import Plan
    from longctx.live.bounds import Terms
    from longctx.live.cost.estimate import Estimate
    from longctx.live.failure import Failure
    from longctx.live.run import Done
    from longctx.live.watch import Say
    from longctx.recording.rewriting import Rewriting
    from longctx.recording.tape import Tape
    from longctx.vocabulary.report import Report

FAILURES = "asking.json"
"""The file in the run's folder in which the asking pass tells people why trials could not be asked."""


class Run:
    """One run of a profile on models and prompts.

    Args:
        profile: The name or path of a profile, or its entries, as in `{"passkey": {"windows": [4096], "trials": 3}}`;
            None for the project's default.
        model: A model or several, instead of the profile's.
        prompts: A prompt set or several, instead of the profile's.
        root: The project's folder; its fixtures, cassettes and reports are used.
        settings: All options at once, in place of the profile, models, prompt sets and `options`.
        name: The run's name; by default the time. Answers that are recorded under this name count as live.
        folder: Where its report goes; by default reports/NAME. It is made when the report is written.
        private: A folder for answers that no cassette keeps.
        say: Prints a sentence.
        options: The other options of pytest, such as `trials`, `concurrency`, `base_url` or `baseline`.

    Every method raises UserError for a user's mistake; its message says what is wrong, where, and what to do.

    Example:
        >>> run = Run(profile="first", model="my-model")  # doctest: +SKIP
        >>> run.estimate()  # doctest: +SKIP
        >>> run.ask(max_cost=1)  # doctest: +SKIP
        >>> run.measure().verdict(baseline="main").verdict  # doctest: +SKIP
        'pass'
    """

    def __init__(
        self,
        profile: str | Mapping[str, Any] | None = None,
        model: str | Sequence[str] = (),
        prompts: str | Sequence[str] = (),
        *,
        root: str | os.PathLike[str] = ".",
        settings: Settings | None = None,
        name: str = "",
        folder: Path | None = None,
        private: Path | None = None,
        say: Say = print,
        **options: Any,
    ) -> None:
        models, sets = (((given,) if isinstance(given, str) else tuple(given)) for given in (model, prompts))
        self.settings = settings or of_arguments({"profile": profile, "models": models, "prompts": sets, **options})
        self.workspace = Workspace(Path(root).absolute())
        self.folder = folder or free_folder(self.settings, self.workspace)
        self.name = name or (self.folder.name if self.settings.report is None else now())
        self.private = private
        self.say = say
        self.functions: dict[str, float | None] = {}
        """The minimum rates of the cells of test functions that were collected, by `cell_name`."""
        self.reports: dict[str, Report | None] = {}
        """The reports that test functions declare, by their names: see `views.reporting.Reports`."""
        self.homes: dict[str, Path] = {}
        """The folders of recordings of tests that are nearer to their files than the project's, by the tests' names."""
        self.cells: list[Case] = []
        """The selected cells of test functions, which pytest asks."""
        self.unasked: dict[str, dict[str, Any]] = {}
        """The fields of the Failure of each question that the asking pass could not ask, by its key."""
        self.to_send: list[Case] = []
        """The cases that this run set out to ask."""
        self.rewriting: Rewriting | None = None
        """What the project's hooks make of requests and answers; None without pytest."""
        self.spent = 0.0
        """USD of the cap that the last asking pass spent."""
        self._has_asked = False

    @functools.cached_property
    def plan(self) -> Plan:
        """The profile, its cases and the baseline, which are loaded when first needed."""
        from longctx.engine.plan import Plan

        return Plan(self.settings, self.workspace)

    def tape(self, mode: str = "none") -> Tape:
        """Return the project's recordings. mode: a record mode."""
        from longctx.recording.base import Base
        from longctx.recording.tape import Tape

        base, cassettes = self.settings.base, self.workspace.cassettes
        known = Base(base, self.workspace.root, cassettes) if base else None
        tape = Tape(cassettes, mode, self.name, self.private, known, self.settings.trust == "base")
        tape.rewriting, tape.homes = self.rewriting or tape.rewriting, self.homes
        return tape

    @functools.cached_property
    def recorded(self) -> Tape:
        """The recordings as the plan's cases are first looked up in them; read again after asking."""
        return self.tape()

    @property
    def asking_mode(self) -> str:
        """The record mode in which it asks: that of the settings, or `once` if that is `none`."""
        return "once" if self.settings.record == "none" else self.settings.record

    def answers(self) -> Tape:
        """Return the recordings that this run measures: with the record mode `all`, the answers of its own alone."""
        return self.tape("all" if self.settings.record == "all" else "none")

    def estimate(self, cases: Sequence[Case] | None = None) -> list[Estimate]:
        """Say and return what would be asked and what it costs, without a key and without the network.

        cases: those to ask; by default all of the plan.
        """
        from longctx.live.estimating import estimate_live

        cases = self.plan.cases if cases is None else cases
        tape = self.tape(self.asking_mode)
        if preflight := self.preflight(cases, tape):
            preflight.check()
            preflight.warn()
        self._foresee_baseline(cases, tape)
        estimates = estimate_live(tape, cases, self.say, self.settings.batch)
        from longctx.engine.gate_plan import cannot_pass, target_of

        target = target_of(self)
        if self.cells:  # test functions are a part of the run that is not here
            target = replace(target, run_margin=None)
        for sentence in cannot_pass(cases, target):
            self.say(sentence)
        return estimates

    def ask(
        self,
        cases: Sequence[Case] | None = None,
        *,
        max_cost: float | None = None,
        progress: Callable[..., Any] | None = None,
    ) -> Done:
        """Ask trials without a recorded answer. Every answer is recorded before it counts; a stopped run resumes.

        The record mode is that of the settings, or `once` if that is `none`.

        cases: those to ask; by default all of the plan. max_cost: USD; by default the run's cap.
        progress: opens the display, as live/progress.py does. Raises Interrupted if the user stops it.
        """
        require("Asking a model", "anthropic")
        self._has_asked = True
        from longctx.live.run import LivePass
        from longctx.recording.tape import only_writer

        settings = self.settings
        cases = self.plan.cases if cases is None else cases
        tape = self.tape(self.asking_mode)
        self.to_send = [*cases, *self.cells]
        with only_writer(*tape.all_written, lock=settings.lock):
            tape.sends_again(self.to_send, self.plan.judge if self.cells else None)
            order = None
            if settings.looks and self.plan.baseline and not settings.ask_only:
                from longctx.engine.early_stop import looks_by, until_settled

                tape.looks = looks_by(self, tape, (each for case in cases if case.size for each in case.each_trial()))
                order = until_settled(self, tape)
            if preflight := self.preflight(cases, tape):
                preflight.check()
            self._foresee_baseline(cases, tape)
            terms = self.terms([case.model for case in cases], max_cost)
            asking = LivePass(self.workspace, tape, terms, self.say, order=order, observer=preflight)
            asking.progress = progress or asking.progress
            done = asking.ask(cases)
        failures = done.asked.failures
        for case, why in done.unasked:
            failures |= {trial.key: why for trial in case.each_trial()}
        self.not_asked(failures, done.spent)
        self.forget_plan()
        return done

    def count_probes(self, cells: Sequence[Case], alone: bool = False) -> list[Case]:
        """Have the server count the probes of test functions; return the cells that can be asked.

        What is kept in the models' profiles is not counted again. alone: whether the run asks nothing else; it then
        raises UserError if no cell is left. Raises Interrupted if the user stops it.
        """
        lacking = [case for case in cells if case.token_values is None]
        if not lacking:
            return list(cells)
        from longctx.live.run import count_probes
        from longctx.live.server.counting import say_uncounted
        from longctx.recording.tape import only_writer

        settings, terms = self.settings, self.terms([case.model for case in lacking])
        tape = self.tape(settings.record)
        with only_writer(*tape.all_written, lock=settings.lock):
            _, uncounted = count_probes(self.workspace, tape, terms, lacking, self.say)
        left_out = {id(case) for case, _ in uncounted}
        known = [case for case in cells if id(case) not in left_out]
        say_uncounted(self.say, uncounted, alone and not known)
        self.not_asked({trial.key: why for case, why in uncounted for trial in case.each_trial()}, self.spent)
        self.forget_plan()
        return known

    def not_asked(self, failures: Mapping[str, Failure], spent: float) -> None:
        """Note what an asking pass could not ask, by the keys of the questions, and the USD that it spent."""
        self.unasked |= {key: asdict(failure) for key, failure in failures.items()}
        self.spent = spent

    @property
    def stated_cap(self) -> float | None:
        """USD that the user lets the run spend: by the settings, else by the profile; None if neither says."""
        given, own = self.settings.max_cost, self.plan.own
        return own.max_cost if given is None and own else given

    def default_cap(self, models: Iterable[ModelProfile]) -> float | None:
        """Return the cap that holds because none is stated; None if one is, or if none of the models has a price."""
        from longctx.live.cost.money import has_price

        return DEFAULT_CAP if self.stated_cap is None and any(map(has_price, models)) else None

    def cap(self, models: Iterable[ModelProfile]) -> float | None:
        """Return the USD that requests to these models may cost; None for no cap."""
        default = self.default_cap(models)
        return self.stated_cap if default is None else default

    def terms(self, models: Sequence[ModelProfile], max_cost: float | None = None) -> Terms:
        """Return the terms of an asking pass over these models. max_cost: USD; by default the run's cap."""
        from longctx.live.bounds import Terms

        settings = self.settings
        return Terms(
            base_url=settings.base_url,
            in_flight=settings.in_flight,
            max_cost=self.cap(models) if max_cost is None else max_cost,
            stated_cap=max_cost is not None or self.stated_cap is not None,
            batch=settings.batch,
            batch_wait_s=None if settings.batch_wait is None else 3600 * settings.batch_wait,
            canary=settings.canary,
        )

    def keep_failures(self) -> None:
        """Tell people in the run's folder why questions could not be asked, if there are any."""
        if self.unasked:
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps(self.unasked, indent=1)
            write_file(self.folder / FAILURES, lambda part: part.write_text(text, "utf-8"))

    def measure(self, cases: Sequence[Case] | None = None) -> Measurement:
        """Replay and judge the recorded answers. cases: by default all of the plan."""
        from longctx.engine.measure import Measurement, Measurer

        if self.settings.baseline is not None and not self._has_asked:
            from longctx.engine.early_stop import keep_left_out

            keep_left_out(self)
        measurer = Measurer(self)
        return Measurement(self, [measurer.measure(case) for case in (self.plan.cases if cases is None else cases)])

    def forget_plan(self) -> None:
        """Read the project's files again when they are next needed: asking adds to models' profiles and recordings."""
        self.__dict__.pop("plan", None)
        self.__dict__.pop("recorded", None)

    def preflight(self, cases: Sequence[Case], tape: Tape) -> Preflight | None:
        """Return the check before a gated run asks; None if the run will give no verdict."""
        if self.settings.baseline is None or self.settings.ask_only:
            return None
        from longctx.engine.gate_plan import Preflight

        return Preflight(self, cases, tape, self.say)

    def _foresee_baseline(self, cases: Sequence[Case], tape: Tape) -> None:
        """Say what a run for gates can show as a baseline, if it asks anything."""
        own = self.plan.own
        if self.settings.baseline is not None or own is None or own.margin is None:
            return
        if any(not tape.has_trial(trial) for case in cases if case.size for trial in case.each_trial()):
            from longctx.engine.gate_plan import as_baseline, target_of

            self.say(as_baseline(cases, target_of(self)))


def now() -> str:
    """Return the local time to the millisecond, as the name of a run."""
    return clocks.local().strftime("%Y-%m-%dT%H-%M-%S-%f")[:-3]


def free_folder(settings: Settings, workspace: Workspace) -> Path:
    """Return a folder for the report that holds no run yet. Raises UserError if the user's own cannot be used."""
    if settings.report is not None:
        from longctx.results.store import check_free

        check_is_no_file("--ctx-report", settings.report)
        check_free(settings.report)
        return settings.report.absolute()
    name, number = now(), 2
    folder = workspace.reports / name
    while folder.exists():
        folder, number = workspace.reports / f"{name}-{number}", number + 1
    return folder
