"""The CI workflow and the GitLab example, as tests read them."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml  # type: ignore[import-untyped]  # vcrpy brings it

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / ".github/workflows/longctx-gate.yml"
SCRIPT = ROOT / ".ci/gate"
GUIDE = ROOT / "docs/ci.md"


def workflow() -> dict[Any, Any]:
    found: dict[Any, Any] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return found


def steps(job: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = workflow()["jobs"][job]["steps"]
    return found


def step(job: str, name: str) -> dict[str, Any]:
    [found] = [one for one in steps(job) if one.get("name") == name]
    return found


def gitlab() -> dict[str, Any]:
    """The .gitlab-ci.yml of the guide."""
    [text] = re.findall(r"```yaml\n# \.gitlab-ci\.yml\n(.*?)```", GUIDE.read_text(encoding="utf-8"), re.DOTALL)
    found: dict[str, Any] = yaml.safe_load(text)
    return found
