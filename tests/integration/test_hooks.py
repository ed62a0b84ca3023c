"""The hooks of a conftest.py: their examples in the documentation, run in a project, with and without workers."""

from __future__ import annotations

import pytest

from tests.integration.conftest import LINES, ROOT, Checkout
from tests.integration.hooks import implement
from tests.servers import SimulatedServer, saying
from tools.site.reference.hooks import example, names, page

HOOKS = [*names()]
PRICED = '{"toy": {"input": 1000, "output": 5000, "dated": "2026-11-01"}}'


def test_every_hook_has_an_example_in_the_reference() -> None:
    assert len(HOOKS) > 3
    for hook in HOOKS:
        entry = page().partition(f"## `{hook}(")[2].partition("\n## ")[0]
        assert f"```python\n{example(hook)}\n```" in entry, hook
        assert example(hook), hook


@pytest.mark.parametrize("workers", [[], ["-n1"]])
def test_rows_and_the_report_come_to_the_process_that_started_the_run(
    checkout: Checkout, server: SimulatedServer, workers: list[str]
) -> None:
    implement(checkout, example("pytest_longctx_row"), example("pytest_longctx_report"))
    server.script = saying("1")
    result = checkout.record(server, *workers)
    rows = checkout.rows()
    assert [row["outcome"] for row in rows] == ["wrong"] * 4, result.out
    wrong = checkout.file("wrong.txt").read_text().splitlines()
    assert sorted(wrong) == sorted(f"{row['cell']}#{row['trial']}: {row['why']}" for row in rows)
    [run] = checkout.runs()
    message = checkout.file("message.txt").read_text().splitlines()
    assert message == [f"measured: {run.name}", "lines-3 0.00 [0.00, 0.66] n=2", "lines-5 0.00 [0.00, 0.66] n=2"]


def test_the_report_hook_is_told_the_verdict(recorded: Checkout) -> None:
    implement(recorded, example("pytest_longctx_report"))
    assert recorded.longctx("baseline", "save", "main").code == 0
    result = recorded.pytest("--ctx-baseline=main", "-n1")
    verdict = recorded.file("message.txt").read_text().partition(":")[0]
    assert f"Gate: {verdict}" in result.out


@pytest.mark.parametrize("hook", ["pytest_longctx_row(row)", "pytest_longctx_report(folder)"])
@pytest.mark.parametrize("workers", [[], ["-n1"]])
def test_a_hook_that_raises_ends_nothing_and_is_named(recorded: Checkout, hook: str, workers: list[str]) -> None:
    implement(recorded, f"def {hook}:\n    raise ConnectionError('no chat')\n")
    result = recorded.pytest(*workers)
    assert result.code == 0, result.out
    assert result.says(f"{hook.partition('(')[0]} failed: ConnectionError: no chat.")
    assert len(recorded.rows()) == 4


@pytest.mark.parametrize("workers", [[], ["-n1"]])
def test_models_get_their_entries_from_code(checkout: Checkout, server: SimulatedServer, workers: list[str]) -> None:
    implement(checkout, example("pytest_longctx_models"))
    checkout.file("prices.json").write_text(PRICED)
    estimate = checkout.pytest("--ctx-estimate")
    assert estimate.says("4 of 4 trials need a request", "output tokens, about $")
    assert checkout.record(server, "--ctx-max-cost=100", *workers).code == 0
    assert all(row["cost_usd"] > 0 for row in checkout.rows())
    checkout.file("prices.json").write_text(PRICED.replace("1000", "-1"))
    assert checkout.pytest().says("The profile in the code toy has entries that cannot be used", "prices.input")


@pytest.mark.parametrize("workers", [[], ["-n1"]])
def test_options_of_the_project_count_where_the_command_line_has_none(recorded: Checkout, workers: list[str]) -> None:
    profile = recorded.file("grids/mine.toml")
    profile.parent.mkdir()
    profile.write_text(LINES.replace("[3, 5]", "[5]"))
    implement(
        recorded, "def pytest_longctx_config(config):\n    return {'profile': 'grids/mine.toml', 'min_rate': 1}\n"
    )
    assert recorded.pytest(*workers, profile=None).code == 0
    assert {row["cell"] for row in recorded.rows()} == {"lines-5"}
    manifest = recorded.read("reports/latest/run.json")
    assert manifest["options"] == ["--ctx-profile=grids/mine.toml"]
    assert recorded.pytest(*workers).code == 0  # with the tiny profile
    assert {row["cell"] for row in recorded.rows()} == {"lines-3", "lines-5"}


def test_documents_and_questions_of_the_project(checkout: Checkout) -> None:
    """The example names a folder that this project lacks: the error shows that it was looked up there."""
    implement(checkout, example("pytest_longctx_config"))
    checkout.file("tests_longctx/test_control.py").write_text((ROOT / "tests_longctx/test_control.py").read_text())
    checkout.profile("[control]\nmodels = ['toy']\ntrials = 1\n")
    assert checkout.pytest().says("docs/handbook")


def test_a_server_of_the_project_gets_no_key_until_it_is_confirmed(checkout: Checkout, server: SimulatedServer) -> None:
    """docs/security.md, hook-server."""
    implement(checkout, f"def pytest_longctx_config(config):\n    return {{'base_url': {server.url!r}}}\n")
    key = {"ANTHROPIC_API_KEY": "sk-of-a-test"}
    refused = checkout.pytest("--ctx-record=once", env=key)
    assert refused.says("pytest_longctx_config of the project names the server", "[server-not-confirmed]")
    assert server.received == []
    trusted = {**key, "LONGCTX_TRUSTED_HOSTS": "127.0.0.1"}
    assert checkout.pytest("--ctx-record=once", env=trusted).code == 0
    assert len(server.asked) == 4


@pytest.mark.parametrize(
    ("code", "says"),
    [
        ("{'corpse': 'docs'}", "pytest_longctx_config returns 'corpse'"),
        ("['corpus']", "pytest_longctx_config returns list: return a dict or None."),
    ],
)
def test_an_invalid_option_is_refused(checkout: Checkout, code: str, says: str) -> None:
    implement(checkout, f"def pytest_longctx_config(config):\n    return {code}\n")
    result = checkout.pytest()
    assert result.code == 4
    assert result.says(says)


def test_a_hook_changes_nothing_where_longctx_is_not_used(checkout: Checkout) -> None:
    implement(checkout, "def pytest_longctx_config(config):\n    return {'profile': 'no such profile'}\n")
    checkout.file("test_other.py").write_text("def test_it(): ...\n")
    assert checkout.pytest("test_other.py", profile=None, page=True).code == 0
