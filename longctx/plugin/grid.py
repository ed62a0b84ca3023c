"""The cells of protocols, as pytest collects them: from the profile. collecting.py has those of test functions."""

from __future__ import annotations

import inspect
from collections.abc import Sequence

import pytest

from longctx.config.files import file_name
from longctx.engine.run import Run
from longctx.errors import UserError, did_you_mean
from longctx.plugin.options import asks_before_tests
from longctx.plugin.selection import CELL, MARKER, SUBJECT, LeftOut
from longctx.plugin.session import run_of, session_of
from longctx.registry import check_known
from longctx.vocabulary.declaration import Protocol
from longctx.vocabulary.protocol import declared_of


def parametrize(metafunc: pytest.Metafunc, mistake: UserError | None = None) -> None:
    """Parametrize a marked test with its cells.

    A mistake in the profile ends the run before the first test; one in the test, such as `mistake`, fails that test.
    """
    if mistake:
        _fail(metafunc, mistake)
        return
    marker = metafunc.definition.get_closest_marker(MARKER)
    assert marker is not None
    run, protocol = run_of(metafunc.config), declared_of(metafunc.function)
    try:
        _ = run.plan.tests, run.plan.own if protocol is None else run.plan.profile
    except UserError as error:
        session_of(metafunc.config).unplanned = error
        return
    try:
        if home := run.workspace.nearest_cassettes(metafunc.definition.path.parent):
            run.homes[protocol.name if protocol else metafunc.function.__name__] = home
        if protocol is None:
            _of_function(metafunc, marker)
    except UserError as error:
        _fail(metafunc, error)
        return
    if protocol is not None:
        _of_protocol(metafunc, run, protocol)


def _of_function(metafunc: pytest.Metafunc, marker: pytest.Mark) -> None:
    """Parametrize a test function with its cells. Raises UserError."""
    from longctx.plugin.collecting import parametrize_function

    parametrize_function(metafunc, marker)


def _of_protocol(metafunc: pytest.Metafunc, run: Run, protocol: Protocol) -> None:
    """Parametrize a protocol with its cells. Its function is not called by pytest, so it is given no fixtures."""
    try:
        check_known(run.workspace, protocol, metafunc.function.__module__)
        cases = run.plan.cases_of(protocol.name)
    except UserError as error:
        raise pytest.Collector.CollectError(str(error)) from None
    own = list(inspect.signature(metafunc.function).parameters)
    metafunc.fixturenames[:] = [*(name for name in metafunc.fixturenames if name not in own), *own, CELL]
    values = [(*([None] * len(own)), case) for case in cases]
    if cases:
        metafunc.parametrize([*own, CELL], values, ids=[case.id for case in cases])
        return
    cell: LeftOut | None = LeftOut(f"the profile {run.plan.profile_name!r} has no [{protocol.name}] table")
    marks: list[pytest.MarkDecorator] = []
    if run.plan.all_cases_of(protocol.name):
        reason = f"no cell of [{protocol.name}] falls to shard {run.settings.shard}"
        cell, marks = None, [pytest.mark.skip(reason=reason)]
    metafunc.parametrize([*own, CELL], [pytest.param(*([None] * len(own)), cell, id="none", marks=marks)])


def _fail(metafunc: pytest.Metafunc, error: UserError) -> None:
    """Let the test fail with a mistake, without its cells."""
    if SUBJECT not in metafunc.fixturenames:
        metafunc.fixturenames.append(SUBJECT)
    metafunc.parametrize(SUBJECT, [pytest.param(error, id="mistake")])


def check(run: Run) -> None:
    """Raise UserError for a mistake in profile, prompts, models or documents, before anything is collected."""
    _ = run.plan.models, run.plan.models_named_for_functions
    if run.settings.corpus or run.settings.questions:
        run.plan.bank(model="")


def check_recorded(run: Run, models: Sequence[str]) -> None:
    """Raise UserError if a replay names a model of which nothing is recorded, where other models are.

    A gate gives its verdict on that. models: those that the person named.
    """
    settings = run.settings
    if asks_before_tests(settings) or settings.baseline is not None:
        return
    folders = run.workspace.cassettes.glob("*/*/*.jsonl")
    recorded = sorted({path.parent.parent.name for path in folders}) if models else []
    for model in models:
        if recorded and file_name(run.plan.model(model).model) not in recorded:
            raise UserError(
                "model-not-recorded",
                f"No answer of {model} is recorded in {run.workspace.cassettes}. {did_you_mean(model, recorded)} To "
                "record its answers, add --ctx-record once; to see the cost first, --ctx-estimate.",
            )
