"""Starts the runs of the integration tests, each forked from a process that has imported what every run imports.

A run is a process of its own, as `python -m MODULE ARGUMENTS` is, but it saves two seconds of imports and the tenth of
a second in which an interpreter shuts down. (tests/test_imports.py imports longctx in a fresh process.) This program
reads each run as a line of JSON on stdin, and writes its pid and then its exit code.
"""

from __future__ import annotations

import asyncio
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
import ssl
import sys
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anthropic
import execnet.gateway  # noqa: F401
import filelock  # noqa: F401
import httpx2
import jinja2  # noqa: F401
import numpy.ma  # noqa: F401
import packaging.version  # noqa: F401
import pydantic
import pytest
import rich.live  # noqa: F401
import vcr.cassette  # noqa: F401
import xdist.dsession
import xdist.plugin
from _pytest import fixtures
from workers import fork_workers

import longctx
from longctx.config.profiles import profile_type
from longctx.registry import shipped
from longctx.report.page import page
from longctx.results import manifest, row
from longctx.stats.looks import planned


def main() -> None:
    ssl.create_default_context = functools.cache(ssl.create_default_context)  # reading the certificates takes long
    asyncio.run(_first_call())
    _first_run()
    for module in pkgutil.walk_packages(longctx.__path__, "longctx."):
        if module.name != "longctx.__main__":
            importlib.import_module(module.name)
    _read_once()
    _computed_once()
    gc.collect()
    gc.freeze()
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


def _first_run() -> None:
    """pytest imports much of itself, and compiles its patterns, at its first run: here in an empty folder.

    It looks for fixtures that are hidden by decorators in all its plugins, which takes a tenth of a short run.
    """
    fixtures.FixtureManager._check_for_wrapped_fixture = lambda *_: None  # type: ignore[method-assign]
    home = Path.cwd()
    with tempfile.TemporaryDirectory() as empty, contextlib.redirect_stdout(io.StringIO()):
        os.chdir(empty)
        pytest.main(["--collect-only"])
        os.chdir(home)


def _read_once() -> None:
    """Each run would read the metadata of all packages again, and for its first traceback the path of each module."""
    packages = list(importlib.metadata.distributions())
    for package in packages:
        package.read_text = functools.cache(package.read_text)  # type: ignore[method-assign]
    entry_points = functools.cached_property(importlib.metadata.Distribution.entry_points.fget)  # type: ignore[attr-defined]
    entry_points.__set_name__(importlib.metadata.Distribution, "entry_points")
    importlib.metadata.Distribution.entry_points = entry_points  # type: ignore[assignment]
    discover = importlib.metadata.distributions
    importlib.metadata.distributions = lambda **given: discover(**given) if given else packages
    inspect.getmodule(main.__code__)


def _computed_once() -> None:
    """Each run would build the schema of each model, the boundaries of each plan and the page's templates again."""
    profile_type(shipped())
    row._type()
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


def _subclasses(kind: type) -> Iterator[Any]:
    for found in kind.__subclasses__():
        if found.__module__.startswith("longctx."):
            yield found
        yield from _subclasses(found)


async def _first_call() -> None:
    """The SDK imports much of itself, and asks the system what it runs on, at its first call and its first error."""
    answer = {"type": "message", "content": []}
    transport = httpx2.MockTransport(
        lambda request: httpx2.Response(404 if "models" in request.url.path else 200, json=answer)
    )
    http = httpx2.AsyncClient(transport=transport)
    async with anthropic.AsyncAnthropic(api_key="none", http_client=http) as client:
        await client.messages.create(model="none", max_tokens=1, messages=[])
        with contextlib.suppress(anthropic.NotFoundError):
            await client.models.retrieve("none")
    await httpx2.AsyncHTTPTransport().aclose()


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
