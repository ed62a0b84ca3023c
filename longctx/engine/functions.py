"""Test functions in a run: what their markers and the profile say of them, and the cells that they have.

Neither pytest nor its fixtures are needed here: the plugin collects functions with it.

Runs of test functions: what asking them would cost, which trials a gate left out, and what is measured of them.

function_pass.py asks them.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from longctx.cases.case import Case, Trial
from longctx.engine.early_stop import FunctionLooks, left_out_by
from longctx.engine.gate_plan import SubjectBand, band_of, cannot_pass, target_of
from longctx.engine.measure import MeasuredCase, Measurer
from longctx.errors import TapeError, UserError, did_you_mean
from longctx.functions.asking import Part
from longctx.functions.axes import Parameters, parameters
from longctx.functions.cells import FUNCTION_ENTRIES, Function, named_values, prompts_of, wording_of
from longctx.functions.estimating import FunctionEstimates
from longctx.functions.fixtures import FunctionRun, Functions
from longctx.functions.measure import Result, RunOnce, TrialOf, ended, run_trial
from longctx.functions.strategies import Strategy
from longctx.functions.trial import FunctionTrial
from longctx.gate.plan import Load
from longctx.live.batches.ledger import Ledger, place_of
from longctx.live.cost.estimate import Estimate, in_all, total_price
from longctx.live.cost.money import check_cap
from longctx.live.estimating import with_estimated_counts
from longctx.recording.tape import Tape
from longctx.recording.trials import Ended, Judged, Waiting
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY, TEXT

if TYPE_CHECKING:
    from longctx.cases.case import Case
    from longctx.config.models import ModelProfile
    from longctx.config.project import Shard
    from longctx.config.prompts import Wording
    from longctx.engine.run_data import RunData
    from longctx.vocabulary.report import Report
    from longctx.vocabulary.shapes import Shape


class Marker(Protocol):
    """A mark of pytest."""

    @property
    def name(self) -> str: ...

    @property
    def args(self) -> tuple[Any, ...]: ...

    @property
    def kwargs(self) -> Mapping[str, Any]: ...


@dataclass(frozen=True, slots=True)
class FunctionSubject:
    """The model, the templates, the shape and the strategy that a test function is run with."""

    model: ModelProfile
    wording: Wording
    shape: Shape
    strategy: Strategy | None
    """None if the strategy of context management is not varied."""

    @property
    def id(self) -> str:
        """Its part of the test's id."""
        usual = self.strategy is None or self.strategy.name == NO_STRATEGY
        parts = [self.model.model, self.wording.prompt_set]
        parts += [] if self.shape == TEXT else [self.shape]
        return "-".join([*parts, *([] if usual else [self.strategy.name])]).replace("/", "_")  # type: ignore[union-attr]


@dataclass(frozen=True, slots=True)
class MarkedFunction:
    """A marked test function in a run."""

    function: Function
    axes: Sequence[Parameters]
    """What it is parametrized with in place of its own values."""
    subjects: Sequence[FunctionSubject]

    @classmethod
    def of(cls, run: RunData, test: Callable[..., object], marker: Marker, folder: Path) -> MarkedFunction:
        """Return a test function by its marker and the profile. Raises UserError.

        folder: that of its file, where a file of cases is looked up first.
        """
        name, plan, settings = test.__name__, run.plan, run.settings
        marked = marker_arguments(name, marker)
        table = (plan.own.functions if plan.own else {}).get(name, {})
        own = {entry: value for entry, value in table.items() if entry not in FUNCTION_ENTRIES}
        take_report(run, name, marked)
        axes = marked.pop("axes", None)
        given = parameters(test, own, axes) if own or axes is not None else []
        options = {entry: value for entry, value in table.items() if entry in FUNCTION_ENTRIES}
        function = Function.of(name, marked, options, folder, run.workspace)
        named = settings.strategies or function.table.strategies
        if named and STRATEGY in dict(settings.labels):
            raise UserError(
                "label-of-strategies",
                f"{name} is run under several strategies, which its rows name in the label {STRATEGY!r}: give the "
                "label of --ctx-label another name.",
            )
        strategies: Sequence[Strategy | None] = Strategy.all_of(named, run.workspace) or [None]
        subjects = [
            FunctionSubject(
                plan.model(model),
                wording_of(run.workspace, name, prompt_set, typed=bool(settings.prompts)),
                shape,
                strategy,
            )
            for model in plan.models_of_functions(function.table.models)
            for prompt_set in prompts_of(function.table, settings.prompts)
            for shape in settings.shapes or function.table.shapes
            for strategy in strategies
        ]
        return cls(function, given, subjects)


