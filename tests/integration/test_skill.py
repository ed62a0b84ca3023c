"""skills/longctx/SKILL.md: its commands, one after the other, do what it says."""

from __future__ import annotations

import re
from pathlib import Path

from tests.integration.conftest import ROOT, Checkout, Launcher
from tests.integration.pages import blocks, followed
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

SKILL = "../skills/longctx/SKILL.md"


def product(body: Body) -> Answer:
    """Answer as a model that is right if it is asked for the number alone, and half of the time otherwise."""
    [code] = re.findall(r"The refund code is (\d+)", prompt_of(body))
    is_right = "the number alone" in prompt_of(body) or int(code) % 2
    return 200, {}, message(code if is_right else "I cannot tell.", body)


def test_the_skill(launcher: Launcher, tmp_path: Path) -> None:
    project = Checkout(tmp_path / "project", launcher)
    project.folder.mkdir()
    with SimulatedServer(product) as server:
        followed(project, blocks(SKILL), server.url)


def test_it_is_short() -> None:
    assert len((ROOT / "docs" / SKILL).read_text(encoding="utf-8").splitlines()) <= 120
