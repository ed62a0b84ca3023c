"""Functions that read the CI workflow, its action, and the examples of the guide."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # vcrpy brings it

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / ".github/workflows/longctx-gate.yml"
ACTION = ROOT / "action.yml"
SCRIPT = ROOT / ".ci/gate"
GUIDE = ROOT / "docs/ci.md"
RECIPES = ROOT / "docs/recipes"


def load(file: Path) -> dict[Any, Any]:
    content: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return content


def workflow() -> dict[Any, Any]:
    return load(FILE)


def action() -> dict[Any, Any]:
    return load(ACTION)


def steps(job: str) -> list[dict[str, Any]]:
    steps_of_job: list[dict[str, Any]] = workflow()["jobs"][job]["steps"]
    return steps_of_job


def step(job: str, name: str) -> dict[str, Any]:
    [step_found] = [candidate for candidate in steps(job) if candidate.get("name") == name]
    return step_found


def action_steps() -> list[dict[str, Any]]:
    steps_of_action: list[dict[str, Any]] = action()["runs"]["steps"]
    return steps_of_action


def example(name: str) -> dict[Any, Any]:
    """Return a recipe of the guide as data."""
    return load(RECIPES / name)


def gitlab() -> dict[Any, Any]:
    return example("gitlab-ci.yml")
