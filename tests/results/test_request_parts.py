"""What differs between two requests, by the digests of their parts."""

from __future__ import annotations

import pytest

from longctx.results.request_parts import parts_that_differ, request_difference


def test_a_part_of_one_alone_differs() -> None:
    assert parts_that_differ("messages=aaaa system=bbbb", "messages=aaaa1111") == {"system": True, "messages": False}


@pytest.mark.parametrize("unknown", ["", None])
def test_nothing_is_said_of_what_is_not_known(unknown: str | None) -> None:
    assert parts_that_differ("messages=aaaa", unknown) == parts_that_differ(unknown, "messages=aaaa") == {}


@pytest.mark.parametrize(
    ("differ", "said"),
    [
        ({"system": 60, "tools": 0, "messages": 0}, "system; tools and messages are the same"),
        ({"system": 60, "messages": 12}, "system and messages in 12"),
        ({"system": 0, "messages": 60}, "messages; system is the same"),
        ({"messages": 60, "parameters": 0}, "messages; parameters are the same"),
    ],
)
def test_sentences(differ: dict[str, int], said: str) -> None:
    assert request_difference(differ, 60) == said
