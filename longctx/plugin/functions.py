"""Plain test functions: their cells, their fixtures, and the run of a function once for each trial."""

from __future__ import annotations

import ast
import asyncio
import builtins
import dataclasses
import inspect
import json
import re
import textwrap
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from longctx.engine.rows import unmeasured_row
from longctx.engine.terms import case_name
from longctx.errors import TapeError, UserError, did_you_mean
from longctx.functions import measure
from longctx.functions.answer import Answer
from longctx.functions.ask import Ask
from longctx.functions.cells import CaseItem, Function, named_values, prompts_of, wording_of
from longctx.functions.draw import Draw
from longctx.functions.measure import Result, RunOnce, TrialOf
from longctx.functions.strategies import Strategy
from longctx.functions.trial import FunctionTrial, TestMistake, changed_request
from longctx.gate.bands import EARLY_STOP
from longctx.plugin.measuring import writing
from longctx.plugin.run import CELLS, RUN, is_worker
from longctx.plugin.selection import CASE, MARKER
from longctx.recording import absence
from longctx.results.store import as_lines
from longctx.results.view import View
from longctx.vocabulary.scenario import MEASURED
from longctx.vocabulary.shapes import NO_STRATEGY, STRATEGY, TEXT

if TYPE_CHECKING:
    from longctx.cases.case import Case, Question
    from longctx.config.models import ModelProfile
    from longctx.config.prompts import Wording
    from longctx.engine.run import Run
    from longctx.plugin.asking.function_runs import FunctionRun
    from longctx.recording.tape import Tape, Wanted
    from longctx.results.row import Row
    from longctx.vocabulary.shapes import Shape

SUBJECT = "longctx_subject"
"""The parameter of a test function that holds the model and the prompt set."""
FUNCTION = pytest.StashKey[Function]()
STATE: pytest.StashKey[FunctionState] = pytest.StashKey()
ASKING: pytest.StashKey[FunctionRun] = pytest.StashKey()
"""The key of what asks the trials of functions in a nested pytest; without it they are replayed."""
FUNCTIONS = pytest.StashKey[dict[str, Function]]()
"""The key of the test functions of a run, by their names."""
NAMES = pytest.StashKey[dict[str, str]]()
"""The key of the file of each test function, by its name."""


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


@dataclass(slots=True)
class FunctionState:
    """What the fixtures of all test functions of a process share."""

    run: Run
    tape: Tape
    current: FunctionTrial | None = None
    """The trial that is running."""
    case: CaseItem | None = None
    """The case of that trial."""
    models: dict[str, ModelProfile] = field(default_factory=dict)

    @classmethod
    def of(cls, config: pytest.Config) -> FunctionState:
        if STATE not in config.stash:
            run = config.stash[RUN]
            asking = config.stash.get(ASKING, None)
            config.stash[STATE] = cls(run, asking.tape if asking else run.tape())
        return config.stash[STATE]

    def trial(self) -> FunctionTrial:
        """Return the trial that is running. Raises UserError outside a marked test."""
        if self.current is None:
            raise UserError(
                "not-in-a-trial",
                "The fixtures ask, draw, check, judge and case are used by a test that is marked "
                f"@pytest.mark.{MARKER}(trials=…), while it runs: mark the test, and do not use "
                "them while fixtures are set up.",
            )
        return self.current

    def model(self, name: str) -> ModelProfile:
        if name not in self.models:
            self.models[name] = self.run.plan.model(name)
        return self.models[name]


# ---- cells


