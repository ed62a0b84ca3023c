"""Which answers name another model than was asked for."""

from __future__ import annotations

import pandas as pd

from longctx.summary.answered import Answered, answered_as_another


def rows(*found: tuple[str, str | None]) -> pd.DataFrame:
    return pd.DataFrame(found, columns=["model", "model_returned"])


def test_each_other_model_is_counted() -> None:
    found = rows(("a", "a"), ("a", "b"), ("a", "c"), ("a", "b"), ("d", "d"))
    assert answered_as_another(found, {}) == (Answered("a", "b", 2, 4), Answered("a", "c", 1, 4))


def test_the_id_that_the_provider_was_sent_is_what_was_asked_for() -> None:
    assert answered_as_another(rows(("opus-low", "opus")), {"opus-low": "opus"}) == ()
    assert answered_as_another(rows(("opus-low", "toy")), {"opus-low": "opus"}) == (Answered("opus-low", "toy", 1, 1),)


def test_an_answer_that_names_no_model_says_nothing() -> None:
    assert answered_as_another(rows(("a", None), ("a", "")), {}) == ()
    assert answered_as_another(rows(), {}) == ()
