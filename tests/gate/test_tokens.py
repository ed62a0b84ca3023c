"""The tokens that two servers count for the same requests."""

from __future__ import annotations

from dataclasses import replace

import pytest

from longctx.gate.tokens import PROMPT_CUT, TokenPairs, without_cut_prompts
from longctx.results.row import Row
from tests.rows import row


def counted(*tokens: int | None) -> list[Row]:
    return [
        replace(row(trial=n, outcome="correct"), prompt_sha256=f"{n:064x}", input_tokens=t)
        for n, t in enumerate(tokens)
    ]


def test_equal_counts_do_not_differ() -> None:
    pairs = TokenPairs.of(counted(100, 4000), counted(100, 4000))
    assert len(pairs.pairs) == 2
    assert not pairs.differ + pairs.cut


@pytest.mark.parametrize("factor", [0.7, 1.02, 2.0])
def test_another_tokenizer_cuts_nothing(factor: float) -> None:
    pairs = TokenPairs.of(counted(100, 4000), counted(round(100 * factor), round(4000 * factor)))
    assert len(pairs.differ) == 2
    assert not pairs.cut


def test_a_prompt_that_new_read_in_part_is_not_measured() -> None:
    after = counted(100, 2048)
    pairs = TokenPairs.of(counted(100, 4000), after)
    assert [pair.before for pair in pairs.cut] == [4000]
    assert [each.error for each in without_cut_prompts(pairs, after)] == [None, PROMPT_CUT]


def test_other_requests_and_replies_without_usage_are_not_compared() -> None:
    other = [replace(each, prompt_sha256="f" * 64) for each in counted(7)]
    assert not TokenPairs.of(counted(100), other).pairs
    assert TokenPairs.of(counted(None), counted(100)).uncounted == 1


def test_a_baseline_keeps_the_beginning_of_a_digest() -> None:
    short = [replace(each, prompt_sha256=str(each.prompt_sha256)[:12]) for each in counted(100)]
    assert len(TokenPairs.of(short, counted(101)).differ) == 1
