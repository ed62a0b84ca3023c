"""The base branch's test code judges the answers of a gated run, in another process (plugin/base_process.py)."""

from __future__ import annotations

import argparse
import dataclasses
import json
import os
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import longctx
from longctx import pytest_file
from longctx.engine.base_checkout import make_checkout
from longctx.engine.base_terms import addopts_at, pytest_settings_at
from longctx.engine.judging_code import JudgingCode
from longctx.errors import UserError
from longctx.gate.judged_by_base import JudgedByBase, OtherRequests
from longctx.links import TRUSTED_FOLDERS
from longctx.plugin import options
from longctx.plugin.base_process import BaseTask, fields_of, rows_of, settings_to_json
from longctx.plugin.session import run_of, session_of
from longctx.recording.base import Base
from longctx.recording.by_position import name_of_test_in

if TYPE_CHECKING:
    import pytest

    from longctx.engine.settings import Settings

CODE = (
    "import sys; sys.path.append(sys.argv[1]); from longctx.plugin.base_process import main; main(*sys.argv[2:]); "
    "sys.exit(0)"
)
"""What the process runs. It finds longctx where this one has found it, after what is installed."""
NOT_PASSED_ON = ("PYTEST_ADDOPTS", "PYTEST_CURRENT_TEST", "PYTEST_XDIST", "LONGCTX_BASE", "LONGCTX_TRUST")
"""The beginnings of the names of environment variables that concern this run alone."""


def judge_by_base(config: pytest.Config) -> None:
    """Have the base's test code judge the answers of a gated run if the run's test code differs. Raises UserError."""
    run = run_of(config)
    settings, workspace = run.settings, run.workspace
    assert settings.base is not None
    base = Base(settings.base, workspace.root, workspace.cassettes)
    run.judging_code = code = JudgingCode.of(base, _files_of_modules(config))
    used = session_of(config).used
    judges_otherwise = used and (code.differ or code.data or _has_other_settings(config))
    if not (judges_otherwise or code.has_other_settings):
        return
    tests = sorted(set(map(name_of_test_in, used)))
    files: Mapping[str, str] | None = None
    try:
        files = code.files_of(base, tests)
        found = _found(config, base, code)
    except (OSError, UserError) as error:
        found = _nothing(f"its files cannot be copied: {error}")
    run.judged_by_base = judged = _judged(settings, found, tests, files)
    if judged.margin[0] != judged.margin[1]:
        run.settings = dataclasses.replace(settings, margin=judged.margin[1])
        run.forget_plan()


def _has_other_settings(config: pytest.Config) -> bool:
    """Return whether the file that configures pytest has other settings for it on the base branch. Raises UserError."""
    run, file = run_of(config), config.inipath
    if file is None or run.settings.base is None:
        return False
    return pytest_settings_at(run.workspace, file, run.settings.base) != (pytest_file.table(file) or {})


def _found(config: pytest.Config, base: Base, code: JudgingCode) -> Mapping[str, Any]:
    """Run the base's test code in a copy of the project, and return what the process has found out."""
    run = run_of(config)
    root = run.workspace.root
    with tempfile.TemporaryDirectory(prefix="longctx-") as made:
        folder = Path(made).resolve()
        copy = folder / "project"
        copy.mkdir()
        make_checkout(base, code, root, copy)
        task = BaseTask(
            root=str(root),
            copy=str(copy),
            run=run.name,
            private=str(run.private or ""),
            arguments=list(_arguments(config, copy)),
            paths=list(_paths(root, copy)),
            settings=settings_to_json(options.read(config)),
            used=session_of(config).used,
        )
        return _answer(task, folder, config.invocation_params.dir)


def _nothing(why: str) -> Mapping[str, Any]:
    """Return what a process finds out that cannot judge."""
    return {"rows": [], "collected": [], "broken": {}, "uncollected": {"": why}, "requests": {}}


