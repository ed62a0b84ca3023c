"""The estimated tokens of what a request holds."""

from __future__ import annotations

from longctx.cases.case import TOOLS_PROMPT, added_tokens
from longctx.config.models import ModelProfile


def test_what_a_profile_adds_is_estimated() -> None:
    tools = [{"name": "look_up", "description": "x" * 3000, "input_schema": {"type": "object"}}]
    plain, with_tools = ModelProfile(model="toy"), ModelProfile(model="toy", extra_body={"tools": tools})
    assert added_tokens(plain, "", system_counted=False) == 0
    assert added_tokens(with_tools, "", system_counted=False) > 1000 + TOOLS_PROMPT
    product = ModelProfile(model="toy", system="y" * 4000)
    assert added_tokens(product, "z" * 4000, system_counted=False) > 2000
    assert added_tokens(product, "z" * 4000, system_counted=True) == 0
