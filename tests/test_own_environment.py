"""The person's own environment, while variables lead elsewhere."""

from __future__ import annotations

import os

import pytest

from longctx.own_environment import replaced, variable


def test_values_are_replaced_and_restored(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_KEY", "own")
    monkeypatch.delenv("B_KEY", raising=False)
    with replaced({"A_KEY": "other", "B_KEY": "new"}):
        assert (os.environ["A_KEY"], os.environ["B_KEY"]) == ("other", "new")
        assert (variable("A_KEY"), variable("B_KEY", "none")) == ("own", "none")
        with replaced({"A_KEY": None}):
            assert "A_KEY" not in os.environ
            assert variable("A_KEY") == "own"
        assert os.environ["A_KEY"] == "other"
        os.environ["A_KEY"] = "changed by the code"
    assert os.environ["A_KEY"] == variable("A_KEY") == "own"
    assert "B_KEY" not in os.environ
