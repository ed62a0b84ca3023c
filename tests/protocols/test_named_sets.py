"""Named sets: RULER's recall, exactly what was asked for, their context in pieces, and their axes."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from longctx.config.profiles import load_profile
from longctx.protocols.frequent_words import FrequentWordsAxes
from longctx.protocols.haystack import AnswerBegun
from longctx.protocols.multiple_needles import MultipleNeedlesAxes
from longctx.protocols.named_sets import NamedAnswers, Needle, judged_names, shown, string_match, text_of
from longctx.protocols.variable_tracking import VariableTrackingAxes
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.point import Outcome, Point
from tests.given import reply, words_of
from tests.here import HERE
from tests.protocols import FrequentWords, MultipleNeedles, VariableTracking
from tests.protocols.tokens import fitted

NAMES = "AAAAA", "BBBBB", "CCCCC"
ASKED = NamedAnswers(
    tuple(Needle(name, 10 * number, number, number + 5) for number, name in enumerate(NAMES)),
    {"XXXXX": "of_another_chain", "QQQ": "of_the_example"},
    (Needle("XXXXX", 50, 40, 45),),
)
PROMPT = AnswerBegun("", "AAAAA BBBBB CCCCC, and of another chain XXXXX.", "   \nWhich?", "They are:", "")


def judge(text: str, named: Sequence[str], stop_reason: str = "end_turn") -> Outcome:
    answer = reply(text, stop_reason)
    return judged_names(answer, text_of(answer, PROMPT.prefill), ASKED, named, "name")


def string_match_all(predictions: list[str], references: list[list[str]]) -> float:
    """Score as RULER's program does (scripts/eval/synthetic/constants.py), without its rounding."""
    return (
        sum(
            sum(1.0 if r.lower() in pred.lower() else 0.0 for r in ref) / len(ref)
            for pred, ref in zip(predictions, references, strict=True)
        )
        / len(predictions)
        * 100
    )


@given(st.lists(st.lists(st.sampled_from(["abcde", "ABCDE", "bcdef", "1234567", "x, ", "\n"])), min_size=1))
def test_the_recall_is_that_of_rulers_program(replies: list[list[str]]) -> None:
    texts, names = ["".join(parts) for parts in replies], ["ABCDE", "bcdef", "1234567"]
    ours = 100 * sum(string_match(names, text) / len(names) for text in texts) / len(texts)
    assert ours == pytest.approx(string_match_all(texts, [names] * len(texts)))


@pytest.mark.parametrize(
    ("named", "stop_reason", "kind", "why"),
    [
        (NAMES, "end_turn", "correct", "all 3 names and nothing else"),
        (("CCCCC", "AAAAA", "BBBBB", "AAAAA"), "end_turn", "correct", "all 3 names and nothing else"),
        (NAMES, "max_tokens", "correct", "all 3 names and nothing else"),
        (NAMES[:1], "end_turn", "wrong", "1 of 3 names are named; BBBBB CCCCC missed"),
        (NAMES[:1], "max_tokens", "truncated", "1 of 3 names are named; BBBBB CCCCC missed"),
        ((*NAMES, "XXXXX"), "end_turn", "wrong", "3 of 3 names are named; plus 1 of another chain"),
        (
            ("AAAAA", "QQQ", "XXXXX", "ZZZZZ", "YYYYY"),
            "max_tokens",
            "wrong",
            "1 of 3 names are named; BBBBB CCCCC missed; plus 1 of the example, 1 of another chain, 2 nowhere in "
            "the text",
        ),
        ((), "end_turn", "unparseable", "no name in the reply"),
        ((), "max_tokens", "truncated", "cut off after 16 tokens, before an answer"),
        (NAMES, "refusal", "refusal", "the model refused"),
    ],
)
def test_what_a_reply_is_worth(named: tuple[str, ...], stop_reason: str, kind: str, why: str) -> None:
    outcome = judge(" ".join(named) or "None.", named, stop_reason)
    assert (outcome.kind, outcome.why) == (kind, why)
    assert outcome.trace["asked"] == 3
    assert outcome.trace["matched"] == len(set(named) & set(NAMES))


def test_the_trace_tells_what_was_missed_and_where_from_what_was_made_up() -> None:
    trace = judge("BBBBB XXXXX ZZZZZ", ["BBBBB", "XXXXX", "ZZZZZ"]).trace
    assert trace == {
        "asked": 3,
        "matched": 1,
        "missed_1": 0,
        "named_2": 10,
        "missed_3": 20,
        "of_another_chain": 1,
        "nowhere_in_the_text": 1,
    }


