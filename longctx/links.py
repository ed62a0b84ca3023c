"""Links in a project: those that lead out of it, or to something hidden, are not followed."""

from __future__ import annotations

import os
from pathlib import Path

from longctx.errors import UserError

TRUSTED_FOLDERS = "LONGCTX_TRUSTED_FOLDERS"
"""The environment variable that lists folders, separated as in PATH, which links of a project may lead into."""


def inside(path: Path, *folders: Path) -> Path:
    """Return the path. Raises UserError if it leads out of all these folders, or a link to something hidden in them.

    Hidden are files and folders whose names begin with a dot, such as .env and .git. The folders may be links.
    """
    target = _real(path)
    for folder in folders:
        real = _real(folder)
        if target.is_relative_to(real) and not _is_linked_and_hidden(path, target, folder, real):
            return path
    trusted = filter(None, os.environ.get(TRUSTED_FOLDERS, "").split(os.pathsep))
    if any(target.is_relative_to(_real(Path(folder))) for folder in trusted):
        return path
    raise UserError(
        "leads-outside",
        f"{path} leads to {target}, which is outside {folders[0]}, or hidden in it, where no file of a project may "
        f"lead. Put a copy in its place, or, if you trust it, list the folder that it leads to in {TRUSTED_FOLDERS}.",
    )


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))


def _is_linked_and_hidden(path: Path, target: Path, folder: Path, real: Path) -> bool:
    inner = target.relative_to(real)
    if not any(part.startswith(".") for part in inner.parts):
        return False
    return str(inner) not in (os.path.relpath(path, folder), os.path.relpath(path, real))
