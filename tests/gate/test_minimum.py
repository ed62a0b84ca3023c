"""The minimum rate: which cells are shown to lie below it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from longctx.gate.minimum import Requirement, below_minimum, below_minimum_among, requirements_of, shortfalls
from longctx.results.cell_names import cell_names
from longctx.stats.rates import Rate
from tests.rows import run


def required(correct: int, n: int = 50, minimum: float = 0.9) -> Requirement:
    return Requirement(Rate(correct, n), minimum)


REQUIREMENTS = st.builds(
    lambda n, share, minimum: required(int(n * share), n, minimum),
    st.integers(0, 60),
    st.floats(0, 1),
    st.sampled_from([0, 0.5, 0.9, 1]),
)


def test_a_p_value_is_exact() -> None:
    assert required(40).p_value == pytest.approx(binomtest(40, 50, 0.9, alternative="less").pvalue)


def test_a_requirement_is_a_clear_sentence() -> None:
    assert str(required(25)) == (
        "accuracy 0.50 < 0.9: 0.50 [0.37, 0.63] n=50 is significantly below min_rate (p = 1e-12)"
    )


@pytest.mark.parametrize(
    ("correct", "n", "minimum", "is_short"),
    [
        (40, 50, 0.9, True),
        (41, 50, 0.9, False),
        (50, 50, 0.9, False),
        (0, 50, 0.9, True),
        (49, 50, 1.0, True),
        (50, 50, 1.0, False),
        (0, 1, 0.9, False),
        (0, 50, 0.0, False),
        (0, 0, 0.9, False),
    ],
)
def test_a_single_cell(correct: int, n: int, minimum: float, is_short: bool) -> None:
    requirement = required(correct, n, minimum)
    assert below_minimum([requirement]) == [is_short]
    assert below_minimum_among(requirement, 1) is is_short


def test_what_is_short_alone_may_not_be_among_many() -> None:
    weak, good = required(40), required(50)
    assert below_minimum([weak]) == [True]
    assert below_minimum([weak] + [good] * 20) == [False] * 21


def test_later_steps_find_what_the_first_does_not() -> None:
    requirements = [required(20), required(20), required(40), required(50)]
    assert below_minimum(requirements) == [True, True, True, False]
    assert [below_minimum_among(requirement, 4) for requirement in requirements] == [True, True, False, False]


def test_nothing_required_is_never_short() -> None:
    assert below_minimum([]) == []


def test_rows_are_tested_by_the_names_of_their_cells() -> None:
    low = run(*["wrong"] * 50, cell="low")
    high = run(*["correct"] * 49, "wrong", cell="high")
    [of_low], [of_high] = cell_names(low), cell_names(high)
    requirements = requirements_of(low + high, {of_low: 0.9, of_high: 0.9})
    assert requirements == {of_low: required(0), of_high: required(49)}
    assert shortfalls(requirements.items()) == [(of_low, required(0))]


def test_a_cell_with_a_trial_that_was_not_measured_or_without_a_minimum_is_not_tested() -> None:
    asked, cut_short = run(*["wrong"] * 50), run(*["wrong"] * 49, "not_asked")
    [name] = cell_names(asked)
    assert requirements_of(asked, {name: 0.9}) == {name: required(0)}
    assert requirements_of(cut_short, {name: 0.9}) == {}
    assert requirements_of(asked, {"another": 0.9}) == requirements_of(asked, {}) == {}


@given(st.lists(REQUIREMENTS, min_size=1, max_size=20))
def test_what_the_first_step_finds_stays_found(requirements: list[Requirement]) -> None:
    below = below_minimum(requirements)
    first = [below_minimum_among(requirement, len(requirements)) for requirement in requirements]
    assert all(later for later, sooner in zip(below, first, strict=True) if sooner)


@given(st.integers(0, 60), st.floats(0, 1))
def test_a_rate_at_its_minimum_or_above_is_not_short(n: int, minimum: float) -> None:
    assert below_minimum([required(n, n, min(minimum, 0.999))]) == [False]
