"""The README is short, and it shows what the commands print."""

from __future__ import annotations

import re

import pytest

from tests.here import HERE

README = (HERE.root / "README.md").read_text(encoding="utf-8")


def test_it_is_short_and_its_two_commands_are_those_of_the_checks() -> None:
    assert README.count("\n") < 120
    checks = (HERE.root / ".ci/run").read_text(encoding="utf-8").splitlines()
    for requirements, command in (
        ("requirements", "pytest -n 8 tests_longctx"),
        ("requirements-dev", "pytest -n 2 tests"),
    ):
        assert f"pip install -r {requirements}.txt && {command}\n" in README
        assert f"pip install --quiet --require-hashes -r {requirements}.lock" in checks, "the same, with hashes"
        assert any(line.startswith(command) for line in checks)


@pytest.mark.parametrize("page", ["reports/reference/summary.md", "docs/gate.md"])
def test_its_numbers_are_those_of_the_reference_report_and_of_the_gates_guide(page: str) -> None:
    """The outputs on these pages have tests of their own, or are made by a run."""
    text = " ".join((HERE.root / page).read_text(encoding="utf-8").replace("\\", "").split())
    blocks = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    shown = "".join(block for block in blocks if ("Gate: " in block) == (page == "docs/gate.md"))
    if page == "docs/gate.md":
        parts = [line for line in shown.splitlines() if line != "…"]
    else:
        parts = re.findall(r"\d\.\d\d \[.*?\] n=\d+", shown)
    assert [part for part in parts if " ".join(part.split()) not in text] == []
    assert len(parts) > 4
