"""Settings and fixtures of all tests: hypothesis's profile, slow reads that are cached, and an empty project."""

import functools
import gc
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from xdist.scheduler import WorkStealingScheduling

from longctx.corpus import fetch
from longctx.recording.tape import Tape
from longctx.workspace import Workspace
from tests import certificates

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)  # of nohup and of a job in the background; runs inherit it

gc.set_threshold(100_000)  # garbage is collected seldom: it took a twelfth of the time, and a sixth of the collection's


def pytest_pycollect_makemodule() -> None:
    """Let Hypothesis try the same examples every time, without a deadline for one of them.

    It is imported for a module of these tests alone. `pytest --ctx-profile lines` loads this file, too, since pytest
    takes `lines` for a path, and the suite needs no Hypothesis.
    """
    from hypothesis import settings

    settings.register_profile("longctx", max_examples=50, deadline=None, derandomize=True)
    settings.load_profile("longctx")


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> WorkStealingScheduling:
    """Give each worker neighbouring tests, so that few fixtures of modules are made by several workers."""
    return WorkStealingScheduling(config, log)


def pytest_collection_finish() -> None:
    """Collect no garbage among what was imported and collected."""
    gc.freeze()


@pytest.fixture(scope="session", autouse=True)
def read_once() -> Iterator[None]:
    """Cache certificates and issues for all tests of a process: reading one takes longer than most tests."""
    with pytest.MonkeyPatch.context() as patch:
        certificates.read_once(patch)
        patch.setattr(fetch, "read_issue", functools.lru_cache(maxsize=32)(fetch.read_issue))
        yield


@pytest.fixture
def without_delay(monkeypatch: pytest.MonkeyPatch) -> None:
    """Send a failed request again at once."""
    monkeypatch.setattr("longctx.live.attempts.FIRST_PAUSE_S", 0.001)


@pytest.fixture
def without_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("longctx.live.server.client.RETRIES", 0)


@pytest.fixture
def tape(tmp_path: Path) -> Tape:
    return Tape(tmp_path, "once", run="first")


@pytest.fixture
def mine(tmp_path: Path) -> Workspace:
    """Return a project in a temporary folder, with empty folders for models, baselines and profiles."""
    made = Workspace(tmp_path / "project")
    for kind in ("models", "baselines", "profiles"):
        made.own(kind).mkdir(parents=True)
    return made


@pytest.fixture
def within_mine(mine: Workspace, monkeypatch: pytest.MonkeyPatch) -> Workspace:
    """Return the same project as `mine`, which is also the working directory."""
    monkeypatch.chdir(mine.root)
    return mine
