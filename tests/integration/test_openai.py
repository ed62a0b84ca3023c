"""A product that uses the OpenAI SDK, on recordings of a small model's chat completions: replayed, and stale."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.conftest import Checkout, Launcher, foreign_project

pytest.importorskip("openai")
FOREIGN = Path(__file__).with_name("foreign_openai")
PROFILE = "fixtures/profiles/mine.toml"


@pytest.fixture
def project(launcher: Launcher, tmp_path: Path) -> Checkout:
    return foreign_project(launcher, tmp_path, FOREIGN)


def test_everything_is_replayed_without_a_network(project: Checkout) -> None:
    """Two turns, a streamed structured answer, and a question of ask itself."""
    result = project.pytest("-n1", profile=PROFILE)
    assert result.code == 0
    assert result.says("12 trials: 12 replayed")
    assert {row["outcome"] for row in project.rows("reports/latest")} <= {"correct", "wrong", "unparseable"}


def test_a_changed_prompt_is_stale(project: Checkout) -> None:
    product = project.folder / "tests_longctx/product.py"
    product.write_text(product.read_text().replace("max_tokens=40", "max_tokens=41"))
    result = project.pytest("-k", "two_turns", profile=PROFILE)
    assert result.code != 0
    assert result.says("4 of 4 trials are stale")
