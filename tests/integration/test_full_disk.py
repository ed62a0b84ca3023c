"""A report folder that cannot be written, and a disk that is full when the run ends.

Permissions do not bind root, so a folder that cannot be made lies below a file, or in /proc; a disk is full because the
process may write no larger file (RLIMIT_FSIZE), or because a file is a link to /dev/full.
"""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from tests.integration.conftest import LINES, NO_TEXT, PASSKEY, Checkout, copied
from tests.servers import SimulatedServer

FULL_DISK = """\
import resource
import sys

import pytest

from longctx.plugin.nested import is_nested

sys.dont_write_bytecode = True  # Python would put half of a large .pyc in its place


def pytest_configure():
    resource.setrlimit(resource.RLIMIT_FSIZE, ({now}, resource.RLIM_INFINITY))


@pytest.hookimpl(tryfirst=True)
def pytest_runtestloop(session):
    if not is_nested(session.config):  # the pytest that measures
        resource.setrlimit(resource.RLIMIT_FSIZE, ({later}, resource.RLIM_INFINITY))
"""
"""A pytest plugin: no file can be larger than so many bytes, from the start, and when all was asked."""
ROOM = 10_000_000
LITTLE = 20_000
"""Bytes: enough for the rows, but not for the page."""


@pytest.fixture(scope="module")
def both_once(record_once: Callable[..., Checkout]) -> Checkout:
    return record_once("--ctx-report=first", profile=LINES + PASSKEY)


both = copied("both_once")
"""A project with the recordings of two protocols, and without a folder for reports."""


def full_disk(checkout: Checkout, now: int = ROOM) -> tuple[str, str]:
    checkout.file("full_disk.py").write_text(FULL_DISK.format(now=now, later=LITTLE))
    return "-p", "full_disk"


def test_it_is_found_out_before_asking(checkout: Checkout, server: SimulatedServer) -> None:
    """The folder for reports is a file."""
    checkout.file("reports").write_text("mine")
    result = checkout.record(server)
    assert result.code == 4
    assert result.says("Not a directory", "[report-not-writable]")
    assert server.asked == []
    assert checkout.file("reports").read_text() == "mine"


def test_a_full_disk_is_found_out_before_asking(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.record(server, *full_disk(checkout, now=LITTLE))
    assert result.code == 4
    assert result.says("reports/", "File too large", "[report-not-writable]")
    assert server.asked == []
    assert not checkout.file("reports").exists()


def test_a_folder_that_was_named_is_tried_at_once(recorded: Checkout) -> None:
    result = recorded.pytest("--ctx-report=/proc/nothing/run", "-n1")
    assert result.code == 4
    assert result.says("/proc/nothing/run ", "[report-not-writable]")


def test_a_cassette_that_cannot_be_written_is_found_out_before_asking(
    checkout: Checkout, server: SimulatedServer
) -> None:
    checkout.file("cassettes").symlink_to("/proc/nothing")
    result = checkout.record(server, env={"LONGCTX_TRUSTED_FOLDERS": "/proc/nothing"})
    assert result.code == 4
    assert result.says("cassettes ", "[not-writable]")
    assert server.asked == []


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_replay_says_it_once_and_ends(both: Checkout, workers: str) -> None:
    both.file("reports").write_text("mine")
    result = both.pytest(workers)
    assert result.code == 13
    assert result.says("The report was not written: ", "[not-writable]", "All answers are recorded")
    assert "failed" not in result.out


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_full_disk_at_the_end_leaves_nothing_half_written(
    checkout: Checkout, server: SimulatedServer, workers: str
) -> None:
    checkout.profile(LINES, PASSKEY)
    named = "--ctx-report=mine"
    result = checkout.record(server, *full_disk(checkout), workers, named, page=True)
    assert result.code == 13
    assert result.says("8 trials", "The report was not written: ", "mine ", "File too large", "[not-writable]")
    assert not checkout.file("mine").exists()
    asked = len(server.asked)
    again = checkout.pytest(workers, named)
    assert (again.code, len(server.asked)) == (0, asked)
    assert again.says("8 trials: 8 replayed")
    assert len(checkout.rows("mine")) == 8


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_a_disk_that_fills_while_the_tests_run(both: Checkout, workers: str) -> None:
    """The file that takes the rows cannot take the second test's."""
    both.file("filling.py").write_text(
        "from longctx.results import store\n"
        "right, calls = store.append, []\n"
        "def append(folder, *rest):\n"
        "    calls.append(1)\n"
        "    if len(calls) == 2:\n"
        "        (folder / 'rows.part').rename(folder / 'kept')\n"
        "        (folder / 'rows.part').symlink_to('/dev/full')\n"
        "    right(folder, *rest)\n"
        "store.append = append\n"
    )
    result = both.pytest("-p", "filling", "--ctx-report=mine", workers)
    assert result.code == 13
    assert result.says("mine ", "No space left on device", "[not-writable]", "the report cannot be written")
    assert workers == "-n1" or "2 passed" in result.out
    assert sorted(path.name for path in both.file("mine").iterdir()) == ["kept"]


def test_answers_without_text_are_kept_as_rows(checkout: Checkout, server: SimulatedServer) -> None:
    """Such answers are in no cassette, so the rows are the only record of them."""
    checkout.profile(LINES, PASSKEY)
    result = checkout.record(server, *full_disk(checkout), "--ctx-report=mine", env=NO_TEXT, page=True)
    assert result.code == 13
    assert result.says("The report was not written: ", "mine/rows.part contains the rows")
    assert [path.name for path in checkout.file("mine").iterdir()] == ["rows.part"]


def test_the_rows_of_a_run_that_died_are_not_counted(recorded: Checkout) -> None:
    latest = recorded.file("reports/latest").resolve()
    rows = (latest / "results.jsonl").read_bytes()
    recorded.file("mine").mkdir()
    recorded.file("mine/rows.part").write_bytes(rows)
    failures = {
        json.loads(line)["metadata"]["trial"]: {}
        for cassette in recorded.cassettes().values()
        for line in cassette.splitlines()
    }
    recorded.file("mine/asking.json").write_text(json.dumps(failures))
    assert recorded.pytest("--ctx-report=mine").code == 0
    assert len(recorded.rows("mine")) == 4


def test_a_verdict_is_shown_though_it_cannot_be_written(both: Checkout) -> None:
    result = both.pytest("--ctx-baseline=first", *full_disk(both), page=True)
    assert result.code == 13
    assert result.says("Gate: ", "The report was not written: ")
    assert not [*both.folder.rglob("gate.md"), *both.folder.rglob("gate.json")]
