"""Where settings come from: the command line, the environment, the profile, pyproject.toml; the cap of a live run."""

from __future__ import annotations

from tests.integration.conftest import LINES, Checkout
from tests.servers import SimulatedServer

PRICES = "[tokens]\nline = 20\n\n[prices]\ninput = 100000\noutput = 0\ndated = 2026-01-01\n"
"""Four trials cost about 25 USD."""


def test_pyproject_counts_where_the_command_line_says_nothing(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("pyproject.toml").write_text('[tool.longctx]\nprofile = "tiny.toml"\ntext = false\nconcurrency = 2\n')
    result = checkout.record(server)
    assert (result.code, result.says("Kept without text")) == (0, True)
    assert checkout.episodes() == 0
    kept = checkout.record(server, env={"LONGCTX_TEXT": "1"})
    assert kept.code == 0
    assert checkout.episodes() == 4
    for workers in ("-n0", "-n1"):
        assert checkout.pytest(workers, profile=None).says("profile tiny.toml", "4 replayed")


def test_a_mistake_in_pyproject_ends_the_run(checkout: Checkout) -> None:
    checkout.file("pyproject.toml").write_text("[tool.longctx]\npages = false\n")
    result = checkout.pytest()
    assert result.code == 4
    assert result.says("has no entry 'pages'. Did you mean 'page'?", "[unknown-project-setting]")


def test_the_environment_records_only(checkout: Checkout, server: SimulatedServer) -> None:
    result = checkout.record(server, env={"LONGCTX_RECORD_ONLY": "1"})
    assert (result.code, result.says("Recorded. The tests were not run.")) == (0, True)
    assert checkout.episodes() == 4


def test_without_a_stated_cap_a_dear_run_is_refused(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("fixtures/models/toy.toml").write_text(PRICES)
    estimated = checkout.pytest("--ctx-estimate")
    assert estimated.says("Cap: $5.00, the default.")
    refused = checkout.record(server)
    assert refused.code == 4
    assert refused.says("[over-default-cap]", "add --ctx-max-cost")
    assert not server.asked
    assert checkout.record(server, "--ctx-max-cost=100").code == 0


def test_the_profile_states_a_cap(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("fixtures/models/toy.toml").write_text(PRICES)
    checkout.profile("max_cost = 100\n", LINES)
    assert checkout.pytest("--ctx-estimate").says("Cap: $100.00.")
    assert checkout.record(server).code == 0
    again = checkout.record(server, "--ctx-max-cost=0.5", mode="all")
    assert again.says("the cap of $0.50 leaves no room for it")


def test_a_run_is_saved_as_a_baseline(recorded: Checkout) -> None:
    saved = recorded.pytest("--ctx-save-baseline=main")
    assert (saved.code, saved.says("fixtures/baselines/main.jsonl: the run", "Commit it.")) == (0, True)
    assert recorded.pytest("--ctx-baseline=main").code in (0, 11)
    again = recorded.pytest("--ctx-save-baseline=main")
    assert (again.code, again.says("[file-exists]")) == (4, True)
    part = recorded.pytest("--ctx-save-baseline=part", "-k", "lines-3")
    assert (part.code, part.says("The baseline part was not saved", "[run-incomplete]")) == (1, True)
