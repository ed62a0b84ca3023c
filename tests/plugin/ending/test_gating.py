"""The exit status of a gated run, and the rules of its verdict."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from longctx.engine.terms import rules
from longctx.gate.recording_age import AgeLimit
from longctx.plugin.gating import exit_status
from longctx.plugin.session import session_of
from longctx.protocols.passkey import PasskeyAxes
from longctx.vocabulary.looks import AT_ONCE, RunLooks
from tests.engine.examples import PASSKEY, measured, run_of


def status(verdict: str | None, own: int, on_inconclusive: str = "fail") -> int:
    config: Any = SimpleNamespace(stash=pytest.Stash())
    session: Any = session_of(config)
    session.run = SimpleNamespace(settings=SimpleNamespace(on_inconclusive=on_inconclusive))
    if verdict is not None:
        session.finished = SimpleNamespace(verdict=verdict)
    return exit_status(config, own)


@pytest.mark.parametrize(
    ("verdict", "own", "expected"),
    [
        (None, 0, 0),
        (None, 1, 1),
        ("pass", 0, 0),
        ("pass", 1, 1),
        ("inconclusive", 0, 11),
        ("inconclusive", 1, 1),
        ("regression", 0, 10),
        ("regression", 1, 10),
        ("invalid", 0, 12),
        ("invalid", 1, 12),
        *((verdict, own, own) for verdict in ("pass", "inconclusive", "regression", "invalid") for own in (2, 3, 4, 5)),
    ],
)
def test_precedence(verdict: str | None, own: int, expected: int) -> None:
    assert status(verdict, own) == expected


def test_inconclusive_may_pass_but_not_failed_tests() -> None:
    assert status("inconclusive", 0, "pass") == 0
    assert status("inconclusive", 1, "pass") == 1
    assert status("regression", 0, "pass") == 10


NOW = "2026-11-22T00:00:00+00:00"


def rules_of(tmp_path: Path, *cells: str, **settings: Any) -> Any:
    run = run_of(tmp_path, PASSKEY, **settings)
    return rules(run, measured(run, *cells), NOW, RunLooks.all("equal") if run.settings.looks else AT_ONCE)


def test_the_rules_are_those_of_the_options(tmp_path: Path) -> None:
    rules = rules_of(tmp_path, margin=0.1, alpha=0.01, max_age=3, looks=False)
    assert (rules.margin, rules.alpha, rules.looks) == (0.1, 0.01, AT_ONCE)
    assert rules.age == AgeLimit(NOW, 3)
    assert rules_of(tmp_path).age == AgeLimit(NOW, 7)


def test_a_part_of_the_grid_is_distinguished_from_all(tmp_path: Path) -> None:
    cells = "window-256-k-128", "window-256-k-256"
    assert rules_of(tmp_path, *cells).left_out == 0
    assert rules_of(tmp_path, *cells[1:]).left_out == 1
    assert rules_of(tmp_path, *cells, only_trial="0").left_out == 2


def test_the_rules_have_the_profiles_tables(tmp_path: Path) -> None:
    [grid] = rules_of(tmp_path).grids["passkey", "toy"]
    assert isinstance(grid, PasskeyAxes)
    assert grid.min_k_max == 200
