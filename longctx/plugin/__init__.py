"""The hooks of the pytest plugin; the modules of this package implement what they do.

The plugin imports nothing heavy, and reads and writes nothing, before a test marked `longctx` is collected or a --ctx
option is given: an installed longctx leaves other projects alone.
"""

from __future__ import annotations

from collections.abc import Callable, Generator
from typing import TYPE_CHECKING, Any

import pytest

from longctx.errors import UserError
from longctx.plugin import (
    declared_options,
    gating,
    guarding,
    hookspec,
    measuring,
    mistakes,
    notices,
    options,
    parameter_ids,
    report_folder,
    run,
    same_names,
    selection,
    unused_recordings,
    workers,
)
from longctx.plugin.mistakes import Mistake, as_usage_errors
from longctx.plugin.nested import is_nested
from longctx.plugin.session import run_of, session_of, state_of

if TYPE_CHECKING:
    from longctx.functions.ask import Ask
    from longctx.functions.case import Case
    from longctx.functions.draw import Draw
    from longctx.functions.fixtures import Check, Ctx
    from longctx.vocabulary.answer import Answer

SUBTESTS = "_pytest.subtests", "pytest_subtests.plugin"
"""The modules that have the fixture `subtests`, of pytest and of the plugin before it."""


def pytest_addoption(parser: pytest.Parser, pluginmanager: pytest.PytestPluginManager) -> None:
    declared_options.add(parser)
    config = pluginmanager.get_plugin("pytestconfig")
    if config:
        session_of(config)  # keeps the environment as it is now
    declared_options.suggest(parser, map(str, config.invocation_params.args) if config else ())


def pytest_addhooks(pluginmanager: pytest.PytestPluginManager) -> None:
    pluginmanager.add_hookspecs(hookspec)


@as_usage_errors()
def pytest_configure(config: pytest.Config) -> None:
    config.pluginmanager.register(guarding)
    config.pluginmanager.register(parameter_ids)
    if config.getini(declared_options.ENDPOINT):
        from longctx.plugin import local_endpoint

        config.pluginmanager.register(local_endpoint)
    for line in declared_options.MARKERS:
        config.addinivalue_line("markers", line)
    if config.option.ctx_project_tests:
        from longctx.plugin import root

        root.collect_project_by_default(config)
    started = run.start(config)
    if not workers.is_worker(config):
        if options.any_given(config) and not is_nested(config):
            from longctx.plugin import collecting, root

            root.check_root(config)
            notices.check_once(config)
            notices.check_batching(started.settings)
            gating.check(started)
            collecting.check(started)
            if not config.option.collectonly:
                collecting.check_recorded(started, options.read(config).models)
        config.pluginmanager.register(measuring.RowWriter(config))
        config.pluginmanager.register(measuring.Minimum(config))
        config.pluginmanager.register(measuring.ReplayProgress(config))


def pytest_report_header(config: pytest.Config) -> str | None:
    return notices.header(config) if options.any_given(config) else None


@pytest.hookimpl(wrapper=True)
def pytest_cmdline_main(config: pytest.Config) -> Generator[None, object, object]:
    try:
        status = yield
    except pytest.UsageError as error:
        status = mistakes.status_of(config, error)
    if status == pytest.ExitCode.OK and not is_nested(config) and gating.lacks_verdict(config):
        return gating.end_without_verdict()
    return gating.keep_status(config, status) if isinstance(status, int) else status


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    workers.send_run_to_worker(node, measuring.terminal_of_progress(node.config) is not None)


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    workers.receive_from_worker(node)


@as_usage_errors()
def pytest_sessionstart(session: pytest.Session) -> None:
    if is_nested(session.config):
        return
    report_folder.lock_report_folder(session.config)
    started = run_of(session.config)
    if options.any_given(session.config) and not workers.is_worker(session.config):
        notices.print_ignored(session.config)
    if options.asks_before_tests(started.settings):
        from longctx.plugin.asking import ask_first

        ask_first(session.config)
    else:
        gating.leave_out_what_live_left_out(session.config)


@pytest.hookimpl(tryfirst=True)
def pytest_pycollect_makeitem(name: str, obj: object) -> None:
    selection.mark_protocol(obj)


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(
    collector: pytest.Collector,
) -> Generator[None, pytest.CollectReport, pytest.CollectReport]:
    report = yield
    if report.failed:
        from longctx.plugin import absent

        absent.leave_out(collector, report)
    if report.failed and options.any_given(collector.config):
        from longctx.plugin.redacting import clean_report

        clean_report(report)
    return report


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    marked = metafunc.definition.get_closest_marker(selection.MARKER) is not None
    mistake = same_names.choose_fixtures(metafunc, marked)
    if marked:
        from longctx.plugin import collecting

        collecting.parametrize(metafunc, mistake)


def pytest_itemcollected(item: pytest.Item) -> None:
    if item.get_closest_marker(selection.MARKER) is not None:
        from longctx.plugin.redacting import clean_id

        clean_id(item)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(session: pytest.Session, config: pytest.Config, items: list[pytest.Item]) -> None:
    selection.deselect_left_out(items, config)
    workers.send_left_out(config)
    unplanned = session_of(config).unplanned
    if unplanned or any(selection.is_cell(item) or selection.is_unittest(item) for item in items):
        from longctx.plugin import collecting

        try:
            if unplanned:
                raise unplanned
            collecting.check_sound(items)
            collecting.check_functions(items, config)
            collecting.check_tables(config)
        except UserError as error:
            if not workers.is_worker(config):
                raise pytest.UsageError(str(error)) from None
            items[:] = [Mistake.of(session, error)]
            return
        items[:] = collecting.without_other_shards(items, config)
        collecting.remember_cells(items, config)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    measuring.forget_results(item)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_call(item: pytest.Item) -> None:
    if mistake := state_of(item).mistake:
        pytest.fail(str(mistake), pytrace=False)


