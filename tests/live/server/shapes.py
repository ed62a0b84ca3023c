"""Answers to requests other than questions, in every shape but the right one."""

from __future__ import annotations

from tests.servers import Script, failing, giving

NO_COUNTS: dict[str, Script] = {
    "html": giving(b"<html>It works!</html>", **{"content-type": "text/html"}),
    "malformed": giving(b'{"input_tokens": 1'),
    "empty": giving(b""),
    "a list": giving(b"[12]"),
    "null": giving(b"null"),
    "a number": giving(b"12"),
    "no input_tokens": giving(b'{"tokens": 12}'),
    "null tokens": giving(b'{"input_tokens": null}'),
    "a string": giving(b'{"input_tokens": "12"}'),
    "a truth": giving(b'{"input_tokens": true}'),
    "a fraction": giving(b'{"input_tokens": 12.5}'),
    "negative": giving(b'{"input_tokens": -12}'),
    "zero": giving(b'{"input_tokens": 0}'),
    "beyond belief": giving(b'{"input_tokens": 1000000000000000}'),
    "no text": giving(b"\xff\xfe"),
    "deep": giving(b"[" * 100_000),
    "not found": failing(404, "no such path"),
    "not done": failing(501, "not implemented"),
}
"""Malformed answers of count_tokens."""
ONE_COUNT = giving(b'{"input_tokens": 12}')
"""A well-formed answer that is wrong: every text takes as many tokens."""

NO_MODELS: dict[str, Script] = {
    "html": giving(b"<html>It works!</html>", **{"content-type": "text/html"}),
    "malformed": giving(b'{"max_input_tokens": 4096'),
    "empty": giving(b""),
    "a list": giving(b'[{"max_input_tokens": 4096}]'),
    "null": giving(b"null"),
    "deep": giving(b"[" * 100_000),
}
"""Answers of models.retrieve that are no description of a model."""
LITTLE_OF_MODELS: dict[str, Script] = {
    "nothing known": giving(b'{"id": "toy", "object": "model"}'),
    "a string": giving(b'{"max_input_tokens": "4096"}'),
    "a truth": giving(b'{"max_input_tokens": true, "max_tokens": true}'),
    "negative": giving(b'{"max_input_tokens": -4096, "max_tokens": 0}'),
    "capabilities in a list": giving(b'{"capabilities": ["batch"]}'),
    "capabilities in words": giving(b'{"capabilities": {"thinking": "yes", "effort": ["low"], "batch": "no"}}'),
    "types in words": giving(b'{"capabilities": {"thinking": {"types": "all"}, "batch": {"supported": "no"}}}'),
    "not found": failing(404, "no such model"),
}
"""Answers of models.retrieve without anything that can be used."""
