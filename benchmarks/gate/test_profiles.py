"""The simulation of the shipped profiles draws what it says, and its gates are the gate."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from benchmarks.gate.profiles import (
    OWN,
    PARTS,
    PLACES,
    PR,
    SHIPPED,
    SHORT,
    Case,
    Gate,
    Gated,
    changed,
    correlation,
    draw,
    judged,
    price,
    simulate,
)
from longctx.config.profiles import load_profile
from longctx.engine.loads import planned as loads_of_profile
from longctx.engine.run_plan import Plan
from longctx.engine.settings import Settings
from longctx.gate.bands import Band, BandLooks, LookEvidence, Tallied, judge_run
from longctx.gate.evidence import Evidence, changed_together
from longctx.stats.averaged import AnswerPair
from longctx.stats.clustered import ByCluster
from longctx.stats.concentrated import together
from longctx.stats.group_sequential import planned
from longctx.workspace import Workspace

HERE = Workspace(Path(__file__).parents[2])
SIDES = {0: ((True,), (True,)), 1: ((False,), (True,)), -1: ((True,), (False,))}
"""The answers before and after that make each change."""


@pytest.mark.parametrize(
    ("rate", "discordance", "correlated"), [(0.9, 0.05, 0.05), (0.7, 0.2, 0.05), (0.7, 0.02, 0.034)]
)
def test_pairs_change_as_often_as_said_and_correlate_in_contexts(
    rate: float, discordance: float, correlated: float
) -> None:
    random = np.random.default_rng(0)
    drawn = draw(Gated("", 4_000, 4), Case(PR, rate, discordance), 10, random)
    assert drawn.before.mean() == pytest.approx(rate, abs=0.005)
    assert (drawn.changes != 0).mean() == pytest.approx(discordance, rel=0.05)
    assert drawn.changes.mean() == pytest.approx(0, abs=0.003)
    assert correlation(rate, discordance, contexts=40_000) == pytest.approx(correlated, abs=0.015)


@pytest.mark.parametrize("documents", [None, 0.2])
def test_a_drop_has_its_size(documents: float | None) -> None:
    case = Case(SHORT, drops={"fallen": 0.1}, documents=documents)
    drawn = draw(Gated("fallen", 4_000, 4), case, 20, np.random.default_rng(0))
    assert drawn.changes.mean() == pytest.approx(-0.1, abs=0.005)
    others = drawn.changes[~drawn.fallen]
    assert drawn.fallen.sum(axis=1).tolist() == [200 if documents else 0] * 20
    assert others.mean() == pytest.approx(0 if documents else -0.1, abs=0.005)


CLUSTERED = (Gated("a", 200, 4), Gated("b", 120), Gated("c", 45))
ALONE = (Gated("a", 120), Gated("b", 120), Gated("c", 120))


@pytest.mark.parametrize(
    "gate", [Gate("", 0.1, CLUSTERED), Gate("", 0.25, CLUSTERED, run_margin=0.1), Gate("", 0.25, ALONE, run_margin=0.1)]
)
def test_its_gates_are_the_gate(gate: Gate) -> None:
    seen, alone = set(), gate.bands == ALONE
    for drops in ({}, {"a": 0.05}, {"b": 0.12}, {"a": 0.3}, dict.fromkeys("abc", 0.06)):
        random = np.random.default_rng(1)
        drawn = [draw(band, Case(gate, 0.8, 0.2, drops), 3, random).changes for band in gate.bands]
        result = judged(gate, drawn)
        for place in range(3):
            looks = {
                Band(band.name, "all"): looks_at(changes[place], gate.margin)
                for band, changes in zip(gate.bands, drawn, strict=True)
            }
            given, of_run = judge_run(looks, gate.margin, 0.05, run_margin=gate.run_margin)
            assert of_run is not None
            verdicts = [band.verdict for band, _ in given]
            seen |= {*verdicts, f"run {of_run[0].verdict}"}
            assert result.found[place] == ("regression" in (*verdicts, of_run[0].verdict))
            together = gate.run_margin is None or of_run[0].verdict == "pass"
            assert result.passed[place].tolist() == [verdict == "pass" and together for verdict in verdicts]
            sizes = [1 if alone else 4, 1, 1]
            assert (result.looked[place] * sizes).tolist() == [band.n for band, _ in given]
            if gate.run_margin is None or not together:
                assert (result.asked[place] * sizes).sum() == of_run[0].n
    assert seen >= {"pass", "regression", "run regression", "run pass" if alone else "run inconclusive"}


def looks_at(changes: np.ndarray, margin: float) -> BandLooks:
    """Return the evidence of a band as the gate has it. changes: shape (contexts, trials of each)."""
    keyed = {place: [SIDES[change] for change in context] for place, context in enumerate(changes.tolist())}
    looks, at = planned("few", len(changes), changes.size, margin, 0.05), []
    for end in looks.ends(len(changes)):
        asked = ByCluster.of({place: keyed[place] for place in range(end)})
        at.append(LookEvidence(asked.averaged, asked.averaged, answers=Tallied(asked, asked)))
    return BandLooks(looks, at)


def test_it_lists_the_documents_that_the_report_lists() -> None:
    case = Case(OWN, drops={"documents": 0.1}, documents=0.14)
    drawn = draw(OWN.bands[0], case, 1, np.random.default_rng(1))
    answers: dict[object, list[AnswerPair]] = {
        f"{place:02}": [((before,), (after,)) for before, after in zip(*sides, strict=True)]
        for place, sides in enumerate(zip(drawn.before[0].tolist(), drawn.after[0].tolist(), strict=True))
    }
    named = {int(cluster.cluster) for cluster in changed_together([Evidence(ByCluster.of(answers))])[0]}
    assert named == set(together(changed(drawn, 0, 50))[0])
    assert named & set(np.flatnonzero(drawn.fallen[0]).tolist())


@pytest.mark.parametrize("gate", SHIPPED, ids=lambda gate: gate.name)
def test_the_simulated_profiles_have_the_bands_and_margins_of_those_that_are_shipped(gate: Gate) -> None:
    loads = loads_of_profile(Plan(Settings(profile=gate.name, models=("claude-haiku-5-5",)), HERE))
    assert {f"{band.test}, {band.name}": (load.trials, load.clusters) for (_, band), load in loads.items()} == {
        band.name: (band.trials, band.contexts) for band in gate.bands
    }
    profile = load_profile(HERE, gate.name)
    assert (profile.margin, profile.run_margin, profile.looks) == (gate.margin, gate.run_margin, gate.plan)
    places = {place for band in gate.bands for place in (band.name, band.test, "everywhere")}
    assert places >= set(PLACES[gate.name])


def test_a_gate_is_priced() -> None:
    assert price(PR, "claude-haiku-5-5", simulate(Case(PR), 1)).count("$") == 2


@pytest.mark.parametrize(("title", "part"), PARTS[3:])
def test_it_gives_tables(title: str, part) -> None:  # type: ignore[no-untyped-def]
    lines = part(1).splitlines()
    assert all(one.count("|") == other.count("|") for one, other in pairwise(lines)), title