def marker_arguments(name: str, marker: Marker) -> dict[str, Any]:
    """Return the arguments of a test's marker by their names. Raises UserError."""
    if len(marker.args) > 1:
        raise UserError(
            "bad-marker",
            f"{name}: its marker has {len(marker.args)} arguments without a name: give all but trials a name, as in "
            "@pytest.mark.longctx(200, min_rate=0.9).",
        )
    return {**dict(zip(("trials",), marker.args, strict=False)), **marker.kwargs}


def take_report(run: RunData, name: str, marked: dict[str, Any]) -> None:
    """Move the report that a test's marker declares, if any, to the run. Raises UserError if it is none."""
    from longctx.vocabulary.report import Report

    report = marked.pop("report", None)
    if isinstance(report, Report):
        run.reports[name] = report
    elif report is not None:
        raise UserError(
            "report-is-no-report",
            f"{name}: report in its marker is of the type {type(report).__name__}: give a longctx.Report.",
        )


def _check_report(name: str, report: Report, parameters: Collection[str]) -> None:
    """Raise UserError if a report names a parameter that its test does not have."""
    named = [("x", report.x), *(("by", each) for each in report.by)]
    named += [("facets", each) for shares in report.charts for each in shares.facets]
    for entry, parameter in named:
        if parameter and parameter not in parameters:
            raise UserError(
                "report-without-parameter",
                f"{name}: {entry} of its report is {parameter!r}, but the test has no such parameter. "
                f"{did_you_mean(parameter, list(parameters))} Give a parameter of the test.",
            )


def check_test(test: Callable[..., object], where: str, places: dict[str, str]) -> None:
    """Raise UserError if a test function is a generator, or if an earlier one has its name.

    where: its file. places: those of earlier functions, by their names.
    """
    name = test.__name__
    if inspect.isgeneratorfunction(test) or inspect.isasyncgenfunction(test):
        raise UserError(
            "generator-function", f"{name} is a generator: a test function must not yield, but use assert and check."
        )
    if (other := places.setdefault(name, where)) != where:
        raise UserError(
            "two-tests-of-one-name",
            f"Two marked test functions are named {name}, in {other.rstrip(':')} and in {where.rstrip(':')}: rename "
            "one of them, since its recordings and its results go by this name.",
        )


def cell_of(
    run: RunData,
    function: Function,
    params: Mapping[str, object],
    subject: FunctionSubject,
    ids: Mapping[str, str] | None = None,
) -> Case:
    """Return the cell of some parameters, with the user's options in place of the marker's. Raises UserError.

    ids: those that pytest gives the values of parameters.
    """
    settings, values = run.settings, named_values(function.name, params, ids)
    if report := run.reports.get(function.name):
        _check_report(function.name, report, values)
    case = function.cell(values, subject.model, subject.wording, run.plan.seed, settings.trials, subject.shape)
    return dataclasses.replace(
        case,
        strategy=subject.strategy.name if subject.strategy else "",
        only_trial=settings.only_trial,
        repeats=settings.repeats if settings.repeats != 1 else case.repeats,
        min_rate=case.min_rate if settings.min_rate is None else settings.min_rate,
    )


def check_marked_once(test: Callable[..., object], marks: Iterable[Marker]) -> None:
    """Raise UserError if a test function itself has several markers of longctx. marks: its marks."""
    if sum(mark.name == "longctx" for mark in marks) > 1:
        raise UserError(
            "marked-twice",
            f"{test.__name__} has several markers @pytest.mark.longctx, and only one could count: merge them into one.",
        )


