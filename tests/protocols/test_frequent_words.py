"""Frequent words: what a seed builds, how large it is, and which words a reply gives."""

from collections import Counter
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import zeta

from longctx.protocols.frequent_words import LISTED, _zeta
from longctx.vocabulary.point import BuiltTrial
from tests.given import words_of
from tests.protocols import FrequentWords
from tests.protocols.tokens import TOKENS_OF, built, fitted, judged, taken

WORDS = words_of(FrequentWords)
TOKENS = TOKENS_OF[FrequentWords]
cells = st.builds(FrequentWords, st.integers(1500, 8000), st.sampled_from([120, 150, 200, 300]))


def coded(trial: BuiltTrial) -> list[str]:
    text = trial.user.partition("frequently appeared coded words. ")[2]
    return text.partition("\nQuestion: ")[0].split(" ")


def test_a_complete_prompt() -> None:
    trial = built(FrequentWords(700, 200))
    assert trial.user == (
        "Read the following coded text and track the frequency of each coded word. Find the three most frequently "
        f"appeared coded words. {' '.join(coded(trial))}\n"
        "Question: Do not provide any explanation. Please ignore the dots '....'. What are the three most frequently "
        "appeared words in the above coded text?"
    )
    assert trial.prefill == "Answer: According to the coded text above, the three most frequently appeared words are:"
    assert trial.recorded == {"words": len(coded(trial))}
    assert trial.depth == 0


@given(cells, st.integers(0, 10**6), st.integers(0, 100))
def test_the_expected_words_are_the_most_frequent_besides_the_dots(cell: Any, seed: int, index: int) -> None:
    trial = built(cell, seed, index)
    counts = Counter(coded(trial))
    ranked = counts.most_common()
    assert ranked[0][0] == "..."
    assert {word for word, _ in ranked[1:4]} == set(trial.expected.split())
    assert [counts[word] for word in trial.expected.split()] == [times for _, times in ranked[1:4]]
    assert len(ranked) < 5 or ranked[3][1] > ranked[4][1]
    assert all(len(word) == 6 for word in counts if word != "...")


@given(cells, st.integers(0, 10**6))
def test_frequencies_are_those_of_the_zeta_distribution(cell: Any, seed: int) -> None:
    counts = [times for _, times in Counter(coded(built(cell, seed))).most_common()]
    alpha = cell.alpha_percent / 100
    words = counts[0] * zeta(alpha)
    assert all(abs(times - words * rank**-alpha / zeta(alpha)) <= 1 for rank, times in enumerate(counts, start=1))


@given(cells, st.integers(0, 10**6))
def test_a_prompt_fills_its_window_and_never_exceeds_it(cell: Any, seed: int) -> None:
    tokens = taken(built(cell, seed))
    assert 0.9 * cell.window < tokens <= cell.window


@given(st.floats(1.001, 5))
def test_zeta_is_scipys(alpha: float) -> None:
    assert _zeta(alpha) == pytest.approx(zeta(alpha), rel=1e-9)


def test_what_is_known_of_the_asked_words_is_so() -> None:
    cell = fitted(FrequentWords(2000, 200))
    trial = cell.build(WORDS, 0, 0)
    counts = Counter(coded(trial))
    outcome = judged(cell, trial, " ".join(set(counts) - {"..."}))
    *needles, question = outcome.marks
    assert trial.user[question.start :].startswith("Question: Do not provide")
    for number, (word, mark) in enumerate(zip(trial.expected.split(), needles, strict=True), start=1):
        assert trial.user[mark.start : mark.end] == word
        assert trial.user.index(word) == mark.start
        assert outcome.trace[f"named_{number}"] == counts[word]
    assert outcome.trace["less_frequent"] == len(counts) - 1 - 3


def test_another_tokenizer_gets_the_same_frequent_words() -> None:
    cheap, dear = (FrequentWords(4096, 200).fit(TOKENS | {"word": each}).build(WORDS, 0, 0) for each in (2.0, 5.0))
    assert cheap.recorded["words"] > dear.recorded["words"]
    assert cheap.expected == dear.expected


def test_any_listed_word_may_be_frequent_and_no_other_is_listed() -> None:
    trials = [FrequentWords(2000, 200).fit(TOKENS).build(WORDS, 0, index) for index in range(40)]
    assert {word for trial in trials for word in trial.expected.split()} == set(WORDS["frequent"].split())
    for trial in trials:
        ranked = [word for word, _ in Counter(coded(trial)).most_common()]
        assert len(set(ranked) & set(WORDS["frequent"].split())) == LISTED


def test_a_window_too_small_for_three_frequent_words_is_refused() -> None:
    with pytest.raises(ValueError, match="a window of 260 tokens is too small for 3 words to be more frequent"):
        FrequentWords(260, 200).fit(TOKENS)
    with pytest.raises(ValueError, match="a window of 100 tokens is too small"):
        FrequentWords(100, 200).fit(TOKENS)


def test_alpha_is_more_than_one() -> None:
    with pytest.raises(ValueError, match="alpha is 1, and must be more than 1"):
        FrequentWords(4096, 100)


def test_a_wording_that_lists_too_few_words_is_refused() -> None:
    with pytest.raises(ValueError, match=r"frequent\.txt lists 2 words, and 8 are needed"):
        FrequentWords.declared.counts.probes({**WORDS, "frequent": "abcdef ghijkl"})


def test_measures_that_cannot_be_right_are_refused() -> None:
    with pytest.raises(ValueError, match="dots would take 0 tokens"):
        FrequentWords.declared.counts.values(dict.fromkeys(FrequentWords.declared.counts.probes(WORDS), 100))


SOME = fitted(FrequentWords(1500, 200))
TRIAL = SOME.build(WORDS, 0, 0)
A, B, C = TRIAL.expected.split()
RARE = next(word for word in coded(TRIAL) if word not in ("...", A, B, C))


@pytest.mark.parametrize(
    ("text", "kind", "returned"),
    [
        (f"{A} {B} {C}", "correct", [A, B, C]),
        (f"{C}, {A}, and {B}.", "correct", [C, A, B]),
        (f"Answer:\n1. {A} (12 times)\n2. **{B}**\n3. {C.upper()}", "correct", [A, B, C]),
        (f"The words listed most often: {A}, {B}, {C}", "correct", [A, B, C]),
        (f"{A} {B} {RARE}", "wrong", [A, B, RARE]),
        (f"{A}, {B}, zzzzzz", "wrong", [A, B, "zzzzzz"]),
        (f"{A} {B} zzzzzz", "wrong", [A, B, "zzzzzz"]),
        ("...", "unparseable", []),
        ("I cannot say.", "unparseable", []),
    ],
)
def test_which_words_a_reply_names(text: str, kind: str, returned: list[str]) -> None:
    outcome = judged(SOME, TRIAL, text)
    assert (outcome.kind, (outcome.returned or "").split()) == (kind, returned)


def test_a_word_of_the_text_is_distinguished_from_one_that_was_made_up() -> None:
    trace = judged(SOME, TRIAL, f"{A} {RARE} zzzzzz").trace
    assert (trace["less_frequent"], trace["nowhere_in_the_text"], trace["matched"]) == (1, 1, 1)