def _judged(
    settings: Settings, found: Mapping[str, Any], tests: Sequence[str], files: Mapping[str, str] | None
) -> JudgedByBase:
    """Return what the process has found out. files: those that define tests on the base branch; None if not known."""
    rows = rows_of(found)
    collected, broken = set(found["collected"]), dict(found["broken"])
    uncollected: Mapping[str, str] = found["uncollected"]
    for test in tests:
        if test not in collected and (files is None or test in files):
            why = uncollected.get((files or {}).get(test, ""), uncollected.get(""))
            broken |= {test: why} if why else {}
    assert settings.base is not None
    return JudgedByBase(
        base=settings.base,
        rows=rows,
        tests=frozenset(row.test for row in rows) & frozenset(tests) - broken.keys(),
        new=[test for test in tests if test not in broken and not any(row.test == test for row in rows)],
        broken=broken,
        requests={test: OtherRequests(**of_test) for test, of_test in found["requests"].items()},
        files=files or {},
        margin=(settings.margin, found.get("margin")),
    )


def _answer(task: BaseTask, files: Path, here: Path) -> Mapping[str, Any]:
    """Run the process, and return its answer. here: the folder in which pytest was called."""
    asked, answered = files / "task.json", files / "answer.json"
    asked.write_text(json.dumps(fields_of(task)), "utf-8")
    env = {name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)}
    trusted = filter(None, [os.environ.get(TRUSTED_FOLDERS), task.root])
    home = str(Path(longctx.__file__).parents[1])
    cwd = _in_copy(here, Path(task.root), Path(task.copy)) or task.copy
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-I", "-c", CODE, home, str(asked), str(answered)],
        cwd=cwd,
        env={**env, TRUSTED_FOLDERS: os.pathsep.join(trusted)},
        capture_output=True,
        check=False,
    )
    try:
        found: Mapping[str, Any] = json.loads(answered.read_text("utf-8"))
    except (OSError, ValueError):
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = lines[-1] if lines else f"its process ended with status {done.returncode}"
        return _nothing(why)
    return found


def _arguments(config: pytest.Config, copy: Path) -> Iterator[str]:
    """Yield pytest's arguments: those of the person and of the base's files that decide how tests are found."""
    run = run_of(config)
    root = run.workspace.root
    yield from (f"--rootdir={copy}", "-oaddopts=", "-pno:cacheprovider", "--capture=no", "-plongctx.plugin")
    yield "--continue-on-collection-errors"
    stated = []
    if config.inipath and (name := _in_copy(config.inipath, root, copy)) and Path(name).is_file():
        yield f"-c{name}"
        addopts = addopts_at(run.workspace, config.inipath, run.settings.base or "")
        stated = shlex.split(addopts) if isinstance(addopts, str) else addopts
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("-p", action="append", default=[])
    parser.add_argument("--import-mode")
    typed = [*shlex.split(os.environ.get("PYTEST_ADDOPTS", "")), *map(str, config.invocation_params.args)]
    given, _ = parser.parse_known_args([*stated, *typed])
    yield from (f"-p{plugin}" for plugin in given.p)
    yield from ([f"--import-mode={given.import_mode}"] if given.import_mode else [])
    given_paths = (config.invocation_params.dir / argument.partition("::")[0] for argument in config.args)
    paths = [_in_copy(path, root, copy) for path in given_paths]
    yield from paths if all(path and Path(path).exists() for path in paths) else ()  # a test may have moved


def _paths(root: Path, copy: Path) -> Iterator[str]:
    """Yield where the person has Python look for modules: PYTHONPATH, and the current folder for `python -m pytest`."""
    stated = filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    here = [str(Path.cwd())] if "-m" in sys.orig_argv[1:3] else []
    for path in (*here, *stated):
        yield _in_copy(Path(path).absolute(), root, copy) or path


def _in_copy(path: Path, root: Path, copy: Path) -> str:
    """Return the path in the copy; empty for one outside the project."""
    return str(copy / path.relative_to(root)) if path.is_relative_to(root) else ""


def _files_of_modules(config: pytest.Config) -> Iterator[Path]:
    """Yield the files of the modules that pytest has loaded as plugins, and of those with the project's protocols."""
    protocols = (sys.modules.get(name) for name in run_of(config).workspace.setting("longctx_protocols"))
    for module in (*config.pluginmanager.get_plugins(), *protocols):
        if isinstance(file := getattr(module, "__file__", None), str):
            yield Path(file)
