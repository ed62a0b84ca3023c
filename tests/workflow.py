"""Functions that read the CI workflow, its action, and the examples of the guide."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # vcrpy brings it

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / ".github/workflows/longctx-gate.yml"
ACTION = ROOT / "action.yml"
SCRIPT = ROOT / ".ci/gate"
GUIDE = ROOT / "docs/ci.md"


def load(file: Path) -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(file.read_text(encoding="utf-8"))
    return found


def workflow() -> dict[Any, Any]:
    return load(FILE)


def action() -> dict[Any, Any]:
    return load(ACTION)


def steps(job: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = workflow()["jobs"][job]["steps"]
    return found


def step(job: str, name: str) -> dict[str, Any]:
    [found] = [candidate for candidate in steps(job) if candidate.get("name") == name]
    return found


def action_steps() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = action()["runs"]["steps"]
    return found


def example(name: str) -> dict[Any, Any]:
    """Return an example of the guide as data. name: the file name, which a comment in its first line gives."""
    pattern = rf"```yaml\n# {re.escape(name)}\n(.*?)```"
    [text] = re.findall(pattern, GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    found: dict[Any, Any] = yaml.safe_load(text)
    return found


def gitlab() -> dict[Any, Any]:
    return example(".gitlab-ci.yml")
