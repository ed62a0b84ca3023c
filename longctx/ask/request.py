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
    """The parameters of the SDK's call, without the model profile's extras, which it takes apart from them."""
    body: dict[str, Any] = {
        "model": model.model,
        "max_tokens": trial.max_tokens + model.thinking_tokens,
        "messages": _messages(trial, model),
    }
    if trial.system:
        body["system"] = trial.system
    return body


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
