"""Texts of a session that look like keys: named with their turn, and shown by their beginning alone."""

from __future__ import annotations

import pytest

from longctx.functions.keys import keys_in
from longctx.functions.transcript import Transcript

SECRETS = {
    "an Anthropic key": "sk-ant-api03-abcdefghijklmnop",
    "a key of OpenAI": "sk-proj-abcdefghijklmnopqrstuvwx",
    "a key of AWS": "AKIAABCDEFGHIJKLMNOP",
    "a private key": "-----BEGIN RSA PRIVATE KEY-----",
    "a password in an address": "postgres://depot:hunter22@db.example/stock",
    "a secret": "DB_PASSWORD=correct-horse",
}


@pytest.mark.parametrize("kind", SECRETS)
def test_a_key_is_named_once_with_its_turn(kind: str) -> None:
    result = {"type": "tool_result", "tool_use_id": "t", "content": f"env: {SECRETS[kind]} and {SECRETS[kind]}"}
    session = Transcript([{"role": "user", "content": "Hello."}, {"role": "user", "content": [result]}])
    [found] = [key for key in keys_in(session) if key.kind == kind]
    assert str(found).startswith(f"turn 2 has {kind} (")
    assert SECRETS[kind] not in str(found)


def test_everyday_text_has_none() -> None:
    turns = [{"role": "user", "content": "The password is in the safe; see https://example.com/key and task-1234."}]
    assert list(keys_in(Transcript(turns, "Your secret: be kind."))) == []
