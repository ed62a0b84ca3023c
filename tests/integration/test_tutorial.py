"""docs/tutorial.md: its commands, one after the other, print what it says and end as it says."""

from __future__ import annotations

import re
from pathlib import Path

from tests.integration.conftest import ROOT, Checkout, Launcher
from tests.integration.pages import blocks, followed

PAGE = (ROOT / "docs/tutorial.md").read_text(encoding="utf-8")
INSTALLS = "pip install"
"""These commands are run by test_installed.py."""


def test_the_tutorial(launcher: Launcher, tmp_path: Path) -> None:
    kept = "0.5b/line_retrieval", "0.5b/test_refund_code", "1.5b/line_retrieval"
    Checkout(tmp_path / "longctx", launcher).take(*(f"cassettes/qwen2.5-coder-{name}" for name in kept))
    project = Checkout(tmp_path / "tour", launcher)
    project.folder.mkdir()
    followed(project, (part for part in blocks("tutorial.md") if part[0] != "sh" or INSTALLS not in part[1]))
    assert outcomes_of_the_lost_one(project).items() >= {("chatty", "correct"), ("protocol", "wrong")}


def outcomes_of_the_lost_one(project: Checkout) -> dict[object, object]:
    """Return the outcome, with each prompt set, of the trial that the page shows as one that was lost."""
    [(cell, trial)] = re.findall(r"show line_retrieval/(\S+)#(\d+) --run", PAGE)
    rows = [row for run in project.runs() for row in project.rows(f"reports/{run.name}")]
    of_trial = (row for row in rows if (row["cell"], row["trial"]) == (cell, int(trial)))
    return {row["prompt_set"]: row["outcome"] for row in of_trial}