def parametrize(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """Parametrize a test function with its models and prompt sets. Raises UserError."""
    name, config = metafunc.function.__name__, metafunc.config
    if inspect.isasyncgenfunction(metafunc.function):  # pytest itself refuses other generators
        raise UserError("generator-function", f"{name} yields, and a test function returns: use assert and check.")
    file = str(metafunc.definition.path)
    where = f"{file}::{'' if metafunc.cls is None else metafunc.cls.__qualname__}"
    if (other := config.stash.setdefault(NAMES, {}).setdefault(name, where)) != where:
        raise UserError(
            "two-tests-of-one-name",
            f"Two marked test functions are named {name}, in {other.rstrip(':')} and in {where.rstrip(':')}: rename "
            "one of them, since its recordings and its results go by this name.",
        )
    plan = config.stash[RUN].plan
    if SUBJECT not in metafunc.fixturenames:
        metafunc.fixturenames.append(SUBJECT)
    if not plan.measures_function(name):
        reason = f"the profile {plan.profile_name!r} has no [{name}] table, and no models = […] at its top"
        metafunc.parametrize(SUBJECT, [pytest.param(None, id="none", marks=pytest.mark.skip(reason=reason))])
        return
    tables = plan.own.functions if plan.own else {}
    workspace = config.stash[RUN].workspace
    if len(marker.args) > 1:
        raise UserError(
            "bad-marker",
            f"{name}: its marker has {len(marker.args)} arguments without a name: give all but trials a name, as in "
            f"@pytest.mark.{MARKER}(200, min_rate=0.9).",
        )
    marked = {**dict(zip(("trials",), marker.args, strict=False)), **marker.kwargs}
    function = Function.of(name, marked, tables.get(name), metafunc.definition.path.parent, workspace)
    config.stash.setdefault(FUNCTIONS, {})[name] = function
    if judges_nothing(metafunc.function, {*metafunc.fixturenames}):
        metafunc.definition.warn(
            pytest.PytestCollectionWarning(f"{name} has no assert and no check, so that every reply counts as correct.")
        )
    settings = config.stash[RUN].settings
    given = settings.strategies or function.table.strategies
    if given and STRATEGY in dict(settings.labels):
        raise UserError(
            "label-of-strategies",
            f"{name} is run under several strategies, which its rows name in the label {STRATEGY!r}: give the label of "
            "--ctx-label another name.",
        )
    strategies: Sequence[Strategy | None] = Strategy.all_of(given, workspace) or [None]
    subjects = [
        FunctionSubject(
            plan.model(model),
            wording_of(workspace, name, prompt_set, typed=bool(config.stash[RUN].settings.prompts)),
            shape,
            strategy,
        )
        for model in plan.models_of_functions(function.table.models)
        for prompt_set in prompts_of(function.table, settings.prompts)
        for shape in settings.shapes or function.table.shapes
        for strategy in strategies
    ]
    metafunc.parametrize(SUBJECT, subjects, ids=[subject.id for subject in subjects])


def judges_nothing(function: Callable[..., object], fixtures: Collection[str]) -> bool:
    """Return whether a test has no assert, no raise and no check, and calls nothing of its own that may have one."""
    try:
        nodes = [*ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function))).body[0])]
    except (OSError, SyntaxError):
        return False
    called = {node.func.id for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}
    methods = {node.func.attr for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)}
    judges = any(isinstance(node, ast.Assert | ast.Raise) for node in nodes) or methods & {"fail", "raises", "probe"}
    return not (judges or "check" in called or called - {*fixtures, *dir(builtins)})


def take_up(items: Sequence[pytest.Item], config: pytest.Config) -> None:
    """Give each item of a test function its case. Raises UserError for a parameter that cannot be part of a name."""
    known = config.stash.get(FUNCTIONS, {})
    for item in items:
        if not (isinstance(item, pytest.Function) and hasattr(item, "callspec") and SUBJECT in item.callspec.params):
            continue
        run = config.stash[RUN]
        subject: Any = item.callspec.params[SUBJECT]
        if subject is None:  # the profile leaves it out
            continue
        function = known[item.function.__name__]
        params = {name: value for name, value in item.callspec.params.items() if name != SUBJECT}
        values = named_values(function.name, params)
        case = function.cell(
            values,
            subject.model,
            subject.wording,
            run.plan.seed,
            run.settings.trials,
            subject.shape,
            subject.strategy.name if subject.strategy else "",
        )
        item.stash[FUNCTION], item.stash[CASE] = function, with_settings(case, run)


def check_tables(config: pytest.Config) -> None:
    """Raise UserError if the profile has a table of a test function that does not exist, as far as is known.

    Functions that were not collected are looked for in the files beside those that were.
    """
    plan, collected = config.stash[RUN].plan, config.stash.get(FUNCTIONS, {})
    unknown = [name for name in (plan.own.functions if plan.own else {}) if name not in collected]
    if not (unknown and collected):
        return
    folders = {Path(where.partition("::")[0]).parent for where in config.stash[NAMES].values()}
    texts = [path.read_text("utf-8", "replace") for folder in folders for path in folder.rglob("*.py")]
    for name in unknown:
        if not any(re.search(rf"\bdef {re.escape(name)}\b", text) for text in texts):
            raise UserError(
                "table-without-function",
                f"The profile {plan.profile_name!r} has a table [{name}], and there is no test function of this name. "
                f"{did_you_mean(name, list(collected))} Rename or delete the table.",
            )


