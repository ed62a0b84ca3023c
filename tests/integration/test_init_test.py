"""`longctx init --test`: the test that it writes is estimated, asked and judged as it is."""

from __future__ import annotations

from pathlib import Path

from tests.integration.conftest import Checkout, Launcher
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

TEST = "tests_longctx/test_refund_code.py"


def code(body: Body) -> Answer:
    return 200, {}, message(prompt_of(body).partition("The refund code is ")[2][:5], body)


def test_what_init_writes_runs(launcher: Launcher, tmp_path: Path) -> None:
    project = Checkout(tmp_path / "project", launcher)
    project.folder.mkdir()
    assert project.longctx("init", "--test=refund_code").code == 0
    project.file("fixtures/models/toy.toml").parent.mkdir(parents=True)
    project.file("fixtures/models/toy.toml").write_text('model = "toy"\nwindow = 32768\n')
    run = ("-plongctx.plugin", TEST, "--ctx-model=toy")
    estimate = project.pytest(*run, "--ctx-estimate", profile=None)
    assert estimate.says("test_refund_code on toy: 120 of 120 trials to ask"), estimate
    with SimulatedServer(code) as server:
        asked = project.pytest(*run, "--ctx-record=once", f"--ctx-base-url={server.url}", "-n2", profile=None)
    assert asked.code == 0, asked
    assert len(server.asked) == 120
    replayed = project.pytest(*run, profile=None)
    assert replayed.says("120 trials: 0 live; 120 replayed", "1.00 [0.94, 1.00] n=60"), replayed


def test_a_profile_of_families_leaves_functions_out_unless_it_names_them(launcher: Launcher, tmp_path: Path) -> None:
    project = Checkout(tmp_path / "project", launcher)
    project.folder.mkdir()
    assert project.longctx("init", "--test=refund_code").code == 0
    table = '[line_retrieval]\nmodels = ["toy"]\nlines = [3]\norders = ["ordered"]\ntrials = 1\n'
    run = ("-plongctx.plugin", TEST, "--ctx-estimate")
    project.profile(table)
    for given in ((), ("--ctx-model=toy",)):
        left_out = project.pytest(*run, *given)
        assert left_out.says("has no [test_refund_code] table, and no models = […] at its top"), left_out
        assert "to ask" not in left_out.out
    for named in ('[test_refund_code]\nmodels = ["toy"]\ntrials = 2\n', "models = ['toy']\n"):
        project.profile(f"{table}\n{named}" if named.startswith("[") else f"{named}\n{table}")
        assert project.pytest(*run).says("test_refund_code on toy"), named
