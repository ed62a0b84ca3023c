"""Effects of scratchpad and examples on the same questions."""

import json
from dataclasses import replace

import pytest

from longctx.protocols.choices import above_chance
from longctx.protocols.reports.collage_analysis import (
    Favourite,
    effects,
    favourites,
    quotes,
    summary_of,
)
from longctx.report.run_folder import as_json
from longctx.results.row import Row
from longctx.stats.paired import Paired
from longctx.stats.rates import Rate
from longctx.summary.summary import summarize
from tests.rows import row


def rows(variant: str, depth: int, outcomes: str, tokens: int = 100) -> list[Row]:
    """Return one row for each letter: c is correct, w is wrong."""
    return [
        row(
            {"c": "correct", "w": "wrong"}[letter],
            params={"variant": variant, "depth": depth},
            item=f"q{place}",
            input_tokens=tokens - 10,
            output_tokens=10,
            trace={"quotes": 2, "in_record": 1, "in_needle": int(letter == "c")},
        )
        for place, letter in enumerate(outcomes)
    ]


def test_an_effect_is_paired_by_question_at_each_depth() -> None:
    asked = [
        *rows("none", 0, "wwcc"),
        *rows("none_scratchpad", 0, "ccwc", tokens=150),
        *rows("none", 50, "cccc"),
        *rows("none_scratchpad", 50, "cccc", tokens=150),
    ]
    beginning, middle = effects(asked)
    assert (beginning.change, beginning.before, beginning.depth) == ("a scratchpad", "none", 0)
    assert beginning.paired == Paired(gained=2, lost=1, n=4)
    assert beginning.extra_tokens == 50
    assert beginning.tokens_per_point == pytest.approx(2)
    assert middle.paired == Paired(0, 0, 4)
    assert middle.tokens_per_point is None


def test_repeats_of_a_question_are_no_further_questions() -> None:
    once = [*rows("none", 0, "w" * 12 + "c" * 18), *rows("none_scratchpad", 0, "c" * 30)]
    often = [replace(each, repeat=repeat) for each in once for repeat in range(5)]
    [alone], [effect] = effects(once), effects(often)
    assert (effect.paired.n, effect.paired.difference) == (30, pytest.approx(0.4))
    assert effect.paired.interval() == pytest.approx(alone.paired.interval())
    assert effect.extra_tokens == alone.extra_tokens


def test_questions_about_one_section_count_together() -> None:
    apart = [*rows("none", 0, "wwwwcccccccc"), *rows("none_scratchpad", 0, "c" * 12)]
    together = [replace(each, cluster=f"section-{int(str(each.item)[1:]) // 4}") for each in apart]
    [narrow], [wide] = (
        (effect.paired.interval() for effect in effects(apart)),
        (effect.paired.interval() for effect in effects(together)),
    )
    assert wide[1] - wide[0] > narrow[1] - narrow[0]


def test_questions_asked_in_one_variant_only_do_not_count() -> None:
    [effect] = effects([*rows("none", 0, "ww"), *rows("five", 0, "cccc")])
    assert (effect.change, effect.paired) == ("5 examples", Paired(2, 0, 2))


def test_the_same_question_of_another_seed_or_longest_section_is_another_pair() -> None:
    asked = []
    for seed, longest in ((0, 500), (1, 500), (0, 800)):
        for variant, outcome in (("none", "wrong"), ("five", "correct")):
            params = {"variant": variant, "depth": 0, "longest": longest}
            asked.append(row(outcome, params=params, item="q", seed=seed))
    [effect] = effects(asked)
    assert effect.paired == Paired(3, 0, 3)


def test_the_filter_is_with_the_run() -> None:
    filtered = {"filter_asked": 100, "filter_kept": 41}
    params = {"budget": 3000, "variant": "none", "depth": 0}
    facts = {"collage/s of some-model, prompts protocol": filtered}
    summaries_of_qa = summarize([row(test="collage", cell="s", params=params, item="q")], facts=facts)
    [answers] = summaries_of_qa.tests["collage"].analysis
    qa = summary_of(answers)
    assert (qa.filter_asked, qa.filter_kept) == (100, 41)
    [cell] = json.loads(as_json(summaries_of_qa, "run"))["cells"]
    assert cell["params"] == params | filtered


def test_quotes_are_pooled_over_trials() -> None:
    quoted = quotes(rows("none_scratchpad", 0, "cwc"))
    assert (quoted.in_record, quoted.in_needle) == (Rate(3, 6), Rate(2, 6))


def test_the_letter_that_is_given_most() -> None:
    given = [("two", "D"), ("two", "D"), ("two", "A"), ("two", "A/D"), ("five", "B"), ("none", None)]
    asked = [row(params={"variant": variant}, returned=letter) for variant, letter in given]
    assert favourites(asked) == {"two": Favourite("D", Rate(2, 3)), "five": Favourite("B", Rate(1, 1))}


@pytest.mark.parametrize(("correct", "expected"), [(25, 0.0), (100, 1.0), (62, 0.49333), (0, -1 / 3)])
def test_above_chance(correct: int, expected: float) -> None:
    assert above_chance(correct / 100) == pytest.approx(expected, abs=1e-4)
