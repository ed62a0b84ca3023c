"""Fixtures of projects that use longctx, and runs of pytest and longctx in them, each in a process of its own."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.given import served
from tests.servers import SimulatedServer

ROOT = Path(__file__).resolve().parents[2]
NOT_PASSED_ON = ("ANTHROPIC_", "PYTEST_", "PYTHON", "COLUMNS", "CI", "GITHUB_")
"""Prefixes of environment variables that would change a run, and are removed."""
NO_PAGE = {"LONGCTX_PAGE": "0"}
"""The environment of a run that writes no page."""
NO_TEXT = {"LONGCTX_TEXT": "0"}
"""That of a run that keeps no reply."""
RECORD_ONLY = {"LONGCTX_RECORD_ONLY": "1"}
"""That of a run that sends and records, and measures nothing."""
OPTIONS = """

def pytest_longctx_config(config):
    import json

    return json.loads((config.rootpath / "options.json").read_text())
"""

IMPORTED = "ignore::pytest.PytestAssertRewriteWarning"
"""Silences the warning about modules that forking.py imported before pytest could rewrite them."""
WANTED = {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "PYTEST_PLUGINS": "xdist.plugin"}
"""Environment that loads only the plugin that longctx needs: a search for all takes a third of a short run."""
UNWANTED = "-pno:cacheprovider"
"""Turns off pytest's own cache."""

TRACEBACK = r"Traceback|INTERNALERROR|\.py:\d+: (in |\w+Error)"

collect_ignore = ["foreign", "foreign_functions", "foreign_openai"]
"""Projects of their own, whose tests run in copies of them (see test_foreign_test.py, test_functions.py, …)."""

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="needs git")

TESTS = "line_retrieval", "passkey"

TOY = 'models = ["toy"]\n'
"""The profile of test functions that ask one model."""

LINES = """
[line_retrieval]
models = ["toy"]
lines = [3, 5]
orders = ["ordered"]
trials = 2
"""
PASSKEY = """
[passkey]
models = ["toy"]
windows = [256]
distances = 2
trials = 2
"""
MANY = LINES.replace("[3, 5]", "[3]").replace("trials = 2", "trials = 80")
"""Enough for a verdict."""

UNEVEN = """
[[line_retrieval]]
models = ["toy"]
lines = [3]
orders = ["ordered"]
trials = 4

[[line_retrieval]]
models = ["toy"]
lines = [5]
orders = ["ordered"]
trials = 2
"""
"""If all answers are wrong, a minimum of 0.8 has p-values of 0.0016 and 0.04: Holm's first step (0.025) rejects one of
them, and its second step the other.
"""


@dataclass(frozen=True, slots=True)
class Result:
    """The exit code and the output of a run."""

    code: int
    out: str
    err: str

    def says(self, *parts: str) -> bool:
        """Return whether the output holds all parts, however its lines are wrapped, and no traceback."""
        text = " ".join((self.out + self.err).split())
        return all(part in text for part in parts) and not re.search(TRACEBACK, text)


