"""Starts the runs of the integration tests, each forked from a process that has imported what every run imports.

A run is a process of its own, as `python -m MODULE ARGUMENTS` is, but it saves two seconds of imports and the tenth of
a second in which an interpreter shuts down. (tests/test_imports.py imports longctx in a fresh process.) This program
reads each run as a line of JSON on stdin, and writes its pid and then its exit code.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import importlib.metadata
import inspect
import io
import json
import os
import pkgutil
import runpy
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import _pytest.config
import anthropic  # noqa: F401
import execnet.gateway  # noqa: F401
import filelock  # noqa: F401
import httpx2  # noqa: F401
import jinja2  # noqa: F401
import numpy.ma  # noqa: F401
import packaging.version  # noqa: F401
import pluggy._manager
import pydantic
import pytest
import rich.live  # noqa: F401
import vcr.cassette  # noqa: F401
import xdist.dsession
import xdist.plugin
from _pytest import fixtures
from _pytest.assertion.rewrite import AssertionRewritingHook
from numpy.random import RandomState
from workers import fork_workers

import longctx.cli
from longctx import registry
from longctx.config import models
from longctx.config.profiles import profile_type
from longctx.corpus import documents, question_bank
from longctx.corpus.documents import bank_files, reference_tokens
from longctx.protocols.line_retrieval import File, line_retrieval
from longctx.report.page import page
from longctx.results import manifest
from longctx.results.row import _type
from longctx.stats.group_sequential import planned
from longctx.vocabulary.bank import SHIPPED
from longctx.vocabulary.protocol import cells_of
from tests import certificates
from tests.here import HERE
from tests.servers import SimulatedServer

ROOT = Path(__file__).resolve().parents[2]
UNWANTED = "-pno:cacheprovider"
FUNCTION = """
import pytest


@pytest.mark.longctx(trials=2)
def test_code(ask, draw):
    code = draw.integer(10_000, 99_999)
    assert ask(f"The pass key is {code}. What is it?").integer() == code
"""
PROFILE = """
models = ["toy"]

[line_retrieval]
models = ["toy"]
lines = [3]
orders = ["ordered"]
trials = 2
"""


def main() -> None:
    certificates.read_once(pytest.MonkeyPatch())
    for module in pkgutil.walk_packages(longctx.__path__, "longctx."):
        if module.name != "longctx.__main__":
            importlib.import_module(module.name)
    _read_once()
    _computed_once()
    _drawn_once()
    gc.freeze()  # pytest collects garbage after each run, and would look through all that is imported
    _first_runs()
    _searched_once()
    _configured_once()
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000)
    for line in sys.stdin:
        run = json.loads(line)
        pid = os.fork()
        if pid == 0:
            try:
                _become(run)
            except SystemExit as ended:
                _leave(ended.code)
            return
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        sys.stdout.write(f"{os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])}\n")
        sys.stdout.flush()


def _first_runs() -> None:
    """A second run in a process takes half the time of the first, which imports, compiles and computes what both use.

    So the first runs are made here, in a project of their own, and without a page: its charts are drawn by threads,
    which a fork leaves behind. pytest looks for fixtures that are hidden by decorators in all its plugins, which takes
    a tenth of a short run.
    """
    fixtures.FixtureManager._check_for_wrapped_fixture = lambda *_: None  # type: ignore[method-assign]
    home, path, modules, env = Path.cwd(), [*sys.path], {*sys.modules}, {**os.environ}
    with tempfile.TemporaryDirectory() as folder, SimulatedServer() as server:
        os.chdir(folder)
        os.environ["LONGCTX_PAGE"] = "0"
        _write_project(Path(folder))
        live = "--ctx-record=once", f"--ctx-base-url={server.url}"
        with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.redirect_stderr(said):
            for arguments in (live, (), ("--ctx-estimate",), ("--ctx-baseline=first", "-v")):
                code = pytest.main([UNWANTED, "--ctx-profile=first.toml", *arguments])
                assert code in (0, 11), said.getvalue()
                longctx.cli.main(["baseline", "save", "first"])
                for name in {*sys.modules} - modules:
                    if str(getattr(sys.modules[name], "__file__", "")).startswith(folder):
                        del sys.modules[name]
        os.chdir(home)
    sys.path[:] = path
    os.environ.clear()
    os.environ.update(env)


def _write_project(folder: Path) -> None:
    (folder / "tests_longctx").mkdir()
    for name in ("conftest.py", "pytest.ini", "tests_longctx/test_line_retrieval.py"):
        shutil.copy2(ROOT / name, folder / name)
    (folder / "tests_longctx/test_code.py").write_text(FUNCTION)
    (folder / "first.toml").write_text(PROFILE)


def _read_once() -> None:
    """Each run would read the metadata of all packages again, and for its first traceback the path of each module.

    A run of a model without a profile would read all profiles, to suggest one, and a run that draws texts the shipped
    register and the vocabulary that counts its tokens.
    """
    packages = list(importlib.metadata.distributions())
    for package in packages:
        package.read_text = functools.cache(package.read_text)  # type: ignore[method-assign]
    entry_points = functools.cached_property(importlib.metadata.Distribution.entry_points.fget)  # type: ignore[attr-defined]
    entry_points.__set_name__(importlib.metadata.Distribution, "entry_points")
    importlib.metadata.Distribution.entry_points = entry_points  # type: ignore[assignment]
    discover = importlib.metadata.distributions
    importlib.metadata.distributions = lambda **given: discover(**given) if given else packages
    for package in packages:
        package.entry_points  # noqa: B018
    inspect.getmodule(main.__code__)
    read = models.model_in
    shipped_models = {path: read(path) for path in HERE.list("models", "*.toml")}
    models.model_in = lambda path: shipped_models[path] if path in shipped_models else read(path)
    load, register = documents.load_corpus, bank_files(HERE, SHIPPED)[0]
    corpus = load(register)
    documents.load_corpus = question_bank.load_corpus = lambda folder: corpus if folder == register else load(folder)
    reference_tokens("")


def _searched_once() -> None:
    """Each run would search each plugin for hooks and fixtures again, and all packages for protocols.

    For each plugin it would look through all modules, to warn of those that were imported before they were rewritten.
    """
    importlib.metadata.entry_points = functools.cache(importlib.metadata.entry_points)
    for group in (registry.GROUP,):
        importlib.metadata.entry_points(group=group)
    plugins = [module for name, module in sys.modules.items() if name.startswith(("_pytest.", "xdist.", "longctx."))]
    hooks = {id(module): [name for name in dir(module) if name.startswith("pytest_")] for module in plugins}
    made = {
        id(module): [
            name for name, kept in vars(module).items() if isinstance(kept, fixtures.FixtureFunctionDefinition)
        ]
        for module in plugins
    }
    pluggy._manager.dir = lambda plugin: hooks[id(plugin)] if id(plugin) in hooks else dir(plugin)  # type: ignore[attr-defined]
    AssertionRewritingHook.mark_rewrite = _mark_rewrite  # type: ignore[method-assign]
    fixtures.dir = lambda holder: made[id(holder)] if id(holder) in made else dir(holder)  # type: ignore[attr-defined]


def _mark_rewrite(hook: AssertionRewritingHook, *names: str) -> None:
    hook._must_rewrite.update(names)
    hook._marked_for_rewrite_cache.clear()


def _computed_once() -> None:
    """Each run would build the schema of each model, the boundaries of each plan and the page's templates again."""
    profile_type(registry.shipped())
    _type()
    manifest._type()
    for model in _subclasses(pydantic.BaseModel):
        model.model_rebuild()
    for plan in ("few", "early"):
        planned(plan, 1000, 1000, 0.1, 0.05).level(0.05, 1)
    for units in (40, 60, 80, 100):
        planned("equal", units, units, 0.1, 0.05).level(0.05, 1)
    templates = functools.cache(page._environment)
    page._environment = templates
    for name in templates().list_templates(extensions=["html"]):
        templates().get_template(name)


