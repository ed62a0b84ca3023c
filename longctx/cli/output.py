"""Files that commands write: none is written over unless asked for, and none is left half written."""

from __future__ import annotations

import os
from collections.abc import Callable
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


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file beside `path`, then put it in its place. Raises UserError."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        write(part)
        part.replace(path)
    except OSError as error:
        raise UserError(f"{path} cannot be written: {error.strerror or error}.") from None
    finally:
        part.unlink(missing_ok=True)