class Launcher:
    """The process that forks the runs (see forking.py)."""

    def __init__(self, temporary: Path) -> None:
        """temporary: for temporary files of runs. In a shared folder pytest would clean up after other sessions."""
        env = {name: value for name, value in os.environ.items() if not name.startswith(NOT_PASSED_ON)}
        self.env = {
            **env,
            "COLUMNS": "160",
            "HOME": "/nonexistent",
            "TMPDIR": str(temporary),
            "PYTHONPATH": str(ROOT),
            "OPENBLAS_NUM_THREADS": "1",
            **WANTED,
        }
        self._process = subprocess.Popen(
            [sys.executable, Path(__file__).with_name("forking.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=self.env,
        )

    def start(self, run: dict[str, Any]) -> int:
        """Start a run and return its pid. It must be waited for before the next is started."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(run) + "\n")
        self._process.stdin.flush()
        return self._read()

    def wait(self) -> int:
        """Wait for the run and return its exit code, which is negative if a signal ended it."""
        return self._read()

    def close(self) -> None:
        self._process.communicate()

    def _read(self) -> int:
        assert self._process.stdout is not None
        return int(self._process.stdout.readline())


@dataclass(frozen=True, slots=True)
class Checkout:
    """A project that uses longctx, without recordings; tiny.toml is its profile, made by `profile`."""

    folder: Path
    launcher: Launcher

    def pytest(
        self,
        *arguments: object,
        profile: str | None = "tiny.toml",
        env: dict[str, str] | None = None,
        page: bool = False,
    ) -> Result:
        """Run `python -m pytest`, by default with the tiny profile, verbose, without pytest's own cache and a page.

        `-q`, or `--verbosity=0`, replaces `-v`.
        """
        self.start(*arguments, profile=profile, env=env, page=page)
        return self.wait()

    def longctx(self, *arguments: object, env: dict[str, str] | None = None) -> Result:
        """Run `python -m longctx`."""
        self.start_longctx(*arguments, env=env)
        return self.wait()

    def start_longctx(self, *arguments: object, env: dict[str, str] | None = None, terminal: str | None = None) -> int:
        """Start what `longctx` runs, and return its pid while it runs."""
        return self._start(["longctx", *map(str, arguments)], env, terminal)

    def start(
        self,
        *arguments: object,
        profile: str | None = "tiny.toml",
        env: dict[str, str] | None = None,
        terminal: str | None = None,
        page: bool = False,
    ) -> int:
        """Start what `pytest` runs, and return its pid while it runs. terminal: the path of a terminal to run it on."""
        given = profile is None or any(str(argument).startswith("--ctx-profile") for argument in arguments)
        options = [] if given else [f"--ctx-profile={profile}"]
        chosen = terminal or any(str(argument).startswith(("-q", "-v", "--verb", "--co")) for argument in arguments)
        options += [] if chosen else ["-v"]
        return self._start(
            ["pytest", "-W", IMPORTED, UNWANTED, *options, *map(str, arguments)],
            ({} if page else NO_PAGE) | (env or {}),
            terminal,
        )

    def wait(self) -> Result:
        code = self.launcher.wait()
        return Result(code, (self.folder / "stdout").read_text(), (self.folder / "stderr").read_text())

    def kill(self, pid: int) -> Result:
        """Kill a run with SIGKILL, and return what it left."""
        os.kill(pid, signal.SIGKILL)
        return self.wait()

    def copied(self, folder: Path) -> Checkout:
        """Copy the project to a folder and return the copy, which a test may change."""
        shutil.copytree(self.folder, folder, symlinks=True)
        return Checkout(folder, self.launcher)

    def take(self, *names: str) -> None:
        """Copy these files and folders of the repository to the same places."""
        for name in names:
            path = self.file(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, path, dirs_exist_ok=True)
            else:
                shutil.copy2(ROOT / name, path)

    def record(
        self,
        server: SimulatedServer,
        *arguments: object,
        mode: str = "once",
        **options: Any,
    ) -> Result:
        """Run pytest, which may ask the server."""
        return self.pytest(f"--ctx-base-url={server.url}", f"--ctx-record={mode}", *arguments, **options)

    def git(self, *arguments: str) -> None:
        given = "-c", "user.name=t", "-c", "user.email=t@example.org"
        subprocess.run(["git", *given, *arguments], cwd=self.folder, check=True, capture_output=True)

    def profile(self, *tables: str, name: str = "tiny.toml") -> None:
        (self.folder / name).write_text("".join(tables))

    def settings(self, **entries: object) -> None:
        """Make these the entries of [tool.longctx] in pyproject.toml."""
        lines = ["[tool.longctx]", *(f"{name} = {json.dumps(value)}" for name, value in entries.items())]
        self.file("pyproject.toml").write_text("\n".join(lines) + "\n")

    def options(self, **options: object) -> None:
        """Have the project's hook give these options to every run."""
        self.file("conftest.py").write_text((ROOT / "conftest.py").read_text() + OPTIONS)
        self.file("options.json").write_text(json.dumps(options))

    def prices(self, given: float, got: float, model: str = "toy", more: str = "") -> None:
        """Give a model prices in USD for a million tokens of input and of output. more: further lines of the table."""
        table = f'model = "{model}"\n[prices]\ninput = {given}\noutput = {got}\ndated = 2026-01-01\n{more}'
        self.file("fixtures/models").mkdir(parents=True, exist_ok=True)
        self.file(f"fixtures/models/{model}.toml").write_text(table)

    def functions(self, *texts: str) -> None:
        """Write the project's tests_longctx/test_functions.py."""
        self.file("tests_longctx/test_functions.py").write_text("".join(texts))

    def file(self, name: str) -> Path:
        return self.folder / name

    def read(self, name: str) -> Any:
        """Return what a file of JSON holds."""
        return json.loads(self.file(name).read_text())

    def gate(self, folder: str = "reports/latest") -> Any:
        """Return the verdict of a run, by default of the latest."""
        return self.read(f"{folder}/gate.json")

    def cassettes(self) -> dict[str, bytes]:
        """Return the content of each cassette by its path below cassettes/."""
        paths = (self.folder / "cassettes").rglob("*.jsonl")
        return {str(path.relative_to(self.folder / "cassettes")): path.read_bytes() for path in paths}

    def episodes(self) -> int:
        return sum(content.count(b'"interactions":[{') for content in self.cassettes().values())

    def rows(self, folder: str = "reports/latest") -> list[dict[str, Any]]:
        """Return the rows of a run, by default of the latest."""
        return [json.loads(line) for line in (self.folder / folder / "results.jsonl").read_text().splitlines()]

    def runs(self) -> list[Path]:
        """Return the folders of the runs, without the link to the latest."""
        return sorted(path for path in (self.folder / "reports").glob("*") if not path.is_symlink())

    def _start(self, command: list[str], env: dict[str, str] | None, terminal: str | None = None) -> int:
        run = {
            "command": command,
            "cwd": str(self.folder),
            "env": self.launcher.env | (env or {}),
            "stdout": terminal or str(self.folder / "stdout"),
            "stderr": terminal or str(self.folder / "stderr"),
        }
        return self.launcher.start(run)


def without_run(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return the rows without the name of their run."""
    return [{name: value for name, value in row.items() if name != "run"} for row in rows]


@pytest.fixture(scope="session")
def launcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launcher]:
    launcher = Launcher(tmp_path_factory.mktemp("temporary"))
    yield launcher
    launcher.close()


@pytest.fixture(scope="session")
def template(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Return a project of two tests, with its own copy of their prompts. All other data comes with longctx.

    The tests never write to it: they copy it, with its tests as a first run has compiled them.
    """
    made = Checkout(tmp_path_factory.mktemp("template"), launcher)
    made.take("conftest.py", "pytest.ini")
    for test in TESTS:
        made.take(f"fixtures/prompts/protocol/{test}", f"tests_longctx/test_{test}.py")
    made.file("fixtures/models").mkdir()
    made.profile(LINES)
    assert made.pytest("--collect-only").code == 0
    return made


def copied(name: str) -> Any:
    """Return a fixture: a copy, which a test may change, of the project of another fixture."""

    @pytest.fixture
    def copy(request: pytest.FixtureRequest, tmp_path: Path) -> Checkout:
        project: Checkout = request.getfixturevalue(name)
        return project.copied(tmp_path / "checkout")

    return copy


def profiled(*tables: str) -> Any:
    """Return a fixture: a project with this profile."""

    @pytest.fixture
    def project(checkout: Checkout) -> Checkout:
        checkout.profile(*tables)
        return checkout

    return project


def with_baseline(profile: str, *arguments: str, name: str = "main") -> Any:
    """Return a fixture of a module: a project that was recorded with this profile, and has a baseline of that run."""

    @pytest.fixture(scope="module")
    def project(record_once: Callable[..., Checkout]) -> Checkout:
        made = record_once(*arguments, profile=profile)
        assert made.longctx("baseline", "save", name).code == 0
        return made

    return project


checkout = copied("template")


@pytest.fixture(scope="module")
def fresh(template: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Callable[[], Checkout]:
    """Return a function that returns a copy of the project, for all tests of a module."""
    return lambda: template.copied(tmp_path_factory.mktemp("project") / "checkout")


@pytest.fixture(scope="session")
def record_once(template: Checkout, tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Checkout]:
    """Return a function that records a project, with a model that is always right, and keeps the report of that run.

    The tests copy the project.
    """

    def made(*arguments: str, profile: str = LINES) -> Checkout:
        project = template.copied(tmp_path_factory.mktemp("recorded") / "checkout")
        project.profile(profile)
        with SimulatedServer() as server:
            assert project.record(server, *arguments).code == 0
        return project

    return made


@pytest.fixture(scope="session")
def recorded_once(record_once: Callable[..., Checkout]) -> Checkout:
    return record_once()


recorded = copied("recorded_once")
"""A project with the recordings of the tiny profile."""

server = served()


def foreign_project(launcher: Launcher, folder: Path, source: Path | None = None) -> Checkout:
    """Return a project that is not longctx's own: a copy of `source`, or an empty one.

    It has no wheel to install, so that a conftest.py registers the plugin.
    """
    made = Checkout(folder / "project", launcher)
    if source is None:
        made.folder.mkdir()
        made.file("pytest.ini").write_text("[pytest]\n")
    else:
        shutil.copytree(source, made.folder, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy2(ROOT / "conftest.py", made.folder)
    return made


@pytest.fixture
def with_lines(checkout: Checkout) -> Checkout:
    """Return a project with the suite's recordings of line retrieval, and the baselines made of them."""
    checkout.take("cassettes/qwen2.5-coder-0.5b/line_retrieval", "fixtures/baselines")
    return checkout


@pytest.fixture(scope="session")
def judged_once(launcher: Launcher, tmp_path_factory: pytest.TempPathFactory) -> Checkout:
    """Return the project of judged_project.py."""
    from tests.integration.judged_project import made

    return made(foreign_project(launcher, tmp_path_factory.mktemp("judged")))


@pytest.fixture
def project(launcher: Launcher, tmp_path: Path) -> Checkout:
    """Return a project that is not longctx's own, whose test functions ask one model."""
    made = foreign_project(launcher, tmp_path)
    made.profile('about = "Functions."\n', TOY)
    return made
