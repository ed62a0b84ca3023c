"""Parts of a session with the evidence of probes: one context per fill, which a larger fill only adds to."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from longctx.errors import UserError
from longctx.functions.strategies import LEFT_OUT, Messages, tokens_of, unpaired
from longctx.functions.transcript import Probe, Transcript, transcript
from tests.given import json_lines
from tests.refusals import refused


def turns(number: int) -> Messages:
    """Return so many exchanges, each with a tool call of an agent."""
    found: Messages = []
    for place in range(number):
        use = {"type": "tool_use", "id": f"t{place}", "name": "look_up", "input": {"place": f"depot {place}"}}
        stock = f"The stock of depot {place} is {100 + place}. " + "Nothing else was seen there. " * 4
        found += [
            {"role": "user", "content": f"Look at depot {place}."},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": f"t{place}", "content": stock}]},
            {"role": "assistant", "content": f"Depot {place} is looked at."},
        ]
    return found


def probe(place: int) -> Probe:
    return Probe(f"What is the stock of depot {place}?", (str(100 + place),), evidence=f"stock of depot {place} is")


PROBES = tuple(map(probe, (1, 12, 20, 38)))
SESSION = Transcript(turns(40), "You look at depots.", probes=PROBES)


@pytest.mark.parametrize("tokens", [500, 1000, 2000])
def test_all_probes_of_a_fill_share_one_context_which_has_their_evidence(tokens: int) -> None:
    parts = [SESSION.filled(tokens, each) for each in PROBES]
    assert all(part is parts[0] for part in parts)
    assert 0.9 * tokens < tokens_of(parts[0].messages) < 1.05 * tokens
    depths = [parts[0].depth_for(each) for each in PROBES]
    assert None not in depths
    assert depths == sorted(depths)  # type: ignore[type-var]
    assert not unpaired(parts[0].messages)
    assert parts[0].system == SESSION.system


def test_a_larger_fill_has_the_turns_of_a_smaller_one() -> None:
    small, large = (SESSION.filled(tokens, PROBES[0]) for tokens in (500, 1500))
    assert small.messages[0] == {"role": "user", "content": LEFT_OUT} or small.messages[0]["role"] == "user"
    held = json.dumps(large.messages)
    assert all(json.dumps(block["content"]) in held for turn in small.messages for block in results(turn))


def results(turn: dict[str, Any]) -> list[dict[str, Any]]:
    content = turn["content"]
    return [block for block in content if block["type"] == "tool_result"] if isinstance(content, list) else []


def test_evidence_of_more_than_half_of_a_fill_is_parted() -> None:
    probes = tuple(map(probe, range(0, 40, 4)))
    session = Transcript(turns(40), probes=probes)
    parts = [session.filled(300, each) for each in probes]
    contexts = {id(part) for part in parts}
    assert 1 < len(contexts) < len(probes)
    assert all(part.depth_for(each) is not None for part, each in zip(parts, probes, strict=True))
    assert all(tokens_of(part.messages) < 330 for part in parts)


def test_a_probe_by_the_number_of_its_turn_keeps_its_place() -> None:
    numbered = Probe("What is the stock of depot 20?", ("120",), turn=83)
    part = SESSION.filled(500, numbered)
    assert part.depth_for(numbered) == part.depth_for(PROBES[2])


@pytest.mark.parametrize("tokens", [150, 300, 500, 700, 1000, 2000])
@pytest.mark.parametrize("place", [1, 12, 38, 39])
def test_whole_exchanges_end_with_an_answer(tokens: int, place: int) -> None:
    part = Transcript(turns(40), probes=(probe(place),)).filled(tokens, probe(place), whole_exchanges=True)
    assert part.messages[-1]["role"] == "assistant"
    assert not unpaired(part.messages)
    assert part.depth_for(probe(place)) is not None
    assert tokens_of(part.messages) < 1.05 * tokens + 20


def test_what_was_recorded_ends_where_it_did() -> None:
    ends = {SESSION.filled(tokens, each).messages[-1]["role"] for tokens in range(400, 2000, 100) for each in PROBES}
    assert "user" in ends


def test_an_exchange_without_an_end_that_fits_is_cut_as_before() -> None:
    calls = [turn for place, turn in enumerate(turns(30)) if place % 4 in (1, 2)]
    session = Transcript([turns(1)[0], *calls, {"role": "assistant", "content": "All are looked at."}])
    assert session.filled(300, probe(2), whole_exchanges=True).messages == session.filled(300, probe(2)).messages


def test_a_probe_of_no_other_has_a_context_of_its_own() -> None:
    assert SESSION.filled(500, probe(30)) is not SESSION.filled(500, PROBES[0])


@pytest.mark.parametrize(
    ("tokens", "asked", "code"),
    [
        (90_000, PROBES[0], "fill-beyond-session"),
        (500, Probe("Which?", ("4",), evidence="never said"), "probe-without-evidence"),
        (500, Probe("Which?", ("4",), turn=900), "probe-without-evidence"),
        (20, PROBES[0], "evidence-beyond-fill"),
    ],
)
def test_what_does_not_fit_is_named(tokens: int, asked: Probe, code: str) -> None:
    with refused(code):
        SESSION.filled(tokens, asked)


def test_probes_are_read_with_the_transcript(tmp_path: Path) -> None:
    (tmp_path / "session.json").write_text(json.dumps({"messages": turns(9)}))
    lines = [{"id": "a", "question": "Which?", "accept": "103", "evidence": "depot 3 is"}]
    session = transcript(tmp_path / "session.json", probes=json_lines(tmp_path / "probes.jsonl", *lines))
    assert session.filled(300, lines[0]).depth_for(session.probes[0]) is not None
    (tmp_path / "probes.jsonl").write_text('{"id": "a", "question": "Which?"}\n')
    with pytest.raises(UserError, match="the probe a: `accept`"):
        transcript(tmp_path / "session.json", probes=tmp_path / "probes.jsonl")
