"""The checker finds every kind of planted fault, and nothing in sound questions."""

import pytest

from longctx.authoring.faults import at_least, check, phrases, specifics
from longctx.corpus.documents import Corpus
from longctx.corpus.question_bank import BankQuestion
from tests.corpus.examples import BRIDGE, HARBOR, corpus, question, section


def found(*questions: BankQuestion, documents: Corpus | None = None) -> list[tuple[str, str]]:
    return [(finding.kind, finding.question) for finding in check(documents or corpus(), questions)]


def test_sound_questions_pass() -> None:
    other = question(
        "q2",
        question="How deep will the basin of Tavmouth be?",
        right="12 meters",
        wrong=("14 meters", "31 meters", "7 meters"),
    )
    bridge = question(
        "q3",
        section="bridge",
        question="What must carts use while the Bridge Office of Kestwick closes the bridge?",
        right="The ferry",
        wrong=("The quay", "The tunnel", "The ford"),
    )
    assert found(question(), other, bridge) == []


@pytest.mark.parametrize(
    ("changed", "kind"),
    [
        ({"question": "Where must ships moor according to this notice of the Harbor Commission?"}, "points"),
        ({"question": "According to the passage, where must ships moor in Tavmouth?"}, "points"),
        ({"right": "At the northern quay, where the water is deepest and the wind is least"}, "length"),
        ({"right": "Quay", "wrong": ("Beside the ferry ramp", "In the outer harbor", "Off the bridge")}, "length"),
        ({"wrong": ("In the inner\u200b basin", "In the outer harbor", "Off the swing bridge")}, "hidden characters"),
        ({"wrong": ("B) In the inner basin", "In the outer harbor", "Off the swing bridge")}, "letter"),
        ({"right": "In the western dock"}, "right answer"),
        ({"wrong": ("In the inner basin", "In the outer harbor", "Off the swing bridge")}, "wrong answer"),
        ({"wrong": ("The northern quay", "In the outer harbor", "Off the swing bridge")}, "wrong answer"),
        ({"question": "Where must they moor?", "section": "bridge", "right": "At the ferry"}, "which section"),
        ({"question": "Where must ships moor in Velmouth?"}, "which section"),
    ],
    ids=[
        "this notice",
        "the passage",
        "right answer longest",
        "right answer shortest",
        "zero-width space",
        "letter of a choice",
        "right answer nowhere",
        "wrong answer stands in the section",
        "wrong answer means the same",
        "no section named",
        "another section named",
    ],
)
def test_a_planted_fault_is_found(changed: dict[str, object], kind: str) -> None:
    assert (kind, "q1") in found(question(**changed))


def test_the_section_where_a_lost_right_answer_stands_is_named() -> None:
    (finding,) = check(corpus(), [question(right="Use the ferry")])
    assert finding.what == "'Use the ferry' is not in harbor, but in bridge"


def test_questions_that_two_sections_answer_are_found() -> None:
    twin = section("twin", HARBOR.replace("northern", "southern"))
    documents = Corpus("three", "words", (*corpus().sections, twin))
    assert ("which section", "q1") in found(question(), documents=documents)


def test_a_name_is_taken_as_a_whole() -> None:
    """`Mill Buildings Program` is not named by a section about mills, buildings and another program."""
    lane = "The Program for Buildings has its office in Mill Lane. " + BRIDGE
    documents = Corpus(
        "x", "words", (section("harbor", f"The Mill Buildings Program. {HARBOR}"), section("lane", lane))
    )
    asked = question(question="Where must ships moor under the Mill Buildings Program?")
    assert found(asked, documents=documents) == []


def test_the_same_question_twice_is_found() -> None:
    again = question("q2", question="Where must ships moor, while the Harbor Commission of Tavmouth dredges the basin?")
    assert found(question(), again) == [("duplicate", "q2")]


def test_nearly_the_same_question_is_found_but_not_one_with_another_answer() -> None:
    near = question(
        "q2", question="Where must all ships moor while the Harbor Commission of Tavmouth dredges the basin?"
    )
    assert found(question(), near) == [("near duplicate", "q2")]
    other = question(
        "q2",
        question="Until when must ships moor while the Harbor Commission of Tavmouth dredges the basin?",
        right="May 19, 2031",
        wrong=("June 2, 2031", "July 9, 2031", "June 30, 2031"),
    )
    assert found(question(), other) == []


@pytest.mark.parametrize("extreme", ["longest", "shortest"])
def test_a_length_that_right_answers_have_too_often_is_found(extreme: str) -> None:
    """One letter more each time gives no single question away, but all of them together."""
    wrong = ("beside the ferry ramp", "within outer harbor", "under a swing bridge")
    right = "At the northern quay of it" if extreme == "longest" else "the northern quay"
    asked = [question(f"q{n}", question=f"Where, for case {n}?", right=right, wrong=wrong) for n in range(6)]
    findings = [finding for finding in check(corpus(), asked) if finding.question == "all"]
    assert [f"the {extreme} 6 times in 6" in finding.what for finding in findings] == [True]


def test_too_many_numbers_are_found() -> None:
    wrong = ("14 meters", "31 meters", "27 meters")
    asked = [question(f"q{n}", question=f"How deep, in case {n}?", right="12 meters", wrong=wrong) for n in range(3)]
    assert ("numerical", "all") in found(*asked)
    assert ("numerical", "all") not in found(*asked[:2])


def test_what_a_question_names() -> None:
    asked = "What does AD 2031–04 on Weykin Aero Limited’s Model KS-830 airplanes, in Ostrey, prevent?"
    assert phrases(asked) == ["ad 2031-04", "weykin aero limited model ks-830", "ostrey"]
    assert specifics("Where must they moor?") == frozenset()


def test_the_binomial_tail() -> None:
    assert at_least(0, 5, 0.25) == pytest.approx(1)
    assert at_least(5, 5, 0.25) == pytest.approx(0.25**5)
    assert at_least(1, 2, 0.25) == pytest.approx(1 - 0.75**2)
    assert at_least(700, 2400, 0.25) == pytest.approx(2.1e-6, rel=0.1), "of a set whose coefficients are no floats"