def note_cells(items: Sequence[pytest.Item], config: pytest.Config) -> None:
    """Note which cells of test functions there are, before -k and the like deselect any."""
    run = config.stash[RUN]
    for item in items:
        if FUNCTION in item.stash and not item.get_closest_marker("skip"):
            case = item.stash[CASE]
            run.functions[case_name(run, case)] = case.min_rate
    if is_worker(config):
        config.workeroutput[CELLS] = json.dumps(run.functions)  # type: ignore[attr-defined]  # xdist adds it


def with_settings(case: Case, run: Run) -> Case:
    """Return the case with the user's options in place of the marker's."""
    settings = run.settings
    return dataclasses.replace(
        case,
        only_trial=settings.only_trial,
        repeats=settings.repeats if settings.repeats != 1 else case.repeats,
        min_rate=case.min_rate if settings.min_rate is None else settings.min_rate,
    )


def of_shard(items: list[pytest.Item], config: pytest.Config) -> list[pytest.Item]:
    """Return the items without those of test functions that belong to other shards."""
    shard = config.stash[RUN].settings.shard
    if shard is None:
        return items
    from longctx.config.shards import deal

    cells = sorted(
        {item.stash[CASE].scenario.family + "/" + item.stash[CASE].id for item in items if FUNCTION in item.stash}
    )
    dealt = deal(dict.fromkeys(cells, 1), shard.of)
    return [
        item
        for item in items
        if FUNCTION not in item.stash
        or dealt[item.stash[CASE].scenario.family + "/" + item.stash[CASE].id] == shard.number
    ]


# ---- running


def call(item: pytest.Function) -> None:
    """Run a test function once for each trial of its cell: measure the trials, or ask what they lack."""
    config = item.config
    state, case = FunctionState.of(config), item.stash[CASE]
    names = item._fixtureinfo.argnames
    arguments = {name: item.funcargs[name] for name in names}

    def start(trial: FunctionTrial) -> Result:
        def once() -> None:
            result = item.obj(**arguments)
            if inspect.isawaitable(result):
                asyncio.run(_awaited(result))

        function = item.stash[FUNCTION]
        state.current = trial
        state.case = function.cases[trial.question.index] if function.cases is not None else None
        try:
            result = measure.run(trial, once, _kept)
        finally:
            state.current = None
        if not trial.answers and result.kind not in ("suspended", "skipped", "error"):
            sentence = f"{function.name} never asks: its trials need the fixture ask, which is missing or not called."
            return Result("error", sentence, TestMistake(UserError("test-never-asks", sentence)))
        if trial.strategy.name != NO_STRATEGY and not trial.managed and result.kind in MEASURED:
            sentence = (
                f"{function.name} asks about no transcript, so the strategy {trial.strategy.name!r} changes nothing: "
                "ask(transcript, question) uses it; or leave the test out of this run with -k."
            )
            return Result("error", sentence, TestMistake(UserError("strategy-not-used", sentence)))
        return result

    def trial_of(question: Question) -> FunctionTrial:
        judge = state.run.plan.own.judge if state.run.plan.own else ""
        subject: Any = item.callspec.params[SUBJECT]
        strategy = subject.strategy or Strategy()
        return FunctionTrial(question, state.tape, state.model(judge) if judge else None, strategy)

    try:
        case.fitted()
    except UserError as error:
        pytest.fail(f"invalid: {error}", pytrace=False)
    asking = config.stash.get(ASKING, None)
    if asking is not None:
        asking.cell(case, trial_of, start)
    else:
        _measure(item, case, trial_of, start)


async def _awaited(result: Any) -> Any:
    return await result


def _kept(error: BaseException) -> measure.Meant:
    if isinstance(error, pytest.skip.Exception):
        return "skipped"
    return "failed" if isinstance(error, pytest.fail.Exception) else None


