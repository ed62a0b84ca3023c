"""The terms of a gate as the base branch has them: a change cannot loosen those that it is judged by."""

from __future__ import annotations

import tempfile
import tomllib
from pathlib import Path
from typing import Any

from longctx import pytest_file
from longctx.config.profiles import Profile, load_profile, profile_path, profile_type
from longctx.config.project import NAME, ProjectSettings, settings_in
from longctx.config.text_files import checked, digest_of
from longctx.errors import UserError
from longctx.gate.defaults import MARGIN
from longctx.registry import families
from longctx.results.manifest import Manifest
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
        return checked(tomllib.loads(content.decode()), profile_type(families(workspace)), source)
    except ValueError as error:
        raise UserError("not-toml", f"{source} is not valid TOML: {error}.") from None


def project_settings_at(workspace: Workspace, revision: str) -> ProjectSettings:
    """Return [tool.longctx] of pyproject.toml as a branch or commit has it. Raises UserError."""
    from longctx.recording.base import Base

    content = Base(revision, workspace.root, workspace.cassettes).file(workspace.root / NAME) or b""
    return settings_in(content.decode("utf-8", "replace"), f"{NAME} on {revision}")


def addopts_at(workspace: Workspace, file: Path, revision: str) -> str | list[str]:
    """Return the options that the file which configures pytest has on a branch or commit. Raises UserError."""
    from longctx.recording.base import Base

    content = Base(revision, workspace.root, workspace.cassettes).file(file) or b""
    with tempfile.TemporaryDirectory(prefix="longctx-") as folder:
        copy = Path(folder, file.name)
        copy.write_bytes(content)
        table: dict[str, Any] = pytest_file.table(copy) or {}
    options: str | list[str] = table.get("addopts", "")
    return options


def profiles_of(workspace: Workspace, manifest: Manifest) -> list[tuple[Profile, list[str]]]:
    """Return the profiles of merged runs, with the models that replaced the profiles' own.

    Raises UserError if a profile has changed since.
    """
    found = []
    for options, digest, base in dict.fromkeys(
        (tuple(part["options"]), part["profile_digest"], part.get("base", "")) for part in manifest.parts
    ):
        if not digest:  # test functions alone need no profile
            continue
        values = [option.partition("=") for option in options]
        name = next((value for option, _, value in values if option == "--ctx-profile"), None)
        path: Path = profile_path(workspace, name)
        if digest_of(path) != digest:
            raise UserError(
                "profile-changed",
                f"{path} has changed since the runs measured it: merge them with the file as it was, or run them "
                "again.",
            )
        models = [value for option, _, value in values if option == "--ctx-model"]
        own = load_profile(workspace, name)
        found.append((terms_at(workspace, name, base, own) if base else own, models))
    return found
