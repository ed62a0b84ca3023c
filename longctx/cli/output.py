"""Files that commands write: none is written over unless asked for."""

from __future__ import annotations

from pathlib import Path

from longctx.errors import UserError


def check_free(path: Path, force: bool) -> None:
    """Raises UserError where a file cannot or must not be written at `path`."""
    if path.is_dir():
        raise UserError(f"{path} is a folder: give the name of a file.")
    if path.exists() and not force:
        raise UserError(f"{path} exists: give another name, or --force to write over it.")
    if not path.parent.is_dir():
        raise UserError(f"There is no folder {path.parent} to write {path.name} into.")
