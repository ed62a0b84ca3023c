"""The calls of the hooks: what they return is checked, and those that are told of a run cannot end it."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from longctx.engine.settings import Settings
from longctx.errors import UserError, did_you_mean
from longctx.plugin.session import session_of

PATHS = ("corpus", "questions")
OF_PROJECT = ("profile", *PATHS, "base_url", "min_rate", "max_cost", "margin")
"""The options that `pytest_longctx_config` may give. None of them has another default than None."""


def with_project(config: pytest.Config, settings: Settings) -> Settings:
    """Return the settings with what the project's hooks give instead of defaults. Raises UserError."""
    given = _merged(config, "pytest_longctx_config")
    if strange := next((name for name in given if name not in OF_PROJECT), None):
        raise UserError(
            "unknown-project-option",
            f"The hook pytest_longctx_config returns {strange!r}, which is not a project option. "
            f"{did_you_mean(strange, OF_PROJECT)}",
        )
    root = config.rootpath
    for name in PATHS:
        if given.get(name) is not None:
            given[name] = Path(os.path.relpath(root / given[name]))
    profile = given.get("profile")
    if isinstance(profile, str | Path) and Path(profile).suffix == ".toml":
        given["profile"] = os.path.relpath(root / profile)
    missing = {name: value for name, value in given.items() if getattr(settings, name) is None}
    models = _merged(config, "pytest_longctx_models")
    amended = {name: {**models.get(name, {}), **entries} for name, entries in settings.model_profiles.items()}
    return dataclasses.replace(settings, **missing, model_profiles={**models, **amended})


def call_hook(config: pytest.Config, hook: str, **arguments: Any) -> None:
    """Call a hook that is notified about a run. An exception becomes a sentence in FAULTS."""
    try:
        getattr(config.hook, hook)(config=config, **arguments)
    except Exception as error:
        why = f"{hook} failed: {type(error).__name__}: {error}."
        session_of(config).faults.setdefault(hook, why)


def _merged(config: pytest.Config, hook: str) -> dict[str, Any]:
    """Return what all implementations of a hook give; the one that pytest calls first comes first. Raises UserError."""
    merged: dict[str, Any] = {}
    for given in reversed(getattr(config.hook, hook)(config=config)):
        if not isinstance(given, Mapping):
            raise UserError(
                "hook-gives-no-dict", f"The hook {hook} returns {type(given).__name__}: return a dict or None."
            )
        merged |= given
    return merged
