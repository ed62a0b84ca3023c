"""Asking in balanced rounds."""

from __future__ import annotations

import dataclasses
from collections import Counter, defaultdict

from longctx.live.rounds import ROUNDS, in_rounds, round_of
from longctx.recording.case import Case, Question
from longctx.vocabulary.scenario import Scenario
from tests.recording.examples import line_case, passkey_case


def all_of(cases: list[Case]) -> list[Question]:
    return [question for case in cases for question in case.questions()]


def test_each_round_holds_as_much_of_every_scenario() -> None:
    cases = [line_case(lines, trials=50) for lines in (3, 5, 7)]
    rounds = in_rounds(cases, all_of(cases))
    assert len(rounds) == ROUNDS
    for part in rounds:
        counts = Counter(question.case.id for question in part)
        assert set(counts.values()) <= {2, 3}
        assert len(counts) == 3
        assert len(set(counts.values())) == 1


def test_no_round_is_empty_and_none_is_asked_twice() -> None:
    cases = [line_case(3, trials=2), passkey_case(trials=3)]
    rounds = in_rounds(cases, all_of(cases))
    assert all(rounds)
    assert sorted(question.key for part in rounds for question in part) == sorted(
        question.key for question in all_of(cases)
    )
    assert in_rounds(cases, []) == []


def test_the_round_depends_on_the_seed_and_not_on_what_is_left() -> None:
    case = line_case(trials=40)
    whole = in_rounds([case], case.questions())
    last = whole[-1]
    assert in_rounds([case], last) == [last]
    assert in_rounds([case], case.questions()) == whole
    other = dataclasses.replace(case, seed=1)
    assert [[question.index for question in part] for part in in_rounds([other], other.questions())] != [
        [question.index for question in part] for part in whole
    ]
    assert [question.index for part in whole for question in part] != list(range(40))


def test_a_round_keeps_the_order_it_is_given() -> None:
    cases = [line_case(lines, trials=50) for lines in (3, 5)]
    questions = all_of(cases)[::-1]
    places = {question.key: place for place, question in enumerate(questions)}
    for part in in_rounds(cases, questions):
        assert part == sorted(part, key=lambda question: places[question.key])


def test_repeats_of_a_trial_are_asked_together() -> None:
    case = dataclasses.replace(line_case(trials=40), repeats=3)
    for part in in_rounds([case], case.questions()):
        assert set(Counter(question.index for question in part).values()) == {3}


def test_a_cluster_is_asked_together_in_all_scenarios_of_its_band() -> None:
    class Clustered(type(line_case().scenario)):  # type: ignore[misc]
        def cluster(self, index: int) -> str:
            return f"section-{index // 3}"

    scenarios: list[Scenario] = [Clustered(3), Clustered(5)]
    cases = [dataclasses.replace(line_case(trials=60), scenario=scenario) for scenario in scenarios]
    rounds_of = defaultdict(set)
    rounds = in_rounds(cases, all_of(cases))
    for place, part in enumerate(rounds):
        for question in part:
            rounds_of[question.case.scenario.cluster(question.index)].add(place)
    assert len(rounds_of) == len(rounds) == ROUNDS
    assert all(len(places) == 1 for places in rounds_of.values())


def test_few_are_spread_over_the_rounds() -> None:
    assert list(round_of(2)) == [0, ROUNDS // 2]
    assert Counter(round_of(50)).keys() == set(range(ROUNDS))
