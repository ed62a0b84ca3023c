"""Short answers: which questions are asked, how they are asked, and what counts as right."""

from __future__ import annotations

import hashlib
import re
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.corpus.question_bank import load_bank
from longctx.protocols.collages import record_of
from longctx.protocols.short_answers import is_short, judge_answer
from longctx.vocabulary.bank import Item
from longctx.vocabulary.point import Outcome
from tests.given import reply, words_of
from tests.here import HERE
from tests.protocols import Collage, ShortAnswers
from tests.protocols.bank import small_bank

WORDS = words_of(ShortAnswers)
REGISTER = load_bank(HERE, None, None, "", "register")
CELL = ShortAnswers(3_000, 600, 50, bank=lambda: REGISTER)


def outcome(text: str, right: str, *wrong: str, accepted: tuple[str, ...] = (), stop: str = "end_turn") -> Outcome:
    first, second, third = (*wrong, "no", "none", "never")[:3]
    item = Item("q", "s", "How long?", right, (first, second, third), accepted)
    return judge_answer(reply(text, stop), item)


@pytest.mark.parametrize(
    "text",
    [
        "<Answer>1,200 metric tons</Answer>",
        "<answer>1200 metric tons.",
        "1,200",
        "The quota is 1200 metric tons.",
        "Perhaps more. <Answer>about 1,200 Metric Tons</Answer>",
    ],
)
def test_accepted_forms_of_a_quantity(text: str) -> None:
    assert outcome(text, "1,200 metric tons", "800 metric tons").kind == "correct"


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("<Answer>800 metric tons</Answer>", "wrong"),
        ("<Answer>800 or 1,200 metric tons</Answer>", "wrong"),
        ("<Answer>12</Answer>", "wrong"),
        ("<Answer></Answer>", "unparseable"),
        ("", "unparseable"),
        (" ".join(["1,200 tons"] * 14), "unparseable"),
    ],
)
def test_what_is_not_right(text: str, kind: str) -> None:
    assert outcome(text, "1,200 metric tons", "800 metric tons").kind == kind


def test_a_right_answer_may_hold_a_wrong_one() -> None:
    assert outcome("The Board of Trade", "The Board of Trade", "The Board").kind == "correct"
    assert outcome("the board", "The Board of Trade", "The Board").kind == "wrong"


def test_a_question_may_name_other_forms() -> None:
    assert outcome("M.F.S.", "Marine Fisheries Service", accepted=("M.F.S.",)).kind == "correct"


def test_a_reply_that_is_cut_off_before_its_tag_is_truncated() -> None:
    assert outcome("The quota of the", "1,200 tons", stop="max_tokens").kind == "truncated"
    assert outcome("1,200 tons", "1,200 tons", stop="refusal").kind == "refusal"


@given(st.text(max_size=60))
def test_any_reply_is_judged(text: str) -> None:
    assert outcome(text, "30 hours", "84 hours").kind in ("correct", "wrong", "unparseable")


def test_only_questions_with_short_answers_are_asked_in_the_same_records() -> None:
    indices = CELL.indices(30)
    assert len(indices) == 30
    assert all(is_short(REGISTER.items[index].right) for index in indices)
    collage = Collage(3_000, 600, 50, "none", bank=lambda: REGISTER)
    trial = CELL.build(WORDS, 0, indices[0])
    assert record_of(collage, indices[0], 0).text in trial.user
    assert not re.search(r"^[A-D]\. ", trial.user, re.MULTILINE)


def test_every_right_answer_of_the_register_is_judged_right_and_every_wrong_one_wrong() -> None:
    for index in CELL.indices(1_000):
        item = REGISTER.items[index]
        assert outcome(item.right, item.right, *item.wrong).kind == "correct", item.id
        assert {outcome(wrong, item.right, *item.wrong).kind for wrong in item.wrong} == {"wrong"}, item.id


def read(user: str) -> set[str]:
    """Read a prompt that asks how many there are of something, apart from the bank: return each number of that unit in
    the one notice that has all names of the question."""
    [asked] = re.findall(r"<Question>\s*(.*?)\s*</Question>", user, re.DOTALL)
    [record] = re.findall(r"<Record>(.*)</Record>", user, re.DOTALL)
    notices = [" ".join(notice.split()) for notice in re.split(r"(?<=[ap]m\])\s+", record)]
    names = set(re.findall(r"\b[A-Z]\w+(?:[–-]\w+)*", asked[1:]))
    [notice] = [notice for notice in notices if all(name in notice for name in names)]
    ahead = re.search(r"how many ((?:[a-z]+ ){1,3}?)(?:must|does|is|are|was|would)\b", asked, re.IGNORECASE)
    unit = ahead[1].split()[-1] if ahead else re.findall(r"many (?:[a-z]+ )??([a-z]+s)\b", asked)[0]
    return set(re.findall(rf"(\d[\d,]*) (?:[a-z]+ )?{unit}\b", notice))


def test_an_independent_reading_finds_the_answer_and_no_wrong_one() -> None:
    cell = ShortAnswers(20_000, 2_100, 50, bank=lambda: REGISTER)
    alone = 0
    for index in cell.indices(1_000):
        item = REGISTER.items[index]
        if "how many" in item.question.lower():
            trial = cell.build(WORDS, 0, index)
            numbers = read(trial.user)
            right, *wrong = (each.split()[0] for each in (item.right, *item.wrong))
            assert right in numbers, item.id
            assert not {*wrong} & numbers, item.id
            if len(numbers) == 1:
                alone += 1
                assert trial.judge(reply(f"There are {right}.")).kind == "correct"
    assert alone > 10


def test_a_bank_without_answers_that_can_be_judged_says_so() -> None:
    meaning = load_bank(HERE, None, None, "", "register-meaning")
    paraphrased = ShortAnswers(3_000, 600, 50, bank=lambda: meaning)
    assert not paraphrased.indices(100)
    assert "paraphrases" in paraphrased.items.why_empty
    bank = small_bank(version=2)
    long = replace(bank, items=tuple(replace(item, right="old " * 9 + item.right) for item in bank.items))
    kept = replace(long, kept=frozenset(map(long.item_name, range(len(long.items)))))
    wordy = ShortAnswers(400, 60, 50, bank=lambda: kept)
    assert not wordy.indices(100)
    assert "at most 6 words" in wordy.items.why_empty


def test_prompts_are_frozen() -> None:
    trials = [CELL.build(WORDS, seed, index) for seed in (0, 7) for index in CELL.indices(3)]
    text = "".join(f"{trial.system}/{trial.user}/{trial.expected}" for trial in trials)
    assert hashlib.sha256(text.encode()).hexdigest()[:16] == "bb6e55858c3621a6"


def test_distractors_are_in_the_name() -> None:
    bank = small_bank(version=2)
    with_four = ShortAnswers(400, 60, 50, bank=lambda: bank, distractors=2)
    assert with_four.slug == "budget-400-longest-60-depth-50-distractors-2"
    assert with_four.indices(3)


def test_the_forms_that_are_accepted_are_part_of_what_judges_a_trial() -> None:
    """A form that is added to a bank of version 2 leaves its question the same."""
    bank = small_bank(version=2)
    more = replace(bank, items=tuple(replace(item, accepted=("the",)) for item in bank.items))
    cells = (ShortAnswers(200, 60, 50, bank=lambda: bank), ShortAnswers(200, 60, 50, bank=lambda: more))
    plain, widened = (cell.run(WORDS, 0, 0, 0, lambda built: None)[0] for cell in cells)
    assert plain.identity == widened.identity
    assert (plain.accepted, widened.accepted) == ((), ("the",))