def _drawn_once() -> None:
    """Each run would draw 50,000 numbers for each file of line retrieval, several times: a fifth of its work."""
    draw, kept = File.drawn, {}

    def drawn(cls: type[File], stream: RandomState, lines: int, block_size: int | None) -> File:
        key = stream.get_state()[1].tobytes(), lines, block_size
        if key not in kept:
            kept[key] = draw(stream, lines, block_size), stream.get_state()
        file, after = kept[key]
        stream.set_state(after)
        return file

    File.drawn = classmethod(drawn)  # type: ignore[method-assign,assignment]
    for lines in (3, 5):
        cell = cells_of(line_retrieval)(lines)
        for index in range(40):
            File.drawn(cell.stream(0, index), lines, None)


def _configured_once() -> None:
    """Each session would register pytest's own plugins and xdist again: a run's first and a nested one find it done."""
    configure = _pytest.config.get_config
    made = {prog: configure([UNWANTED], prog=prog) for prog in ("python -m pytest", "pytest.main()", None)}
    for config in made.values():
        config.pluginmanager.import_plugin("xdist.plugin")

    def get_config(
        args: Iterable[str] = (), plugins: Sequence[Any] | None = None, *, prog: str | None = None
    ) -> pytest.Config:
        given = pytest.Config.InvocationParams(args=args, plugins=plugins, dir=Path.cwd())
        chosen = {argument for argument in given.args if argument.startswith("-p")}
        if prog not in made or chosen != {UNWANTED} or os.environ.get("PYTEST_PLUGINS") != "xdist.plugin":
            return configure(args, plugins, prog=prog)
        config = made.pop(prog)
        config.invocation_params = given
        return config

    _pytest.config.get_config = get_config


def _subclasses(kind: type) -> Iterator[Any]:
    for found in kind.__subclasses__():
        if found.__module__.startswith("longctx."):
            yield found
        yield from _subclasses(found)


def _become(run: dict[str, object]) -> None:
    """Run the module as `python -m` does, in the run's folder, with its environment and its output files."""
    folder = str(run["cwd"])
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(dict(run["env"]))  # type: ignore[call-overload]
    tempfile.tempdir = None
    for number, name in enumerate((os.devnull, str(run["stdout"]), str(run["stderr"]))):
        os.dup2(os.open(name, os.O_RDWR | os.O_CREAT | os.O_TRUNC), number)
    module, *arguments = run["command"]  # type: ignore[misc]
    sys.path[:1] = [folder, *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]
    xdist.plugin._sys_path[:] = sys.path  # what xdist hands to workers: the path as it was when its process began
    sys.argv[1:] = arguments
    if any(argument.startswith("-n") and argument != "-n0" for argument in arguments):
        fork_workers()
    runpy.run_module(module, run_name="__main__", alter_sys=True)


def _leave(code: str | int | None) -> None:
    """End the process as sys.exit does, but leave its memory to the system."""
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(1 if isinstance(code, str) else code or 0)


main()
