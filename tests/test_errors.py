"""A user's mistake as it is shown, and as it passes from one process to another."""

from __future__ import annotations

import pickle

import pytest

from longctx.engine.preflight import Invalid
from longctx.errors import BadValue, Interrupted, TapeError, UserError


@pytest.mark.parametrize("kind", [UserError, TapeError, BadValue, Interrupted, Invalid])
def test_a_mistake_is_its_sentence_and_its_code_in_every_process(kind: type[UserError]) -> None:
    error = pickle.loads(pickle.dumps(kind("no-tea", "There is no tea left. Buy some.")))
    assert type(error) is kind
    assert str(error) == "There is no tea left. Buy some. [no-tea]"
    assert (error.code, error.sentence) == ("no-tea", "There is no tea left. Buy some.")
    assert error.reason == "There is no tea left. Buy some [no-tea]"
