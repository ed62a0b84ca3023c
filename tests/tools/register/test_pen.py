"""The pen draws the same for ever, and its templates say what they should."""

import pytest

from tools.register.pen import Pen, listed, with_article

GOLDEN = [798, 532, 410, 47, 131, 158, 139, 271]


def test_the_stream_is_frozen() -> None:
    """Golden draws: RandomState must never give others, or every shipped text would change."""
    pen = Pen("golden", 1)
    assert [pen.below(1000) for _ in range(8)] == GOLDEN
    assert [Pen("golden", 2).below(1000) for _ in range(3)] != GOLDEN[:3]


def test_dealing_gives_different_items_and_no_more_than_there_are() -> None:
    assert sorted(Pen("x").deal("abcde", 5)) == list("abcde")
    assert len(set(Pen("x").spread(10, 40, 5, 7))) == 7
    with pytest.raises(ValueError, match="3 wanted of 2"):
        Pen("x").deal("ab", 3)


def test_choices_nest_and_slots_are_filled() -> None:
    drawn = {
        Pen("say", n).say("<a|b <c|d>> {who!c} and {what!n}, {n!w} {n!W} {n:,}", {"who": "ann", "what": "owl", "n": 3})
        for n in range(40)
    }
    assert drawn == {f"{start} Ann and an owl, three Three 3" for start in ("a", "b c", "b d")}


def test_a_slot_may_hold_a_formula() -> None:
    pen, facts = Pen("x"), {"fleet": 40, "hours": [7, 8]}
    assert pen.say("{fleet * 2:04d} of {hours[1:][0]!w}", facts) == "0080 of eight"
    assert pen.say("{twice(fleet)!w} hours", facts, {"twice": lambda n: n * 2}) == "80 hours"


def test_a_template_that_is_one_slot_keeps_the_value() -> None:
    assert Pen("x").value("{[fleet][:1]}", {"fleet": 40}, {}) == [40]
    assert Pen("x").value("{fleet:,}", {"fleet": 4000}, {}) == "4,000"
    assert Pen("x").value("the {fleet}", {"fleet": 40}, {}) == "the 40"


def test_empty_choices_leave_no_gaps() -> None:
    assert {Pen("gap", n).say("It rose <again|> . So") for n in range(20)} == {"It rose again. So", "It rose. So"}
    assert Pen("x").say("until {end}. Then", {"end": "5 p.m."}) == "until 5 p.m. Then"


@pytest.mark.parametrize(
    ("noun", "article"), [("unit", "a"), ("owl", "an"), ("hour", "an"), ("one", "a"), ("MFS rule", "an")]
)
def test_articles(noun: str, article: str) -> None:
    assert with_article(noun) == f"{article} {noun}"


def test_lists() -> None:
    assert [listed(["a"]), listed(["a", "b"]), listed(["a", "b", "c"])] == ["a", "a and b", "a, b, and c"]
