"""Keeping entries in files of the project, where everything that a person wrote stays."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.items import InlineTable, Table

from longctx import clocks
from longctx.config import models
from longctx.config.file_names import file_name
from longctx.config.models import TokenCounts
from longctx.config.profiles import DEFAULT, profile_path
from longctx.config.project import NAME, project_settings
from longctx.config.project_files import read_text
from longctx.errors import UserError
from longctx.files import write_file
from longctx.workspace import Workspace


def keep_token_counts(workspace: Workspace, model: str, counts: TokenCounts) -> Path:
    """Append token counts to the model's profile, which is created if necessary; return its path. Raises UserError."""
    entry = _table()
    entry.update(counts.model_dump(exclude={"values"}, exclude_defaults=True, by_alias=True))
    entry["values"] = _inline(counts.values)
    with _edited(workspace, model) as (path, document):
        document.setdefault("measured", tomlkit.aot()).append(entry)
    return path


def keep_probed(workspace: Workspace, model: str, source: str, values: Mapping[str, Any]) -> Path:
    """Write what a server reported today to the profile's [probed] table; return the file's path. Raises UserError."""
    today = {"on": clocks.now().date(), "source": source}
    with _edited(workspace, model) as (path, document):
        document.setdefault("probed", _table()).update(today | dict(values))
    return path


def keep_default_profile(workspace: Workspace) -> Path | None:
    """Write the name of the project's default profile to its settings, so that further profiles leave it the default.

    Return the path of pyproject.toml; None if the default needs no entry, or there is none. Raises UserError.
    """
    path = workspace.root / NAME
    try:
        name = profile_path(workspace, None).stem
    except UserError:
        return None
    if name == DEFAULT or project_settings(workspace.root).profile:
        return None
    text = read_text(path).rstrip("\n") if path.exists() else ""
    document = tomlkit.parse(text)
    if "longctx" in document.get("tool", {}):
        document["tool"]["longctx"]["profile"] = name
        text = tomlkit.dumps(document).rstrip("\n")
    else:
        space = "\n\n" if text else ""
        text += f'{space}[tool.longctx]\nprofile = "{name}"'
    write_file(path, lambda part: part.write_text(f"{text}\n", encoding="utf-8"))
    project_settings.cache_clear()
    return path


def profile_of(workspace: Workspace, model: str) -> Path:
    """Return the path of the project's own file for a model id, which need not exist."""
    known = _known(workspace, model)
    return workspace.own("models", known.name if known else f"{file_name(model)}.toml")


def _known(workspace: Workspace, model: str) -> Path | None:
    """Return the file of a model id: the one of that name, or one whose `model` it is; None if there is none."""
    path = models.profile_path(workspace, model)
    if path.is_file():
        return path
    return next((other for other in workspace.list("models", "*.toml") if models.model_in(other) == model), None)


@contextlib.contextmanager
def _edited(workspace: Workspace, model: str) -> Iterator[tuple[Path, tomlkit.TOMLDocument]]:
    """Provide the project's profile of a model for editing; it begins as a copy of longctx's own, if there is one."""
    known, path = _known(workspace, model), profile_of(workspace, model)
    if known:
        text = read_text(known)
        document = tomlkit.parse(text if text.endswith("\n") else f"{text}\n")
    else:
        document = tomlkit.document()
        document["model"] = model
    yield path, document
    write_file(path, lambda part: part.write_text(tomlkit.dumps(document), encoding="utf-8"))


def _table() -> Table:
    """Return an empty table that follows an empty line."""
    table = tomlkit.table()
    table.trivia.indent = "\n"
    return table


def _inline(values: Mapping[str, float]) -> InlineTable:
    table = tomlkit.inline_table()
    table.update({name: int(value) if value.is_integer() else value for name, value in values.items()})
    return table
