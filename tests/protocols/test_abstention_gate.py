"""The gate judges inventions, right answers and needless refusals apart."""

from __future__ import annotations

from dataclasses import replace

from longctx.engine.measure import check_row
from longctx.gate.verdict import give_verdict
from longctx.protocols.abstention import SECTIONS, judge_answer
from longctx.protocols.choices import Choices
from longctx.results.row import Row
from longctx.vocabulary.point import Outcome
from tests.gate.examples import RULES
from tests.given import reply
from tests.protocols import Abstention
from tests.protocols.bank import small_bank
from tests.rows import row

CHOICES = Choices("Which?", ("one", "two", "not there"), "A")


def answered(letter: str, present: bool) -> Outcome:
    """Return the outcome of a letter. A is right where its section is present, and C says that it is not there."""
    choices = CHOICES if present else replace(CHOICES, right="C")
    return judge_answer(reply(f"<Answer>{letter}</Answer>"), choices, "C", present)


RIGHT, WRONG, NEEDLESS = (answered(letter, True) for letter in "ABC")
INVENTED, ABSTAINED = (answered(letter, False) for letter in "AC")


def rows(section: str, *outcomes: Outcome) -> list[Row]:
    """Return the rows of a run, those of checks included, as measuring makes them."""
    bank = small_bank()
    cell = Abstention(280, 100, 50, section, bank=lambda: bank)
    made = []
    for trial, outcome in enumerate(outcomes):
        asked = row(
            outcome.kind,
            test="abstention",
            cell=cell.slug,
            params=cell.params,
            trial=trial,
            trace=outcome.trace,
            band=f"all {section}",
        )
        made += [asked, *(check_row(asked, name, held) for name, held in outcome.checks.items())]
    return made


def verdicts(before: list[Row], after: list[Row]) -> dict[str, str]:
    tests = give_verdict(before, after, RULES).tests
    return {str(band.band): band.verdict for test in tests for band in test.bands}


BEFORE = rows("present", *[RIGHT] * 150, *[WRONG] * 50) + rows("absent", *[ABSTAINED] * 180, *[INVENTED] * 20)


def test_the_same_again_passes_in_three_bands() -> None:
    assert verdicts(BEFORE, BEFORE) == dict.fromkeys(
        ["abstention, all present", "abstention, all absent", "abstention.answers, all present"], "pass"
    )
    assert SECTIONS == ("present", "absent")


def test_needless_refusals_in_place_of_wrong_answers_are_seen_though_the_rate_stays() -> None:
    after = rows("present", *[RIGHT] * 150, *[NEEDLESS] * 50) + BEFORE[400:]
    assert verdicts(BEFORE, after) == {
        "abstention, all present": "pass",
        "abstention, all absent": "pass",
        "abstention.answers, all present": "regression",
    }


def test_inventions_are_not_paid_for_by_right_answers() -> None:
    after = rows("present", *[RIGHT] * 200) + rows("absent", *[ABSTAINED] * 140, *[INVENTED] * 60)
    assert verdicts(BEFORE, after) == {
        "abstention, all present": "pass",
        "abstention, all absent": "regression",
        "abstention.answers, all present": "pass",
    }
