"""`longctx init --test`: the test that it writes is estimated, asked and judged as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.conftest import Checkout, Launcher, Result
from tests.integration.functions import code
from tests.servers import SimulatedServer

TEST = "tests_longctx/test_refund_code.py"


@pytest.fixture
def project(launcher: Launcher, tmp_path: Path) -> Checkout:
    project = Checkout(tmp_path / "project", launcher)
    project.folder.mkdir()
    assert project.longctx("init", "--test=refund_code").code == 0
    return project


def plain(project: Checkout, *arguments: str) -> Result:
    """Run without an option of longctx's, which would ask for what is not recorded."""
    return project.pytest("-plongctx.plugin", *arguments, profile=None, env={"LONGCTX_PAGE": "0"}, page=True)


@pytest.mark.parametrize("workers", [(), ("-n1",)], ids=["", "workers"])
def test_what_init_writes_is_green_at_once_and_once_it_is_recorded(project: Checkout, workers: tuple[str, ...]) -> None:
    before = plain(project, *workers)
    assert before.code == 0, before
    assert before.says(
        "1 skipped",
        "1 test was skipped: no answer of claude-haiku-5-5 is recorded. To record them: pytest tests_longctx "
        "--ctx-record once; to see the cost first: --ctx-estimate instead of --ctx-record once.",
    ), before
    assert plain(project, "--ctx-estimate").says("test_refund_code on claude-haiku-5-5: 20 of 20 trials need a request")
    with SimulatedServer(code) as server:
        key = {"ANTHROPIC_API_KEY": "any"}
        live = ("-plongctx.plugin", "tests_longctx", "--ctx-record=once", f"--ctx-base-url={server.url}")
        asked = project.pytest(*live, *workers, profile=None, env=key)
    assert asked.code == 0, asked
    assert len(server.asked) == 20
    replayed = plain(project, *workers)
    assert replayed.code == 0, replayed
    assert replayed.says("20 trials: 20 replayed", "1.00 [0.84, 1.00] 20"), replayed


def test_what_is_asked_for_and_not_recorded_fails(project: Checkout) -> None:
    for given in (("--ctx-profile=first",), ("--ctx-model=claude-haiku-5-5",), ("--ctx-only=3",)):
        result = plain(project, *given)
        assert result.code == 1, result
        assert result.says("have no recording in cassettes/claude-haiku-5-5/test_refund_code/"), result


def test_a_recorded_test_that_changed_fails(project: Checkout) -> None:
    with SimulatedServer(code) as server:
        key = {"ANTHROPIC_API_KEY": "any"}
        live = ("-plongctx.plugin", "tests_longctx", "--ctx-record=once", f"--ctx-base-url={server.url}")
        assert project.pytest(*live, profile=None, env=key).code == 0
    test = project.file(TEST)
    test.write_text(test.read_text().replace("the number alone", "a number"))
    result = plain(project)
    assert result.code == 1
    assert result.says("20 of 20 trials are stale"), result
    test.write_text(test.read_text().replace("a number", "the number alone").replace("trials=20", "trials=25"))
    result = plain(project)
    assert result.code == 1
    assert result.says("5 of 25 trials have no recording"), result


def test_init_alone_adds_the_protocols_and_stays_green(project: Checkout) -> None:
    assert project.longctx("init").says(
        "fixtures/profiles/first.toml, unchanged since --test wrote it, now has the protocols"
    )
    result = plain(project)
    assert result.code == 0, result
    assert result.says("tests were skipped: no answer of claude-haiku-5-5 is recorded"), result


def test_a_profile_of_tests_leaves_functions_out_unless_it_names_them(project: Checkout) -> None:
    table = '[line_retrieval]\nmodels = ["toy"]\nlines = [3]\norders = ["ordered"]\ntrials = 1\n'
    run = ("-plongctx.plugin", TEST, "--ctx-estimate")
    project.profile(table)
    left_out = project.pytest(*run)
    assert left_out.says("has no [test_refund_code] table, and no models = […] at its top"), left_out
    assert "to ask" not in left_out.out
    assert project.pytest(*run, "--ctx-model=toy").says("test_refund_code on toy: 20 of 20 trials need a request")
    project.profile('[test_other]\nmodels = ["toy"]\n')
    assert project.pytest(*run).says("has no [test_refund_code] table, and no models = […] at its top")
    for named in ('[test_refund_code]\nmodels = ["toy"]\ntrials = 2\n', "models = ['toy']\n"):
        project.profile(f"{table}\n{named}" if named.startswith("[") else f"{named}\n{table}")
        assert project.pytest(*run).says("test_refund_code on toy"), named
