"""The texts that a run keeps of what it sent."""

from __future__ import annotations

import random

import pytest

from longctx.results.sent_texts import LONGEST, ROOM, KnownTexts, SentText, SentTexts, sent_texts, shortened


def digest(number: int) -> str:
    return f"{number:08x}"


def test_texts_are_found_by_the_beginning_of_their_digest() -> None:
    known = KnownTexts(
        SentTexts([SentText("system", "0a1b2c3d", "Be brief."), SentText("tools", "0a1b2c3d", "- name: a")]).kept
    )
    assert [known.text("system", at) for at in ("0a1b", "0a1b2c3d", "0a1b2c3d99")] == ["Be brief."] * 3
    assert (known.text("tools", "0a1b"), known.text("parameters", "0a1b")) == ("- name: a", None)
    assert (known.text("system", None), known.text("system", "0a1c"), known.text("system", "0")) == ("", None, None)


def test_a_beginning_that_two_texts_share_finds_none() -> None:
    kept = SentTexts([SentText("system", "0a1b2c3d", "one"), SentText("system", "0a1b9999", "two")]).kept
    assert KnownTexts(kept).text("system", "0a1b") is None
    assert KnownTexts(kept).text("system", "0a1b9999") == "two"


def test_a_text_with_several_digests_is_kept_once() -> None:
    sent = [SentText("system", digest(number), "Be brief.") for number in range(3)]
    assert SentTexts(sent).kept == {"system": {"00000000 00000001 00000002": "Be brief."}}
    assert [*SentTexts(sent)] == [*sent_texts(SentTexts(sent).kept)] == sent


@pytest.mark.parametrize("seed", range(4))
def test_what_does_not_fit_does_not_depend_on_the_order(seed: int) -> None:
    """Workers hand their texts over in any order, and each keeps no more than fits."""
    sent = [SentText("system", digest(number), f"{number} " * 4000, f"case {number:04d}") for number in range(60)]
    shuffled = random.Random(seed).sample(sent, len(sent))
    parts = [SentTexts(shuffled[:25]), SentTexts(shuffled[25:])]
    together = SentTexts(text for part in parts for text in part)
    assert together.kept == SentTexts(sent).kept
    kept = together.kept["system"]
    assert [*kept] == [each.digest for each in sent[: len(kept)]], "the first in their order"
    assert 0 < len(kept) < len(sent)
    assert sum(map(len, kept.values())) <= ROOM["system"]


def test_many_texts_take_bounded_memory() -> None:
    texts = SentTexts()
    texts.update(
        SentText("system", digest(number), f"{number} {'x' * 500}", f"{number:06d}") for number in range(100_000)
    )
    assert sum(len(text.text) for text in texts) <= ROOM["system"]


def test_a_long_text_is_kept_as_its_beginning_and_names_the_rest() -> None:
    one, other = (shortened("x" * LONGEST + end) for end in ("ab", "ac"))
    assert one.startswith("x" * LONGEST + "\n… 2 more characters, SHA-256 ")
    assert one != other
    assert shortened("x" * LONGEST) == "x" * LONGEST


@pytest.mark.parametrize(
    "key",
    [
        f"sk-ant-{'a1' * 10}",
        f"github_pat_{'a1' * 15}",
        f"Bearer {'a1' * 10}",
        f"api_key={'a1' * 10}",
        f"eyJ{'a1' * 10}.eyJ{'a1' * 10}.{'a1' * 10}",
        "-----BEGIN RSA PRIVATE KEY-----\na1a1a1a1a1\n-----END RSA PRIVATE KEY-----",
    ],
)
def test_keys_are_left_out(key: str) -> None:
    assert "a1a1a1a1" not in shortened(f"Use\n{key}\nhere.")
    assert shortened(f"Use\n{key}\nhere.").endswith("here.")


def test_a_lone_surrogate_can_be_handed_over() -> None:
    assert shortened("a\ud800b").encode() == b"a\\ud800b"


def test_what_no_version_writes_is_left_out() -> None:
    kept = {"system": {"": "a", "xyz": "b", "0a1b2c3d ../../x 12": "c"}, "other": {"0a1b2c3d": "d"}}
    assert [*sent_texts(kept)] == [SentText("system", "0a1b2c3d", "c")]
