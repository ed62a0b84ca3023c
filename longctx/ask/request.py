"""The Messages API request of a trial, and the digest by which the tape knows it."""

from __future__ import annotations

import hashlib
import json
from typing import Any

from longctx.config.models import ModelProfile
from longctx.scenarios.base import Trial

PATH = "/v1/messages"
TRANSPORT_ONLY = ("cache_control", "stream", "metadata")
"""Parts of a body that change price and transport, not the question."""


def request_body(trial: Trial, model: ModelProfile) -> dict[str, Any]:
    """The body as the API takes it: the model profile's extras are added last, and so have the last word."""
    return parameters(trial, model) | model.extra_body


def parameters(trial: Trial, model: ModelProfile) -> dict[str, Any]:
    """The body without the model profile's extras, which the SDK takes apart from it."""
    body: dict[str, Any] = {
        "model": model.model,
        "max_tokens": trial.max_tokens + model.thinking_tokens,
        "messages": _messages(trial, model),
    }
    if system := system_prompt(trial.system, model):
        body["system"] = system
    if model.thinking:
        body["thinking"] = model.thinking.model_dump(exclude_none=True)
    if model.effort:
        body["output_config"] = {"effort": model.effort}
    return body


def system_prompt(of_set: str, model: ModelProfile) -> str:
    """The model profile's system prompt and, after a blank line, that of the prompt set; empty where neither is."""
    return "\n\n".join(filter(None, (model.system, of_set)))


def call(trial: Trial, model: ModelProfile) -> dict[str, Any]:
    """The arguments of the SDK's call: `parameters` under the id that the provider knows, and the extras apart."""
    return parameters(trial, model) | {"model": model.sent_as, "extra_body": model.extra_body or None}


def _messages(trial: Trial, model: ModelProfile) -> list[dict[str, str]]:
    """The user's turn and, where the trial has one and the model takes it, the beginning of the answer."""
    if begun := prefill(trial, model):
        return [{"role": "user", "content": trial.user}, {"role": "assistant", "content": begun}]
    if trial.prefill:
        return [{"role": "user", "content": f"{trial.user}\n{trial.without_prefill}"}]
    return [{"role": "user", "content": trial.user}]


def prefill(trial: Trial, model: ModelProfile) -> str:
    """The beginning of the answer that is sent with the question; empty where the model or the trial has none."""
    return trial.prefill if model.prefill else ""


def digest(body: dict[str, Any]) -> str:
    """SHA-256 of the canonical body, in hex."""
    canonical = {name: value for name, value in body.items() if name not in TRANSPORT_ONLY}
    text = json.dumps(canonical, sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
