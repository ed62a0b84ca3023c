"""The estimated tokens of a request, by the characters of what it holds."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from longctx.config.models import ModelProfile

CHARACTERS_A_TOKEN = {"text": 4, "json": 3}
"""About the characters of a token of the reference vocabulary, for what a profile adds to a prompt."""
TOOLS_PROMPT = 346
"""The tokens of the system prompt that comes with tools. Source: "Tool use with Claude", platform.claude.com/docs."""


def added_tokens(model: ModelProfile, system: str, system_counted: bool) -> int:
    """Estimate the tokens that a request holds beside the user's turn: its system prompt and its tools.

    system: that of the prompt set. system_counted: whether the size of the turn includes both system prompts, the model
    profile's and the prompt set's.
    """
    own = model.extra_body.get("system")
    text = "" if system_counted and own is None else model.system_prompt(system) if own is None else json.dumps(own)
    tokens = len(text) / CHARACTERS_A_TOKEN["text"] * model.tokens.reference
    if tools := model.extra_body.get("tools"):
        tokens += TOOLS_PROMPT + len(json.dumps(tools)) / CHARACTERS_A_TOKEN["json"] * model.tokens.reference
    return round(tokens)


def body_tokens(body: Mapping[str, Any], model: ModelProfile) -> int:
    """Estimate the tokens of a prompt with everything that its request holds, by its characters."""
    tools = TOOLS_PROMPT if body.get("tools") else 0
    texts = json.dumps([body.get("system", ""), body["messages"]], ensure_ascii=False)
    tokens = (
        len(texts) / CHARACTERS_A_TOKEN["text"] + len(json.dumps(body.get("tools", ""))) / CHARACTERS_A_TOKEN["json"]
    )
    return round(tools + tokens * model.tokens.reference)
