"""A service in a monorepo has its recordings beside its tests: they are found from the repository's root, too."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.given import served
from tests.integration.conftest import NO_PAGE, Checkout, Launcher, foreign_project
from tests.servers import SimulatedServer, failing, saying

TESTS = """
import pytest


@pytest.mark.longctx(trials=2, models=["toy"])
def test_desk(ask, draw):
    assert ask(f"say {draw.uuid()}").text == "yes"
"""
MORE = TESTS.replace("test_desk", "test_more")


@pytest.fixture
def root(launcher: Launcher, tmp_path: Path) -> Checkout:
    made = foreign_project(launcher, tmp_path)
    made.file("services/desk/tests").mkdir(parents=True)
    made.file("services/desk/tests/test_desk.py").write_text(TESTS)
    made.file("conftest.py").unlink()
    for name in ("pytest.ini", "services/desk/pytest.ini"):
        made.file(name).write_text("[pytest]\naddopts = -p longctx.plugin\n")
    made.file("services/desk/tests/cassettes/test_other").mkdir(parents=True)  # of another tool
    made.file("services/desk/tests/cassettes/test_other/test_it.yaml").write_text("interactions: []\n")
    return made


server = served(saying("yes"))


@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_recordings_of_a_service_are_found_from_the_root(root: Checkout, server: SimulatedServer, workers: str) -> None:
    service = Checkout(root.file("services/desk"), root.launcher)
    there = service.record(server, profile=None)
    assert there.code == 0, there.out
    assert len(server.asked) == 2
    result = root.pytest(workers, profile=None, env=NO_PAGE)
    assert result.says("2 trials: 2 replayed", "1 passed"), result.out
    assert [row["cell"] for row in root.rows()] == [row["cell"] for row in service.rows()]

    service.file("tests/test_more.py").write_text(MORE)
    lacking = root.pytest(workers, "-kmore", "--ctx-model=toy", profile=None)
    assert lacking.says("have no recording in services/desk/cassettes/toy/test_more/all.jsonl")
    recorded = root.record(server, workers, profile=None)
    assert recorded.code == 0, recorded.out
    assert len(server.asked) == 4
    assert sorted(service.cassettes()) == ["toy/test_desk/all.jsonl", "toy/test_more/all.jsonl"]
    assert not root.cassettes()
    assert service.pytest(workers, profile=None).says("4 trials: 4 replayed", "2 passed")


def test_what_was_recorded_in_the_root_is_still_found(root: Checkout, server: SimulatedServer) -> None:
    given = (f"--ctx-base-url={server.url}", "--ctx-record=once")
    assert root.pytest(*given, profile=None).code == 0
    assert sorted(root.cassettes()) == ["toy/test_desk/all.jsonl"]
    service = Checkout(root.file("services/desk"), root.launcher)
    service.file("tests/test_more.py").write_text(MORE)
    assert service.pytest(*given, "-kmore", profile=None).code == 0
    server.received.clear()
    result = root.pytest(*given, profile=None)
    assert result.says("4 trials: 4 replayed", "2 passed"), result.out
    assert not server.asked

    server.script = lambda body: (saying("yes") if len(server.asked) == 1 else failing(400))(body)
    desk = "-ktest_desk"
    assert root.pytest(desk, given[0], "--ctx-record=all", "--ctx-concurrency=1", profile=None).code == 1
    again = root.pytest(desk, "--ctx-model=toy", profile=None)
    assert again.says("1 of 2 trials were not sent again, and their earlier answers do not count."), again.out


@pytest.mark.skipif(not shutil.which("git"), reason="needs git")
def test_answers_of_a_service_are_known_on_the_base_branch(root: Checkout, server: SimulatedServer) -> None:
    service = Checkout(root.file("services/desk"), root.launcher)
    assert service.record(server, profile=None).code == 0
    root.git("init", "--quiet", "--initial-branch=main")
    trusted = {"LONGCTX_BASE": "main", "LONGCTX_TRUST": "base"}
    for committed, origin in ("pytest.ini", None), ("services/desk/cassettes", "base"):
        root.git("add", committed)
        root.git("commit", "--quiet", "--message", committed)
        assert root.pytest("--ctx-model=toy", profile=None, env=trusted).code == (0 if origin else 1)
        assert {row["origin"] for row in root.rows()} == {origin}
