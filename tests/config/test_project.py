"""The settings of a project for all of its runs: [tool.longctx] in pyproject.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.config.project import NO_SETTINGS, project_settings
from longctx.errors import UserError
from tests.given import written
from tests.refusals import refused


def project(folder: Path, text: str) -> Path:
    return written(folder / "pyproject.toml", text).parent


def test_the_table_is_read(tmp_path: Path) -> None:
    entries = 'profile = "smoke"\nconcurrency = 2\ncorpus = "docs"\npage = false\nalpha = 0.01\n'
    settings = project_settings(project(tmp_path, f"[tool.longctx]\n{entries}"))
    assert (settings.profile, settings.concurrency, settings.corpus) == ("smoke", 2, Path("docs"))
    assert (settings.page, settings.text, settings.alpha, settings.trust) == (False, True, 0.01, None)


@pytest.mark.parametrize("text", [None, "", "[tool.other]\nx = 1\n", "[project]\nname = 'longctx'\n", "longctx = ["])
def test_a_project_without_the_table_has_no_settings(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        project(tmp_path, text)
    assert project_settings(tmp_path) is NO_SETTINGS


@pytest.mark.parametrize(
    ("entry", "code", "says"),
    [
        ("concurency = 2", "unknown-project-setting", "Did you mean 'concurrency'?"),
        ("concurrency = 0", "bad-project-settings", "concurrency is 0: use a number 1 or more."),
        ("alpha = 1", "bad-project-settings", "alpha is 1.0: use a number between 0 and 1."),
        ('page = "perhaps"', "bad-project-settings", "page: "),
        ('trust = "none"', "bad-project-settings", "trust: "),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, entry: str, code: str, says: str) -> None:
    with refused(code, says):
        project_settings(project(tmp_path, f"[tool.longctx]\n{entry}\n"))


def test_it_is_a_table(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a table"):
        project_settings(project(tmp_path, "[tool]\nlongctx = 3\n"))
