"""A run as people use it from Python."""

from __future__ import annotations

from pathlib import Path

import pytest

import longctx


def test_an_estimate_is_printed_or_given_to_the_caller(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    entries = {"line_retrieval": {"lines": [3], "orders": ["ordered"], "trials": 2}}
    told: list[str] = []
    [given] = longctx.Run(profile=entries, model="toy", root=tmp_path).estimate(say=told.append)
    assert capsys.readouterr().out == ""
    assert told[1].startswith("line_retrieval on toy: 2 of 2 trials need a request")
    assert longctx.Run(profile=entries, model="toy", root=tmp_path).estimate() == [given]
    assert capsys.readouterr().out.splitlines() == told
