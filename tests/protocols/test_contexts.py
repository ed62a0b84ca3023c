"""Several questions about one context: the prompts differ in their end alone, and each question is another."""

from __future__ import annotations

import dataclasses
import hashlib

import pytest

from longctx.live.cost.prefixes import common_length
from longctx.protocols.collages import contexts
from longctx.protocols.coreference import conversation_of, exchange_count
from longctx.registry import shipped
from longctx.vocabulary.bank import Item
from longctx.vocabulary.point import BuiltTrial, Point
from tests.given import reply, words_of
from tests.protocols import Collage, Coreference, GraphWalks, MultipleNeedles, VariableTracking
from tests.protocols.bank import small_bank
from tests.protocols.tokens import fixtures

BANK = small_bank()
CONVERSED = {"exchange": 98.35, "fixed": 364}
OF_NEEDLES = {"filler": 24.0, "needle": 20.0, "query": 5.0, "fixed": 120.0}
OF_CHAINS = {"filler": 24.0, "first": 10.0, "hop": 12.0, "fixed": 320.0}
CELLS: list[Point] = [
    Coreference(2, 6000, tokens=CONVERSED, questions=3),
    GraphWalks(2000, "bfs", 1, tokens={"edge": 10.0}, questions=3),
    VariableTracking(2500, 3, 4, tokens=OF_CHAINS, questions=3),
    MultipleNeedles(2500, 8, 1, 2, tokens=OF_NEEDLES, questions=3),
    *(Collage(400, 200, depth, "none", bank=lambda: BANK, questions=3) for depth in (0, 50, 100)),
    Collage(400, 60, 50, "two", bank=lambda: BANK, questions=2),
]
several = pytest.mark.parametrize("cell", CELLS, ids=lambda cell: f"{cell.test}-{cell.slug}")


def trials_of(cell: Point, number: int) -> list[BuiltTrial]:
    words = words_of(type(cell))
    return [cell.build(words, 0, index) for index in cell.indices(number)]


@several
def test_the_questions_of_a_context_share_all_but_their_end(cell: Point) -> None:
    number = cell.questions_per_context
    same, other = trials_of(cell, 2 * number)[:number], trials_of(cell, 2 * number)[number:]
    shared = min(common_length(same[0].user, trial.user) for trial in same[1:])
    assert shared > 0.7 * min(len(trial.user) for trial in same)
    assert len({trial.prefix for trial in same}) == 1
    assert len({(trial.user, trial.expected) for trial in same}) == number
    assert common_length(same[0].user, other[0].user) < 0.6 * shared
    assert other[0].prefix != same[0].prefix


@several
def test_a_context_is_a_cluster(cell: Point) -> None:
    number = cell.questions_per_context
    clusters = [cell.cluster(index) for index in cell.indices(2 * number)]
    assert len(set(clusters[:number])) == 1
    assert clusters[0] != clusters[number]
    assert all(clusters)


@several
def test_its_name_says_how_many_questions_share_a_context(cell: Point) -> None:
    number = cell.questions_per_context
    assert cell.slug.endswith(f"-questions-{number}")
    kept = {"bank": lambda: BANK} if isinstance(cell, Collage) else {}
    assert type(cell).from_slug(cell.slug, **kept).slug == cell.slug


@several
def test_the_prefix_is_known_without_building(cell: Point) -> None:
    words = words_of(type(cell))
    for index in cell.indices(4):
        assert cell.prefix(words, 0, index) == cell.build(words, 0, index).prefix


def test_a_question_about_another_chain_has_the_right_answer() -> None:
    cell = CELLS[2]
    for trial in trials_of(cell, 3):
        assert trial.judge(reply(trial.expected)).kind == "correct"
    expected = [trial.expected.split() for trial in trials_of(cell, 3)]
    assert len({name for names in expected for name in names}) == 3 * 5


def test_each_request_of_a_conversation_has_its_alike_texts() -> None:
    cell = CELLS[0]
    words = words_of(type(cell))
    for index, trial in enumerate(trials_of(cell, 3)):
        draw, number = fixtures(cell, index=index)
        facts = conversation_of(draw, words, cell, number)
        answer = f"{facts.code}\n\n{facts.instances[facts.asked - 1]}"
        assert len(facts.instances) == 2
        assert trial.judge(reply(answer)).kind == "correct"
        asked = (facts.rows[:, :2] == facts.rows[facts.alike[0], :2]).all(axis=1)
        assert asked.sum() == 2


def test_another_question_in_the_bank_changes_the_collages_of_its_lot_alone() -> None:
    items = tuple(Item(f"q{number}", f"s{number}", "Q?", "a", ("b", "c", "d")) for number in range(400))
    bank = dataclasses.replace(BANK, items=items)
    more = dataclasses.replace(bank, items=(*items, Item("new", "new", "Q?", "a", ("b", "c", "d"))))
    before = set(contexts(bank, tuple(range(400)), 4))
    after = set(contexts(more, tuple(range(401)), 4))
    assert len(before & after) > 0.85 * len(before)
    assert sorted(index for context in before for index in context) == list(range(400))


@pytest.mark.parametrize(
    ("make", "why"),
    [
        (lambda: VariableTracking(4000, 2, 4, questions=3), "no more `questions` than chains"),
        (lambda: MultipleNeedles(4000, 4, 1, 2, questions=3), "fewer `questions`"),
        (
            lambda: exchange_count(Coreference(2, 3000, tokens=CONVERSED, questions=8)),
            "no room for 16 similar texts",
        ),
    ],
)
def test_a_context_without_so_many_questions_is_refused(make, why: str) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match=why):
        make()


def test_a_profile_gives_the_number_of_questions() -> None:
    tests = shipped()
    grid = tests["variable_tracking"].axes(windows=(4000,), chains=(4,), trials=8, questions=4)
    assert [cell.slug for cell in grid.made_cells(lambda: BANK)] == ["window-4000-chains-4-hops-4-questions-4"]
    single = tests["coreference"].axes(windows=(4000,), needles=(2,), trials=8)
    assert [cell.slug for cell in single.made_cells(lambda: BANK)] == ["needles-2-window-4000"]


def test_a_seed_builds_the_same_contexts_for_ever() -> None:
    texts = [trial.user for cell in CELLS for trial in trials_of(cell, 2)]
    assert (
        hashlib.sha256("\0".join(texts).encode()).hexdigest()
        == "379458a49085e89e26a90a8f057cfc59ba925a774bfb0fbe34e66cfd8be6b30a"
    )
