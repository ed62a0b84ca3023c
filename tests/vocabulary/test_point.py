"""What all tests share: identities, slugs and random streams."""

import dataclasses

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.vocabulary.point import Declaration, Identity, Point
from tests.protocols import Collage, LineRetrieval, Passkey

CELLS = st.one_of(
    st.builds(LineRetrieval, st.integers(100, 10**6), st.none() | st.integers(1, 100)),
    st.builds(Passkey, st.integers(1000, 10**7), st.integers(1, 1000)),
)


def test_an_identity_reads_as_a_path() -> None:
    assert str(Identity("passkey", 2, "window-10-k-5", 7, 3, 1)) == "passkey.v2/window-10-k-5/seed-7/trial-3/repeat-1"


def test_an_identity_names_its_item() -> None:
    assert str(Identity("collage", 1, "size-70", 0, 3, item="q12")) == "collage.v1/size-70/q12/seed-0/trial-3/repeat-0"


@pytest.mark.parametrize(
    ("cell", "slug"),
    [
        (LineRetrieval(500), "lines-500"),
        (LineRetrieval(500, 10), "lines-500-block_size-10"),
        (LineRetrieval(500, 10, max_tokens=99), "lines-500-block_size-10"),
        (Passkey(8192, 256), "window-8192-k-256"),
    ],
)
def test_a_slug_names_the_parameters_that_are_given(cell: Point, slug: str) -> None:
    assert cell.slug == slug


@given(CELLS)
def test_a_cell_is_found_again_by_its_slug(cell: Point) -> None:
    assert type(cell).from_slug(cell.slug) == cell


@pytest.mark.parametrize("slug", ["", "lines", "lines--5", "lines-5-", "rows-5", "lines-5-k-3", "block_size-2-lines-5"])
def test_a_slug_that_cannot_be_read_is_told_how_to_be_written(slug: str) -> None:
    with pytest.raises(ValueError, match=r"no cell .* written like lines-10-block_size-10\.$"):
        LineRetrieval.from_slug(slug)


def test_a_parameter_that_is_a_word_is_told_as_one() -> None:
    with pytest.raises(
        ValueError, match=r"written like .*depth-10-variant-WORD-questions-10-distractors-10-letters-WORD\.$"
    ):
        Collage.from_slug("variant-none-budget-3000")


def test_a_word_that_may_be_left_out_is_found_again() -> None:
    cell = Collage(2600, 600, 50, "none", letters="own")
    assert Collage.from_slug(cell.slug) == cell
    assert Collage.from_slug("budget-2600-longest-600-depth-50-variant-none").letters is None


@pytest.mark.parametrize(("test", "slug"), [(LineRetrieval, "block_size-2"), (Passkey, "k-3")])
def test_a_slug_without_a_parameter_is_refused(test: type[Point], slug: str) -> None:
    with pytest.raises(ValueError, match=f"{slug}' lacks one of {', '.join(test.declared.parameters)}"):
        test.from_slug(slug)


def test_a_slug_of_impossible_parameters_is_refused() -> None:
    with pytest.raises(ValueError, match="block_size 6 does not fit a file of 5 lines"):
        LineRetrieval.from_slug("lines-5-block_size-6")


def test_an_identity_holds_all_that_distinguishes_trials() -> None:
    identity = LineRetrieval(5, 2).identity(seed=7, index=3, repeat=1)
    assert identity == Identity("line_retrieval", LineRetrieval.declared.version, "lines-5-block_size-2", 7, 3, 1)


def test_a_stream_never_changes_its_draws() -> None:
    draws = LineRetrieval(500).stream(seed=0, index=0).randint(0, 1000, size=5)
    assert draws.tolist() == [219, 419, 915, 336, 26]


def test_every_trial_has_its_own_stream() -> None:
    cells = [LineRetrieval(5), LineRetrieval(6), LineRetrieval(5, 1), Passkey(5, 1), Passkey(5, 2)]
    draws = {
        int(cell.stream(seed, index).randint(2**62, dtype="int64"))
        for cell in cells
        for seed in range(5)
        for index in range(5)
    }
    assert len(draws) == 125


def test_a_word_is_read_of_a_slug_whether_or_not_types_are_kept_as_text() -> None:
    """Types are not kept as text without `from __future__ import annotations`, as in this module."""
    kept = dataclasses.make_dataclass("Kept", [("language", str)], bases=(LineRetrieval,), frozen=True, kw_only=True)
    kept.declared = Declaration(name="kept", parameters=("lines", "language"))  # type: ignore[attr-defined]
    assert kept.from_slug("lines-5-language-plain").language == "plain"  # type: ignore[attr-defined]
