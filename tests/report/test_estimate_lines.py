"""An estimate in a terminal: dollars first, then a table of at most 100 columns, and -v with sentences."""

from __future__ import annotations

from longctx.live.cost.estimate import Estimate, Estimates, Price
from longctx.report.estimate_lines import estimate_lines

KNOWN = Estimate("toy", "passkey", 3, 2, 1000, 64, Price(1, 0.5, 0.5, 0.4), False, expected_tokens=30)
UNKNOWN = Estimate("other", "passkey", 1, 1, 1, 1, None, False)
REMARKS = Estimates(remarks=("Two are stale.",), details=("As a baseline, it passes.",))


def test_the_price_of_all_is_first_and_the_only_model_is_named_in_the_head() -> None:
    assert list(estimate_lines(Estimates((KNOWN,)) + REMARKS, False, "$5.00")) == [
        "About $0.50 ($0.50 in batches, $1.00 without the prompt cache) for 2 trials; cap $5.00; nothing was sent.",
        "",
        "toy      price  to send  input tokens  output tokens  at most",
        "passkey  $0.50   2 of 3         1,000             30       64",
        "",
        "Two are stale.",
    ]


def test_tests_of_several_models_are_below_their_names() -> None:
    lines = list(estimate_lines(Estimates((KNOWN, UNKNOWN)), True))
    assert [line.rstrip().split("  ")[:2] for line in lines[3:7]] == [
        ["toy"],
        ["", "passkey"],
        ["other"],
        ["", "passkey"],
    ]
    assert "$0.40" in lines[4], "the price in batches"
    assert "unknown" in lines[6]


def test_in_full_each_is_a_sentence_and_details_are_told() -> None:
    told = list(estimate_lines(Estimates((KNOWN, KNOWN)) + REMARKS, False, in_full=True))
    assert told[1:3] == [str(KNOWN)] * 2
    assert told[3:] == [
        "In all about $0.80 in batches with the prompt cache ($1.00 without, $2.00 asked directly).",
        *REMARKS.remarks,
        *REMARKS.details,
    ]


def test_long_names_are_cut_so_that_the_table_fits() -> None:
    long = Estimate("m" * 120, "test_" + "n" * 120, 10_000, 10_000, 10**9, 10**9, Price(1e6, 1e6, 1e6), False)
    for each in ((long,), (long, UNKNOWN)):
        table = list(estimate_lines(Estimates(each), False))[2:-1]
        assert max(map(len, table)) == 100
        assert "…" in table[1] + table[0]


def test_treatments_stand_for_models_and_in_front_of_what_does_not_name_them() -> None:
    found = (Estimates((KNOWN,)) + REMARKS).of("toy, effort=high")
    assert found.each[0].model == "toy, effort=high"
    assert found.remarks == ("toy, effort=high: Two are stale.",)
    assert Estimates(remarks=("toy is stale.",)).of("toy").remarks == ("toy is stale.",)
    assert next(estimate_lines(Estimates(), False)).startswith("Price not known, for 0 trials")