def check_apart(case: Case, test: str, known: dict[str, str]) -> None:
    """Raise UserError if another test has a cell of this name.

    Args:
        test: The id of the cell's test.
        known: The tests of the cells so far, by the cells' names; the cell is added.
    """
    if known.setdefault(_name_of(case), test) != test:
        raise UserError(
            "two-cells-of-one-name",
            f"{case.cell.test} has two cells {case.cell.slug} for {case.model.model}, which have the same "
            "trials: give each value of its parameters once.",
        )


def _name_of(case: Case) -> str:
    """Return the name of a cell among those of all test functions."""
    return f"{case.cell.test}/{case.id}"


def in_shard(cases: Sequence[Case], shard: Shard) -> list[bool]:
    """Return whether each cell of all test functions belongs to a shard."""
    from longctx.config.project import deal

    names = [_name_of(case) for case in cases]
    dealt = deal(dict.fromkeys(sorted({*names}), 1), shard.of)
    return [dealt[name] == shard.number for name in names]


def loader(run: RunData) -> Callable[[str], ModelProfile]:
    """Return a function that loads the profile of a model that a test asks. It raises UserError."""

    def load(name: str) -> ModelProfile:
        model = run.plan.model(name)
        if run.settings.record != "none":
            check_cap(run.stated_cap, [model])
        return model

    return load


class ReplayingRun(FunctionRun):
    """Notes the cells of all functions, and how their recorded trials end; it asks nothing."""

    def __init__(self, tape: Tape, part: Part) -> None:
        super().__init__(tape)
        self.cells: list[Case] = []
        self._part = part

    def cell(self, case: Case, trial_of: TrialOf, start: RunOnce) -> None:
        self.cells.append(case)
        for trial in case.each_trial():
            if self.tape.has_trial(trial):
                running = trial_of(trial)
                with contextlib.suppress(TapeError):  # the test itself reports it
                    self._part.note(running, start(running))


class MeasuringRun(FunctionRun):
    """Measures the cells of test functions from what is recorded."""

    def __init__(self, run: RunData, tape: Tape) -> None:
        super().__init__(tape)
        self.cells: list[MeasuredCase] = []
        self._measurer = Measurer(run, tape)

    def fitted(self, case: Case) -> Case:
        return case

    def cell(self, case: Case, trial_of: TrialOf, start: RunOnce) -> None:
        run = functools.partial(run_trial, trial_of, start)
        self.cells.append(self._measurer.measure(case, self.test, run))


class ShowingRun(FunctionRun):
    """Runs a trial of one cell against what is recorded, to show what it sends."""

    def __init__(self, tape: Tape, slug: str) -> None:
        """slug: the name of the cell's parameters. Which trial it is, the settings of the run say."""
        super().__init__(tape)
        self.slugs: list[str] = []
        """Those of all cells."""
        self.shown: tuple[FunctionTrial, Result] | None = None
        """None if there is no such cell, or if `mistake` says why it cannot be shown."""
        self.mistake: UserError | None = None
        self._slug = slug

    def fitted(self, case: Case) -> Case | None:
        self.slugs.append(case.cell.slug)
        if self.shown is not None or case.cell.slug != self._slug:
            return None
        try:
            return super().fitted(with_estimated_counts(case))
        except UserError as mistake:
            self.mistake = mistake
            return None

    def cell(self, case: Case, trial_of: TrialOf, start: RunOnce) -> None:
        running = trial_of(next(iter(case.each_trial())))
        self.shown = running, start(running)


