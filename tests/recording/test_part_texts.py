"""The parts of requests as people read them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from longctx.config.models import ModelProfile
from longctx.recording.apis import chat, responses
from longctx.recording.apis.messages import PATH
from longctx.recording.part_texts import PartTexts
from longctx.recording.request import Place, part_digests, parts_of_all
from longctx.recording.trials import Exchange, Role

MODEL = ModelProfile(model="toy")
BODY: dict[str, Any] = {
    "model": "m",
    "max_tokens": 10,
    "system": [{"type": "text", "text": "Be brief.\nBe kind."}, {"type": "text", "text": "End."}],
    "tools": [{"name": "look_up", "input_schema": {"type": "object", "properties": {"id": {"type": "string"}}}}],
    "messages": [{"role": "user", "content": "Which code?"}],
}


def exchange(body: Mapping[str, Any], path: str = PATH, role: Role = "test", headers: str = "") -> Exchange:
    given = dict(line.split(": ") for line in headers.splitlines())
    parts = part_digests(body, given, path)
    place = Place("f", "t", "s", "default", "w", path=path, parts=parts, headers=headers)
    return Exchange(place, None, MODEL, body, role=role)


def read(*exchanges: Exchange) -> dict[str, str]:
    parts = parts_of_all([each.place.parts for each in exchanges])
    return {sent.kind: sent.text for sent in PartTexts(dict).of_trial(parts, exchanges, "1")}


def test_each_part_is_lines() -> None:
    assert read(exchange(BODY, headers="anthropic-beta: a")) == {
        "system": "Be brief.\nBe kind.End.",
        "tools": (
            "-\n  input_schema:\n    properties:\n      id:\n        type: string\n    type: object\n  name: look_up"
        ),
        "parameters": "headers:\n  anthropic-beta: a\nmax_tokens: 10",
    }


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "?"}]}, chat.PATH),
        ({"instructions": "Be brief.", "input": "?"}, responses.PATH),
        ({"systemInstruction": {"parts": [{"text": "Be brief."}]}, "contents": []}, responses.PATH),
    ],
)
def test_the_system_prompts_of_other_apis(body: dict[str, Any], path: str) -> None:
    assert read(exchange(body, path))["system"] == "Be brief."


def test_a_part_that_several_requests_share_is_read_once() -> None:
    again = {**BODY, "messages": [], "max_tokens": 20}
    found = read(exchange(BODY), exchange(again), exchange({"system": "Grade it.", "messages": []}, role="judge"))
    assert found["parameters"] == "[request]\nmax_tokens: 10\n\n[request]\nmax_tokens: 20"
    assert found["system"] == "[request]\nBe brief.\nBe kind.End.\n\n[to the judge]\nGrade it."
    assert found["tools"].startswith("-\n")


def test_the_text_is_of_what_is_compared() -> None:
    """A hook may leave the time out of what identifies a request."""
    body = {**BODY, "system": "It is 12:03."}
    compared = {**BODY, "system": "It is TIME."}
    one = exchange(compared)
    sent = Exchange(one.place, None, MODEL, body)
    found = PartTexts(lambda given: {**given, "system": "It is TIME."}).of_trial(one.place.parts, [sent], "1")
    assert "It is TIME." in [each.text for each in found]
    unlike = PartTexts(dict).of_trial(one.place.parts, [sent], "1")
    assert "system" not in [each.kind for each in unlike], "another text than that of the digest is not kept"


def test_credentials_in_fields_are_left_out() -> None:
    servers = [{"url": "https://a.example/?key=abcdefgh1", "authorization_token": "abcdefgh2"}]
    text = read(exchange({**BODY, "mcp_servers": servers}))["parameters"]
    assert "abcdefgh" not in text
    assert "authorization_token: [redacted]" in text


def test_deep_nesting_ends_in_one_line() -> None:
    deep: Any = "end"
    for _ in range(200):
        deep = {"a": deep}
    assert read(exchange({**BODY, "extra": deep}))["parameters"].count("\n") < 30
