"""What commands print while they work, and the files that they write: none is written over unless asked for."""

from __future__ import annotations

from pathlib import Path

from longctx.errors import UserError


def say(sentence: str) -> None:
    """At once, also where the output is read by a program."""
    print(sentence, flush=True)


def check_free(path: Path, force: bool) -> None:
    """Raises UserError where a file cannot or must not be written at `path`, which the user gave."""
    check_new(path, force)
    if not path.parent.is_dir():
        raise UserError("no-such-folder", f"There is no folder {path.parent} to write {path.name} into: make it first.")


def check_new(path: Path, force: bool) -> None:
    """Raises UserError where something stands at `path` already."""
    if path.is_dir():
        raise UserError("path-is-folder", f"{path} is a folder: give the name of a file.")
    if path.exists() and not force:
        raise UserError("file-exists", f"{path} already exists: give another name, or --force to write over it.")


def check_free_folder(option: str, folder: Path) -> None:
    """Raises UserError where the folder that an option names is not there to be filled."""
    if file := next((path for path in (folder, *folder.parents) if path.is_file()), None):
        raise UserError("path-is-file", f"{option} {folder} cannot be used, since {file} is a file: give a folder.")
    if folder.is_dir() and any(folder.iterdir()):
        raise UserError("folder-not-empty", f"{option} {folder} is not empty: give another folder, or delete it first.")