def test_the_beginning_of_the_answer_is_no_part_of_it() -> None:
    said = reply("Not XXXXX and AAAAA but BBBBB")
    answer = text_of(said, "Not XXXXX and AAAAA but")
    assert judged_names(said, answer, ASKED, ["BBBBB"], "name").trace["matched"] == 1


def test_a_reader_sees_what_was_named_what_was_missed_and_what_was_named_besides() -> None:
    outcome = judge("BBBBB XXXXX QQQ", ["BBBBB", "XXXXX", "QQQ"])
    assert [(mark.name, mark.start) for mark in shown(outcome, ASKED, PROMPT).marks] == [
        ("needle that was missed", 0),
        ("needle", 1),
        ("needle that was missed", 2),
        ("named, not asked for", 40),
        ("question", PROMPT.text.index("Which?")),
    ]


@pytest.mark.parametrize(
    "cell",
    [
        MultipleNeedles.from_slug("window-3000-keys-4-values-1-queries-4"),
        VariableTracking.from_slug("window-3000-chains-2-hops-2"),
        FrequentWords.from_slug("window-3000-alpha_percent-200"),
    ],
    ids=lambda cell: cell.test,
)
def test_the_piece_is_the_text_before_the_question(cell: Point) -> None:
    words, fit = words_of(type(cell)), fitted(cell)
    trial = fit.build(words, 0, 1)
    context = trial.pieces()
    [piece] = context.pieces
    assert trial.user.split() == [*piece.text.split(), *context.question.split()]
    question = next(mark for mark in trial.judge(reply("")).marks if mark.name == "question")
    assert trial.user[question.start :].strip() == context.question


PROTOCOLS = "variable_tracking", "multiple_needles", "frequent_words"


def slugs(grid: Axes) -> list[str]:
    return [cell.slug for cell in grid.made_cells(lambda: None)]  # type: ignore[arg-type,return-value]


def test_without_more_than_windows_a_table_has_the_source_s_own_shapes() -> None:
    assert slugs(VariableTrackingAxes(windows=(4096,), trials=1)) == ["window-4096-chains-1-hops-4"]
    assert slugs(MultipleNeedlesAxes(windows=(4096,), trials=1)) == [
        "window-4096-keys-1-values-4-queries-1",
        "window-4096-keys-4-values-1-queries-4",
    ]
    assert slugs(FrequentWordsAxes(windows=(4096,), trials=1)) == ["window-4096-alpha_percent-200"]


def test_every_shape_is_in_every_window() -> None:
    grid = VariableTrackingAxes(windows=(1000, 2000), chains=(1, 2), hops=(4,), trials=1, max_tokens=40)
    assert slugs(grid) == [f"window-{window}-chains-{chains}-hops-4" for window in (1000, 2000) for chains in (1, 2)]
    assert {cell.max_tokens for cell in grid.made_cells(lambda: None)} == {40}  # type: ignore[arg-type,return-value]
    assert slugs(FrequentWordsAxes(windows=(1000,), alphas=(2.5, 1.15), trials=1)) == [
        "window-1000-alpha_percent-250",
        "window-1000-alpha_percent-115",
    ]


def test_a_mistyped_shape_is_refused() -> None:
    with pytest.raises(ValidationError, match="querys"):
        MultipleNeedlesAxes.model_validate({"windows": [4096], "trials": 1, "needles": [{"keys": 4, "querys": 4}]})
    with pytest.raises(ValidationError, match="alphas"):
        FrequentWordsAxes.model_validate({"windows": [4096], "trials": 1, "alphas": [1]})


@pytest.mark.parametrize("name", ["smoke", "paper", "frontier"])
@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_every_cell_of_a_profile_has_a_band(name: str, protocol: str) -> None:
    [grid] = load_profile(HERE, name).grids(protocol)
    bands = [grid.band(cell) for cell in grid.made_cells(lambda: None)]  # type: ignore[arg-type,return-value]
    assert set(bands) == set(grid.bands or {"all": 1})


def test_the_papers_profile_has_the_source_s_lengths() -> None:
    for protocol in PROTOCOLS:
        [grid] = load_profile(HERE, "paper").grids(protocol)
        assert grid.windows == tuple(4096 * 2**step for step in range(6))  # type: ignore[attr-defined]
