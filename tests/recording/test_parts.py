"""The digests of the parts of a request."""

from __future__ import annotations

from typing import Any

import pytest

from longctx.recording.apis import chat, responses
from longctx.recording.request import part_digests, parts_of_all
from longctx.results.request_parts import as_mapping, parts_that_differ

BODY: dict[str, Any] = {
    "model": "m",
    "max_tokens": 10,
    "system": "Be brief.",
    "tools": [{"name": "look_up"}],
    "messages": [{"role": "user", "content": "Which code?"}],
}


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"model": "n"}, "model"),
        ({"system": "Be polite."}, "system"),
        ({"tools": []}, "tools"),
        ({"tool_choice": {"type": "any"}}, "tools"),
        ({"messages": []}, "messages"),
        ({"max_tokens": 11}, "parameters"),
        ({"temperature": 0}, "parameters"),
    ],
)
def test_a_change_is_one_of_its_part_alone(change: dict[str, Any], part: str) -> None:
    differ = parts_that_differ(part_digests(BODY), part_digests(BODY | change))
    assert [name for name, differs in differ.items() if differs] == [part]


def test_headers_are_parameters_and_what_is_of_transport_alone_is_in_no_part() -> None:
    differ = parts_that_differ(part_digests(BODY), part_digests(BODY, {"anthropic-beta": "a"}))
    assert [name for name, differs in differ.items() if differs] == ["parameters"]
    assert part_digests(BODY | {"stream": True, "metadata": {}}) == part_digests(BODY)
    blocks = [{"role": "user", "content": [{"type": "text", "text": "Which "}, {"type": "text", "text": "code?"}]}]
    assert part_digests(BODY | {"messages": blocks}) == part_digests(BODY), "the digest of the request is the same, too"


def test_the_system_prompt_of_other_apis() -> None:
    turns = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Which code?"}]
    asked = {"model": "m", "messages": turns}
    other = {"model": "m", "messages": [{"role": "developer", "content": "Be polite."}, turns[1]]}
    differ = parts_that_differ(part_digests(asked, path=chat.PATH), part_digests(other, path=chat.PATH))
    assert differ == {"model": False, "system": True, "messages": False}
    given = part_digests({"model": "m", "instructions": "Be brief.", "input": "Which code?"}, path=responses.PATH)
    assert set(as_mapping(given)) == {"model", "system", "messages"}


def test_several_requests_are_as_one() -> None:
    first, second = part_digests(BODY), part_digests({"model": "m", "messages": []})
    assert parts_of_all([first]) == first
    both = parts_of_all([first, second])
    assert both is not None
    assert parts_that_differ(both, parts_of_all([second, first]))["tools"]
    assert parts_of_all([first, ""]) is parts_of_all([]) is None