@pytest.hookimpl(wrapper=True)
def pytest_fixture_setup(
    fixturedef: pytest.FixtureDef[Any], request: pytest.FixtureRequest
) -> Generator[None, object, object]:
    key = fixturedef.cache_key(request)  # type: ignore[arg-type]  # it is one of a fixture
    try:
        result = yield
    except BaseException as error:  # a trial is suspended: pytest tears down only what has a result
        fixturedef.cached_result = None, key, (error, error.__traceback__)
        raise
    if fixturedef.func.__module__ in SUBTESTS and selection.is_function(request.node):
        from longctx.plugin import running

        result = running.subtests(request)
        fixturedef.cached_result = result, key, None
    return result


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> object | None:
    if cell := selection.cell_of(pyfuncitem):
        from longctx.plugin.running import measure_cell

        measure_cell(pyfuncitem, cell)
        return True
    if state_of(pyfuncitem).function_cell is None:
        return None
    from longctx.plugin import running

    running.call(pyfuncitem)
    return True


@pytest.fixture
def ctx(request: pytest.FixtureRequest) -> Ctx:
    """What a test marked `longctx` uses, once per trial: ask, draw, case, check, judge and prompt; -v explains each.

    `ctx.ask(text)` sends a request to the model under test; in a replay, the recordings answer.
    `ctx.draw` draws what a trial is about, the same for every model, prompt and length.
    `ctx.case` is the case of the trial, a line of the file that the marker names.
    `ctx.check("cites", condition)` scores one aspect without stopping.
    `ctx.judge(prompt)` asks the model that the profile names as `judge`.
    `ctx.prompt("system")` is a template of the prompt set.

    Example: `assert ctx.ask("How much is 6 x 7?").integer() == 42`.
    """
    from longctx.plugin.running import ctx_of

    return ctx_of(request)


@pytest.fixture
def ask(ctx: Ctx) -> Ask:
    """Send a request to the model under test: `ctx.ask`."""
    return ctx.ask


@pytest.fixture
def draw(ctx: Ctx) -> Draw:
    """Draw what a trial is about: `ctx.draw`."""
    return ctx.draw


@pytest.fixture
def case(ctx: Ctx) -> Case:
    """Return the case of the trial: `ctx.case`."""
    return ctx.case


@pytest.fixture
def check(ctx: Ctx) -> Check:
    """Score one aspect of the trial: `ctx.check`."""
    return ctx.check


@pytest.fixture
def judge(ctx: Ctx) -> Callable[..., Answer]:
    """Ask the judge of the profile: `ctx.judge`."""
    return ctx.judge


@pytest.fixture
def prompt(ctx: Ctx) -> Callable[[str], str]:
    """Return a template of the prompt set: `ctx.prompt`."""
    return ctx.prompt


@pytest.hookimpl(wrapper=True)
def pytest_runtestloop(session: pytest.Session) -> Generator[None, object, object]:
    try:
        return (yield)
    finally:
        if is_nested(session.config):
            pass
        elif measuring.is_to_be_closed(session):
            from longctx.plugin import ending

            ending.close_run(session.config)
            gating.report_failed_bands(session)
        elif not session_of(session.config).unwritten:
            gating.judge_without_cells(session.config)
        unused_recordings.note_unused(session)


@pytest.hookimpl(wrapper=True, tryfirst=True)  # so that what other plugins make of a report is known
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    measuring.attach_trials(report, item)
    measuring.attach_rows(report, item)
    if item.get_closest_marker(selection.MARKER) is not None:
        from longctx.plugin.redacting import clean_report

        clean_report(report)
    return report


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> Generator[None]:
    status = gating.exit_status(session.config, exitstatus)
    session.exitstatus = session_of(session.config).decided = unused_recordings.status_with_unused(
        session.config, status
    )
    yield
    session.exitstatus = gating.keep_status(session.config, session.exitstatus)
    if not is_nested(session.config):
        gating.print_verdict_last(session)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    session = session_of(config)
    shown = config.get_verbosity() > -2  # under -qq, the verdict and the report's path
    measured = session.finished is not None
    gating.count_failed_bands(terminalreporter, config)
    if measured:
        from longctx.plugin import terminal_summary

        if shown:
            terminal_summary.print_changes(terminalreporter, config)
        if shown and not options.any_given(config):
            notices.print_ignored(config)
        terminal_summary.print_run(terminalreporter, config)
    if shown:
        for sentence in (*notices.why_left_out(config, measured), *notices.why_skipped(terminalreporter)):
            terminalreporter.write_line(sentence)
    if shown and measured:
        terminal_summary.print_verdict(terminalreporter, config)
    elif session.verdict and not measured:
        terminalreporter.write_line(gating.NOTHING, red=True)
    if session.unused:
        terminalreporter.write_line(session.unused, red=True)
    if session.unwritten:
        terminalreporter.write_line(report_folder.why_no_report(config), red=True)
    if measured:
        from longctx.plugin import github

        github.show(terminalreporter, config)
