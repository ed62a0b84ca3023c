"""The warning about a gate that would seldom pass, before anything is paid."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.cells.cell import Cell
from longctx.config.profiles import load_profile
from longctx.engine.preflight import as_baseline, cannot_pass, unpowered
from longctx.engine.run import Run
from longctx.engine.settings import Settings
from longctx.gate.power import Target
from tests.given import written
from tests.here import HERE

HALF = """
[line_retrieval]
lines = [5, 20]
orders = ["ordered"]
trials = { short = 40, long = 400 }
bands = { short = 5, long = 20 }
"""

OFTEN = """
[control]
trials = 430

[collage]
budgets = [70000, 95000]
trials = 430
bands = { 70k = 70000, 95k = 95000 }

[passkey]
windows = [8192]
distances = 32
trials = 10
"""


def cells(profile: str) -> list[Cell]:
    settings = Settings(profile=profile, models=("claude-haiku-5-5",))
    return Run.with_settings(settings, HERE.root).plan.cells


@pytest.mark.parametrize(
    ("name", "margin"),
    [("gate", 0.075), ("gate-pr", 0.25), ("gate-short", 0.125), ("gate-sets", 0.1), ("gate-truth", 0.1)],
)
def test_nothing_is_reported_of_the_profiles_for_gates(name: str, margin: float) -> None:
    profile = load_profile(HERE, name)
    assert profile.margin == margin
    assert unpowered(cells(name), Target(margin, looks=profile.looks, run_margin=profile.run_margin)) is None


def test_a_baseline_of_one_run_is_foreseen_at_two_noises() -> None:
    sentence = as_baseline(cells("gate"), Target(0.075, looks="early"))
    assert "if 10% of pairs change by chance, in 96% against a baseline of one run, 100% of three runs" in sentence
    assert "if 20% of pairs change by chance, in 48% against a baseline of one run, 85% of three runs" in sentence


def test_bands_that_are_missing_trials_are_named_with_their_odds(tmp_path: Path) -> None:
    file = written(tmp_path / "half.toml", HALF)
    assert unpowered(cells(str(file)), Target(0.1)) == (
        "Underpowered: if nothing has changed but 10% of pairs by chance, this gate passes with a probability of 56% "
        "(line_retrieval, short 56%). `longctx plan` computes the number of trials that it needs."
    )


def test_few_sections_asked_often_are_few_and_only_the_worst_bands_are_named(tmp_path: Path) -> None:
    file = written(tmp_path / "often.toml", OFTEN)
    warnings = unpowered(cells(str(file)), Target())
    assert warnings is not None
    assert "a probability of 0% (passkey, all 5%; collage, 70k 23%; collage, 95k 23%; 1 more)" in warnings


def test_all_bands_together_are_warned_of_where_a_margin_is_stated() -> None:
    of_profile = cells("gate-pr")
    assert list(cannot_pass(of_profile, Target(0.25, run_margin=0.075))) == []
    [sentence] = cannot_pass(of_profile, Target(0.25, run_margin=0.01))
    assert sentence.startswith("All bands together: 234 trials cannot pass at a margin of 1%: use ")
    warning = unpowered(of_profile, Target(0.25, run_margin=0.05))
    assert warning is not None
    assert "All bands together 6" in warning or "all tests" in warning
    said = as_baseline(of_profile, Target(0.25, run_margin=0.075))
    assert said.startswith(
        "As a baseline of line_retrieval, collage, coreference, variable_tracking: an unchanged model passes in all 4 "
        "bands at a margin of 25%, and one of 7.5% of all bands together, if 10% of pairs change by chance, in 95% "
        "against a baseline of one run, 99% of three runs"
    )
