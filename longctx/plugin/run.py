"""The run of this pytest process: in the process that started it, and in xdist's workers."""

from __future__ import annotations

import dataclasses
import json
import tempfile
from collections.abc import Generator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from longctx import logs
from longctx.engine.run import Run
from longctx.errors import UserError
from longctx.extras import require
from longctx.plugin import hooks, options
from longctx.plugin.rewriting_hooks import RewritingByHooks
from longctx.plugin.session import session_of

if TYPE_CHECKING:
    from longctx.engine.settings import Settings

OF_FILES = ("profile", "prompts", "shapes", "strategies", "corpus", "questions", "base_url", "server", "trials", "seed")
"""The settings that `addopts` may give to a run that a command starts."""


class RunOfCommand:
    """A plugin of a pytest that a command starts, and of those within it: it has the run, instead of the options."""

    def __init__(self, run: Run) -> None:
        self.run = run
        self.mistake: UserError | None = None
        """Why pytest refused the tests or the project, if it did."""

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_cmdline_main(self, config: pytest.Config) -> Generator[None, object, object]:
        if getattr(config.option, "numprocesses", None):
            config.option.numprocesses = 0  # workers do not have the run
        try:
            return (yield)
        except pytest.UsageError as error:
            cause = error.__context__
            self.mistake = cause if isinstance(cause, UserError) else UserError("tests-not-run", str(error))
            return pytest.ExitCode.USAGE_ERROR

    def with_settings_of_project(self, config: pytest.Config) -> Run:
        """Return the run with what the project's files say, where the command says nothing. Raises UserError."""
        options.fill_defaults(config)
        run, said = self.run, options.read(config)
        if config.rootpath != run.workspace.root:
            raise UserError(
                "tests-elsewhere",
                f"The tests are in the project {config.rootpath}, and the command runs in {run.workspace.root}: run it "
                "in the project of the tests.",
            )
        options.check_paths(config)
        others = {name: getattr(said, name) for name in OF_FILES if getattr(run.settings, name) in (None, ())}
        settings = hooks.with_project(config, dataclasses.replace(run.settings, **others))
        if settings != run.settings:
            run.settings = settings
            run.forget_plan()
        return run


def start(config: pytest.Config) -> Run:
    """Make the Run of this process and keep it in the session; its folder is not created yet."""
    if given := next((each for each in config.pluginmanager.get_plugins() if isinstance(each, RunOfCommand)), None):
        session_of(config).run = given.with_settings_of_project(config)
        given.run.rewriting = RewritingByHooks(config)
        return given.run
    worker_input = getattr(config, "workerinput", None)
    options.any_given(config)
    if worker_input:
        options.copy_from_controller(config, worker_input["ctx_options"])
    else:
        options.fill_defaults(config)
        options.prefer_base_of_environment(config)
        options.take_terms_of_base(config)
    settings = hooks.with_project(config, options.read(config))
    if worker_input:
        private = Path(worker_input["ctx_private"]) if worker_input["ctx_private"] else None
        name = worker_input["ctx_name"]
        folder = config.rootpath / "reports" / name  # a worker writes nothing
        run = Run.with_settings(settings, config.rootpath, name=name, folder=folder, private=private)
        run.unasked = json.loads(worker_input["ctx_unasked"])
    else:
        options.check_paths(config)
        if settings.parquet:
            require("longctx_parquet", "pyarrow")
        run = Run.with_settings(settings, config.rootpath, private=_private_folder(config, settings))
        run.say = printer_at_once(config)
    run.rewriting = RewritingByHooks(config)
    logs.start()
    said = (run.name, settings.record, settings.baseline, " ".join(settings.repeating_options()))
    logs.LOG.debug("run %s, record mode %s, baseline %s, options: %s", *said)
    session_of(config).run = run
    session_of(config).draws_progress = bool(worker_input and worker_input["ctx_progress"])
    return run


def printer_at_once(config: pytest.Config) -> Any:
    """Return a function that prints a sentence at once, also if a program reads the output."""

    def say(sentence: str) -> None:
        writer = config.get_terminal_writer()
        writer.line(sentence)
        writer.flush()

    return say


def _private_folder(config: pytest.Config, settings: Settings) -> Path | None:
    if not settings.no_text or settings.record == "none":
        return None
    folder = tempfile.TemporaryDirectory(prefix="longctx-")
    config.add_cleanup(folder.cleanup)
    return Path(folder.name)
