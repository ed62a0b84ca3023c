"""Treatments, and which candidate of an upgrade is the best."""

from __future__ import annotations

import datetime
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from longctx.engine.run import Run
from longctx.engine.settings import Settings
from longctx.engine.upgrade import Candidate, MeasuredTreatment, Treatment, Upgrade, Upgrading
from longctx.gate.verdict import give_verdict
from longctx.results.row import Row
from longctx.results.trial_view import View
from tests.gate.examples import AGELESS
from tests.refusals import refused
from tests.rows import right_of, run


def measured(name: str, right: int, usd: float | None) -> MeasuredTreatment:
    rows: list[Row] = run(*right_of(right, 200), band="all", model=name, cost_usd=usd)
    return MeasuredTreatment(Treatment.of(name), rows, [])


def best(*candidates: tuple[str, int, float | None]) -> str:
    old = measured("old", 180, 0.01)
    new = [measured(*candidate) for candidate in candidates]
    return Upgrade(old, tuple(Candidate(each, give_verdict(old.rows, each.rows, AGELESS)) for each in new)).best.name


def test_the_cheapest_that_passes_is_the_best() -> None:
    assert best(("dear", 185, 0.02), ("cheap", 180, 0.01), ("bad", 100, 0.001)) == "cheap"


def test_a_candidate_without_a_price_comes_after_the_others() -> None:
    assert best(("free to guess", 180, None), ("dear", 180, 9.0)) == "dear"


def test_no_verdict_is_better_than_a_shown_regression() -> None:
    assert best(("bad", 100, 0.001), ("undecided", 176, 0.02)) == "undecided"


def test_a_treatment_changes_only_what_it_names() -> None:
    common = Settings(profile="lines", prompts=("chatty",), base_url="http://a")
    settings = Treatment.of("m, effort=high,shape=chat,strategy=truncate").settings(common)
    assert (settings.models, settings.prompts, settings.shapes) == (("m",), ("chatty",), ("chat",))
    assert settings.strategies == ("truncate",)
    assert (settings.base_url, settings.model_profiles) == ("http://a", {"m": {"effort": "high"}})
    assert Treatment.of("m,prompts=mine").settings(common).prompts == ("mine",)


def test_a_candidate_that_nothing_clear_is_compared_with_is_refused_before_anything_is_asked(tmp_path: Path) -> None:
    table = {"lines": [3], "orders": ["ordered"], "trials": 2, "prompts": ["protocol", "question"]}
    settings = Settings(profile={"line_retrieval": table})
    upgrading = Upgrading([Treatment.of("old"), Treatment.of("new,prompts=protocol")], settings, tmp_path, tmp_path)
    with refused("unclear-upgrade", "'new, prompts=protocol'"):
        upgrading.measure(max_cost=1)


def test_a_server_s_address_is_not_in_the_name() -> None:
    treatment = Treatment.of("m,base_url=http://user:secret@host,effort=low")
    assert treatment.name == "m, effort=low"
    assert treatment.settings(Settings()).base_url == "http://user:secret@host"


@pytest.mark.parametrize("text", ["", ",effort=low", "m,effort", "m,effort=", "m,effort=most", "m,x=1", "m,shape=ball"])
def test_what_is_no_treatment_is_refused(text: str) -> None:
    with refused("bad-treatment"):
        Treatment.of(text)


@dataclass
class MadeTrials:
    """The trials of a treatment, of which some lack an answer until they are asked."""

    run: Run
    caps: list[float]
    right: int = 180

    def estimate(self) -> None:
        raise AssertionError("nothing is estimated")

    def ask(self, max_cost: float) -> float:
        self.caps.append(max_cost)
        return 0.4

    def measure(self) -> Sequence[Any]:
        """Each has answers of long ago; until it is asked, one trial lacks one."""
        [model] = self.run.settings.models
        outcomes = ["correct"] * self.right, ["wrong"] * (199 - self.right), ["wrong" if self.caps else "not_asked"]
        made = run(*chain(*outcomes), band="all", model=model, model_returned=model, recorded_at="2020-01-01T00:00:00Z")
        return [SimpleNamespace(rows=made, views=[View("")] * len(made), texts=(), cell=SimpleNamespace(size=1))]


def upgraded(tmp_path: Path, caps: list[float], *names: str, unpriced: str = "") -> Upgrade:
    prices = {"prices": {"input": 1, "output": 1, "dated": datetime.date(2026, 1, 1)}}
    settings = Settings(
        profile={"line_retrieval": {"lines": [5], "orders": ["ordered"], "trials": 200}},
        alpha=0.06,
        model_profiles={name: prices for name in ("old", *names) if name != unpriced},
    )
    treatments = [Treatment.of(name) for name in ("old", *names)]
    upgrading = Upgrading(treatments, settings, tmp_path, tmp_path, lambda _: None, lambda of: MadeTrials(of, caps))
    return upgrading.measure(max_cost=1.0)


def test_a_candidate_without_prices_is_named_before_the_others_are_paid(tmp_path: Path) -> None:
    caps: list[float] = []
    with refused("max-cost-without-prices", "the profile of two has none"):
        upgraded(tmp_path, caps, "one", "two", unpriced="two")
    assert not caps


def test_candidates_share_alpha_and_the_cap_and_answers_of_any_age_count(tmp_path: Path) -> None:
    caps: list[float] = []
    decided = upgraded(tmp_path, caps, "one", "two", "three")
    assert caps == pytest.approx([1.0, 0.6, 0.2, 0.0])
    assert [candidate.verdict.rules.alpha for candidate in decided.candidates] == pytest.approx([0.02] * 3)
    assert [candidate.verdict.reasons for candidate in decided.candidates] == [()] * 3
    assert [candidate.verdict.verdict for candidate in decided.candidates] == ["pass"] * 3
