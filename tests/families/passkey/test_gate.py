"""The pairs that k_max is judged by."""

from __future__ import annotations

from typing import Any

from longctx.compare.pairs import pairs
from longctx.families.passkey.gate import by_window, windows_of_same_answers
from longctx.results.row import Row
from tests.rows import digested, joined, run

SHORT: dict[str, Any] = {"band": "short"}


def test_windows_have_the_pairs_of_each_k() -> None:
    params = [{"window": 4096, "k": k} for k in (128, 256)]
    of = [{"params": values, "scenario": str(values["k"])} for values in params]
    before = joined(*(run("correct", "correct", **fields) for fields in of))
    after = joined(run("correct", "wrong", **of[0]), run("wrong", "not_asked", **of[1]))
    assert by_window(pairs(before, after)) == {4096: {128: [(True, True), (True, False)], 256: [(True, False)]}}


def test_windows_of_which_every_answer_is_the_baselines_own() -> None:
    def of(*outcomes: str, window: int = 4096, answers: str | None = "a") -> list[Row]:
        fields = {"params": {"window": window, "k": 128}, "scenario": str(window)}
        return digested(run(*outcomes, **fields), answers)

    before = joined(of("correct", "wrong"), of("correct", window=8192))
    for changed, same in (
        (of("correct", window=8192), {4096, 8192}),
        (of("correct", window=8192, answers="b"), {4096}),
        (of("correct", window=8192, answers=None), {4096}),
        (of("wrong", window=8192), {4096}),
        (of("not_asked", window=8192), {4096}),
    ):
        assert windows_of_same_answers(pairs(before, joined(of("correct", "wrong"), changed))) == same
