"""The terms of a gate as the base branch has them: a change cannot loosen those that it is judged by."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path
from typing import Any

from longctx import pytest_file
from longctx.config.profiles import Profile, profile_path, profile_type
from longctx.config.project import NAME, ProjectSettings, project_settings, settings_in
from longctx.config.project_files import checked
from longctx.errors import UserError
from longctx.gate.cases import Retired
from longctx.gate.rules import MARGIN
from longctx.registry import known_protocols
from longctx.workspace import Workspace


def terms_at(workspace: Workspace, name: str | None, revision: str, own: Profile) -> Profile:
    """Return a profile as a branch or commit has it, for the terms that it states. Raises UserError.

    own: the profile as the run has it. If it is new there, it may narrow the default margin, not widen it.
    """
    from longctx.recording.base import Base

    path = profile_path(workspace, name)
    content = Base(revision, workspace.root, workspace.cassettes).file(path)
    if content is None:
        return own.model_copy(update={"margin": min(own.margin or MARGIN, MARGIN), "run_margin": None})
    source = f"{path} on {revision}"
    try:
        return checked(tomllib.loads(content.decode()), profile_type(known_protocols(workspace)), source)
    except ValueError as error:
        raise UserError("not-toml", f"{source} is not valid TOML: {error}.") from None


def project_settings_at(workspace: Workspace, revision: str) -> ProjectSettings:
    """Return [tool.longctx] of pyproject.toml as a branch or commit has it. Raises UserError."""
    from longctx.recording.base import Base

    content = Base(revision, workspace.root, workspace.cassettes).file(workspace.root / NAME) or b""
    return settings_in(content.decode("utf-8", "replace"), f"{NAME} on {revision}")


def retired_cases(workspace: Workspace, base: str | None) -> Retired:
    """Return the cases that the project has retired: with a base branch, those that stand there. Raises UserError."""
    here = project_settings(workspace.root).retired
    if not base:
        return Retired(here)
    there = project_settings_at(workspace, base).retired
    return Retired(there, frozenset(here.keys() - there.keys()))


def addopts_at(workspace: Workspace, file: Path, revision: str) -> str | list[str]:
    """Return the options that the file which configures pytest has on a branch or commit. Raises UserError."""
    options: str | list[str] = pytest_settings_at(workspace, file, revision).get("addopts", "")
    return options


def pytest_settings_at(workspace: Workspace, file: Path, revision: str) -> dict[str, Any]:
    """Return the settings of pytest that a file has on a branch or commit; none without one. Raises UserError."""
    from longctx.recording.base import Base

    content = Base(revision, workspace.root, workspace.cassettes).file(file) or b""
    with tempfile.TemporaryDirectory(prefix="longctx-") as folder:
        copy = Path(folder, file.name)
        copy.write_bytes(content)
        return pytest_file.table(copy) or {}
