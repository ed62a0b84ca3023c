"""The README is short, it shows what the commands print, and its links work wherever it is shown."""

from __future__ import annotations

import re

import pytest

from tests.here import HERE
from tools.site.repository import URL

README = (HERE.root / "README.md").read_text(encoding="utf-8")
CONTRIBUTING = (HERE.root / "CONTRIBUTING.md").read_text(encoding="utf-8")
RAW = URL.replace("github.com", "raw.githubusercontent.com")


def test_it_is_short() -> None:
    assert README.count("\n") < 120


@pytest.mark.parametrize(
    ("requirements", "command"),
    [("requirements", "pytest -n 8 tests_longctx"), ("requirements-dev", "pytest -n 2 tests")],
)
def test_the_commands_of_contributors_are_those_of_the_checks(requirements: str, command: str) -> None:
    checks = [line.strip() for line in (HERE.root / ".ci/run").read_text(encoding="utf-8").splitlines()]
    assert re.search(rf"pip install -r {requirements}\.txt && {command}( +#.*)?\n", CONTRIBUTING)
    assert f"pip install --quiet --require-hashes -r {requirements}.lock" in checks, "the same, with hashes"
    assert any(line.startswith(command) for line in checks)


def test_its_output_is_that_of_the_tutorial() -> None:
    """The outputs of the tutorial have a test of their own."""
    tutorial = " ".join((HERE.root / "docs/tutorial.md").read_text(encoding="utf-8").split())
    shown = "".join(re.findall(r"```text\n(.*?)```", README, re.DOTALL))
    lines = [" ".join(line.split()) for line in shown.splitlines() if line != "…"]
    assert [line for line in lines if line not in tutorial] == []
    assert len(lines) > 4


def test_its_links_are_absolute_and_lead_to_files() -> None:
    links = re.findall(r"\]\(([^)\s]+)\)", README)
    assert len(links) > 10
    for link in links:
        path = next(link.removeprefix(base) for base in (f"{URL}/blob/main/", f"{RAW}/main/") if link.startswith(base))
        assert (HERE.root / path.partition("#")[0]).is_file(), link
