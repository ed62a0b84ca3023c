"""The made-up history of an agent: frozen, paired, and with all of its facts at every length."""

from __future__ import annotations

import pytest

from longctx.functions.operation import KINDS, Operation, operation
from longctx.functions.strategies import tokens_of, unpaired
from longctx.vocabulary.stream import frozen_stream


def made(tokens: int, item: int = 0) -> Operation:
    return operation(frozen_stream("facts", item), frozen_stream("others", item), tokens)


@pytest.mark.parametrize("item", range(8))
def test_every_fact_is_in_the_history_and_every_call_has_its_result(item: int) -> None:
    history = made(900, item)
    assert tuple(history.probes) == KINDS
    assert unpaired(history.transcript.messages) == ""
    assert 780 <= tokens_of(history.transcript.messages) <= 900
    text = str(history.transcript.messages)
    for kind, probe in history.probes.items():
        assert probe.kind == kind
        assert history.transcript.depth_of(probe.evidence) is not None
        assert any(answer in text for answer in probe.accept if isinstance(answer, str))
        assert all(answer in text for answer in probe.stale)
        assert probe.grade(f"It is {probe.accept[0]}.") == "kept"


def test_what_replaces_a_value_comes_after_it() -> None:
    for item in range(20):
        history = made(600, item).transcript
        probes = made(600, item).probes
        for kind, before in (("correction", "Our contact at"), ("superseded", "When does the road")):
            first, second = history.depth_of(before), history.depth_of(probes[kind].evidence)
            assert first is not None
            assert second is not None
            assert first < second


def test_a_longer_history_has_the_same_facts() -> None:
    short, long = made(600), made(3_000)
    assert short.probes == long.probes
    assert 2_900 <= tokens_of(long.transcript.messages) <= 3_000
    assert all(turn in [dict(each) for each in _texts(long)] for turn in _texts(short))


def _texts(history: Operation) -> list[dict[str, object]]:
    return [turn for turn in history.transcript.messages if isinstance(turn["content"], str)]