class EstimatingRun(FunctionRun):
    """Takes the first requests that each cell lacks, and what recorded trials tell of later ones; it asks nothing."""

    def __init__(self, tape: Tape, recorded: Tape, counted: bool) -> None:
        """recorded: replays what is recorded, whatever the record mode. counted: whether the server was asked to count
        the probes of functions, whose tokens are estimated otherwise.
        """
        super().__init__(tape)
        self._counted = counted
        self.estimates = FunctionEstimates()
        self.held = 0
        self._recorded = recorded
        self._claimed = {place for batch in Ledger(tape.written_to).open() for place in batch.places}

    def fitted(self, case: Case) -> Case | None:
        return super().fitted(case if self._counted else with_estimated_counts(case))

    def estimates_of(self, case: Case) -> FunctionEstimates:
        """Return the estimates that a cell is part of."""
        return self.estimates

    def cell(self, case: Case, trial_of: TrialOf, start: RunOnce) -> None:
        estimates = self.estimates_of(case)
        estimates.add_cell(case)
        for trial in case.each_trial():
            running = trial_of(trial)
            replayed = FunctionTrial(trial, self._recorded, running.judge, running.strategy)
            estimates.add_recorded(replayed, start(replayed))
            if (result := start(running)).kind == "error":
                estimates.add_error(case, result)
            lacking = [lack for lack in running.lacking if self.tape.wants(lack.wanted)]
            free = [lack for lack in lacking if place_of(lack.wanted) not in self._claimed]
            self.held += len(lacking) - len(free)
            if free:
                estimates.add_lacking(running, free)


class PlanningRun(EstimatingRun):
    """Estimates what each gated band asks if nothing of it is recorded; it asks nothing."""

    def __init__(self, run: RunData) -> None:
        super().__init__(run.tape("all"), run.tape(), counted=False)
        self._claimed = set()  # a plan is of all trials
        self._bands: dict[SubjectBand, tuple[list[Case], FunctionEstimates]] = {}

    def estimates_of(self, case: Case) -> FunctionEstimates:
        cases, estimates = self._bands.setdefault(band_of(case), ([], FunctionEstimates()))
        cases.append(case)
        return estimates

    def cell(self, case: Case, trial_of: TrialOf, start: RunOnce) -> None:
        if case.gated:
            super().cell(case, trial_of, start)

    def loads(self) -> dict[SubjectBand, Load]:
        """Return the load of each band, with later requests as in the trials that are recorded."""
        found = {}
        for band, (cases, estimates) in self._bands.items():
            clusters = [cluster for case in cases for cluster in case.clusters()]
            [direct], [batch] = estimates.estimates(batch=False), estimates.estimates(batch=True)
            found[band] = Load(
                len(clusters),
                len(set(clusters)),
                direct.input_tokens,
                direct.output_tokens,
                None if direct.price is None else direct.price.paid(batches=False),
                None if batch.price is None else batch.price.paid(batches=True),
                in_contexts=any(case.cell.questions_per_context > 1 for case in cases),
            )
        return found


def price(run: RunData, tests: Functions) -> float:
    """Return what asking test functions is estimated to cost in USD, as far as prices are known."""
    return total_price(_estimated(run, tests, counted=True).estimates.estimates(batch := run.settings.batch), batch)


def _estimated(run: RunData, tests: Functions, counted: bool) -> EstimatingRun:
    estimating = EstimatingRun(run.tape(run.asking_mode), run.tape(), counted)
    tests.run(estimating)
    return estimating


def estimate(run: RunData, tests: Functions, of_protocols: Sequence[Estimate]) -> None:
    """Say what asking test functions costs. of_protocols: the estimates of the same run. Raises UserError."""
    estimating = _estimated(run, tests, counted=False)
    estimates = estimating.estimates.estimates(run.settings.batch)
    for each in estimates:
        run.say(str(each))
    for sentence in estimating.estimates.sentences():
        run.say(sentence)
    for name, why in estimating.broken.items():
        run.say(f"{name} could not be estimated: {why}")
    if total := in_all([*of_protocols, *estimates]):
        run.say(total)
    if estimating.held:
        run.say(f"{estimating.held:,} more are held by batches that are not collected, and would not be asked.")
    for sentence in cannot_pass(run.cells, replace(target_of(run), run_margin=None)):
        run.say(sentence)


def leave_out(run: RunData, tests: Functions) -> None:
    """Have a replay leave out the trials of test functions that looks left out."""
    known: list[tuple[Trial, Waiting | Judged | Ended]] = []

    def note(trial: FunctionTrial, result: Result) -> None:
        known.append((trial.trial, ended(trial, result)))

    replaying = ReplayingRun(run.tape(), Part(ended=note))
    tests.run(replaying)
    looks = FunctionLooks(run, replaying.cells, run.recorded)
    for trial, of_trial in known:
        looks.ended(trial, of_trial)
    run.unasked |= left_out_by(looks)