def _measure(
    item: pytest.Item,
    case: Case,
    trial_of: TrialOf,
    start: RunOnce,
) -> None:
    from longctx.plugin.measuring.fixture import conclude

    run = item.config.stash[RUN]
    rows: list[Row] = []
    views: list[View] = []
    absent: list[Wanted] = []
    failed: list[str] = []
    errors: list[BaseException] = []
    skipped: list[str] = []
    problem = ""
    left_out = 0
    for question in case.questions():
        if failure := run.unasked.get(question.key):
            rows.append(
                unmeasured_row(run, question, "not_asked" if failure["fatal"] else "infra_error", failure["cause"])
            )
            views.append(View(item.nodeid))
            if failure["cause"] == EARLY_STOP:
                left_out += 1
            else:
                failed.append(failure["message"])
            continue
        trial = trial_of(question)
        try:
            result = start(trial)
        except TapeError as error:
            result = Result("error", str(error), error)
        if result.kind == "skipped":
            skipped.append(result.why)
            continue
        if result.kind == "suspended":
            lacking = [lacking.wanted for lacking in trial.lacking]
            status = "stale" if any(trial.tape.status(wanted) == "stale" for wanted in lacking) else "missing"
            rows.append(unmeasured_row(run, question, "not_asked", status))
            views.append(View(item.nodeid))
            absent.append(next(wanted for wanted in lacking if trial.tape.status(wanted) == status))
            continue
        if result.kind in ("error", "infra_error") and result.error is not None:
            errors.append(result.error)
        measured = measure.rows(run, trial, result)
        rows += measured
        views += [measure.view(trial, item.nodeid), *(View(item.nodeid) for _ in measured[1:])]
    if absent or failed:
        tape = FunctionState.of(item.config).tape
        problem = absence.sentence(case, tape, absent, failed, changed_request)
    writing.attach(item, as_lines(rows, [] if run.settings.no_text else views))
    own = next((error for error in errors if not _is_judges(error)), None)
    if own is not None:
        if isinstance(own, TestMistake):
            pytest.fail(str(own.error), pytrace=False)
        raise own
    if not rows:
        pytest.skip(skipped[0] if skipped else "it has no trial")
    conclude(item, case, [row for row in rows if row.family == case.scenario.family], problem, left_out)


def _is_judges(error: BaseException) -> bool:
    from longctx.functions.answer import JudgeUnreadable

    return isinstance(error, JudgeUnreadable)


# ---- fixtures


def ask(request: pytest.FixtureRequest) -> Ask:
    state = FunctionState.of(request.config)
    return Ask(state.trial, state.model)


class CurrentDraw:
    """The draw of the trial that is running."""

    def __init__(self, state: FunctionState) -> None:
        self._state = state

    def __getattr__(self, name: str) -> Any:
        return getattr(Draw(self._state.trial(), self._state.run.workspace), name)


class CurrentCase:
    """The case of the trial that is running: its fields are attributes and items."""

    def __init__(self, state: FunctionState) -> None:
        self._state = state

    def _item(self) -> CaseItem:
        trial = self._state.trial()
        if self._state.case is None:
            raise TestMistake(
                UserError(
                    "no-case",
                    f"{trial.function} uses the fixture case, and its marker names no file: write cases='FILE.jsonl'.",
                )
            )
        return self._state.case

    def __getattr__(self, name: str) -> Any:
        item = self._item()
        return item[name] if name in item else getattr(item, name)  # a field may be named as a method of dicts is

    def __contains__(self, name: object) -> bool:
        return name in self._item()

    def __iter__(self) -> Iterator[str]:
        return iter(self._item())

    def __getitem__(self, name: str) -> Any:
        return self._item()[name]


def templates(request: pytest.FixtureRequest) -> Callable[[str], str]:
    """Return a function from the name of a template to its text."""
    item = request.node

    def template(name: str) -> str:
        case: Case = item.stash[CASE]
        try:
            return case.wording.words[name]
        except KeyError:
            known = ", ".join(case.wording.words) or "none"
            raise TestMistake(
                UserError(
                    "no-such-template",
                    f"{case.scenario.family} uses the template {name!r}, and the prompt set "
                    f"{case.wording.prompt_set!r} has {known} for it: write fixtures/prompts/"
                    f"{case.wording.prompt_set}/{case.scenario.family}/{name}.txt.",
                )
            ) from None

    return template


def judge(request: pytest.FixtureRequest) -> Callable[..., Answer]:
    return ask(request).judged
