"""What differs between a run and its baseline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from longctx.gate.changed import changed
from longctx.gate.verdict import give_verdict
from tests.gate.examples import RULES
from tests.report.sample import MANIFEST
from tests.rows import joined, run

RUN = replace(MANIFEST, version="1.0", profile="paper", profile_digest="a" * 64, seed=0)


def between(manifest: dict[str, Any] | None = None, **fields: Any) -> list[str]:
    before, after = (
        joined(run("correct", band="all", model_returned="m")),
        joined(run("correct", **{"model_returned": "m", "band": "all"} | fields)),
    )
    return changed((RUN, before), (replace(RUN, **manifest or {}), after), give_verdict(before, after, RULES))


def test_nothing() -> None:
    assert between() == []


def test_of_the_run() -> None:
    assert between({"version": "1.1", "seed": 3}) == ["longctx: 1.0 → 1.1", "seed: 0 → 3"]


def test_a_profile_that_was_edited_keeps_its_name() -> None:
    assert between({"profile_digest": "b" * 64}) == [
        "profile paper: its file has changed (aaaaaaaaaaaa → bbbbbbbbbbbb)"
    ]


def test_of_the_trials() -> None:
    assert between(model="new", source="live") == ["model: some-model → new"]
    assert between(model_returned="m-2", source="live") == ["model that answered: m → m-2"]
    assert between(prompt_set="mine", prompt_digest="ffff") == [
        "prompt set: protocol → mine",
        "prompt templates of line_retrieval: 0123456789ab → ffff",
    ]
    assert between(version=2) == ["version of the family of line_retrieval: 1 → 2"]


def test_a_parameter() -> None:
    fields = {"scenario": "lines-3", "params": {"lines": 3, "block_size": None}}
    assert between(**fields) == ["lines of line_retrieval: 5 → 3"]
