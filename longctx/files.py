"""Writing a file, or a folder of files, completely or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from longctx.errors import UserError

ROOM = 64 * 1024
"""The bytes that must fit into a folder for it to count as writable; the smallest report is larger."""


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file, then move it to `path`, making its folder if needed. Raises UserError."""
    part = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write(part)
        part.replace(path)
    except OSError as error:
        raise unwritable(path, error) from None
    finally:
        with contextlib.suppress(OSError):
            part.unlink()


@contextlib.contextmanager
def whole_folder(folder: Path, last: str) -> Iterator[Path]:
    """Provide a temporary folder whose files are moved into `folder` at the end. Raises UserError.

    last: the name of the file that is moved last; its presence shows that the folder is complete.
    """
    with _made(folder), contextlib.ExitStack() as stack:
        part = folder / f".{os.getpid()}.part"
        stack.callback(shutil.rmtree, part, ignore_errors=True)
        part.mkdir()
        yield part
        for path in sorted(part.iterdir(), key=lambda path: path.name == last):
            target = folder / path.name
            if target.is_dir() and not target.is_symlink():
                shutil.rmtree(target)
            path.replace(target)


def check_is_no_file(option: str, folder: Path) -> None:
    """Raise UserError if the folder that an option names, or a folder around it, is a file."""
    if file := next((path for path in (folder, *folder.parents) if path.is_file()), None):
        raise UserError("path-is-file", f"{option} {folder} cannot be used, since {file} is a file: give a folder.")


def check_writable(folder: Path) -> None:
    """Raise UserError if `folder` cannot be made or cannot take ROOM bytes. The check leaves nothing behind."""
    with _made(folder, stays=False):
        part = folder / f".{os.getpid()}.part"
        try:
            part.write_bytes(bytes(ROOM))
        finally:
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def _made(folder: Path, stays: bool = True) -> Iterator[None]:
    """Make a folder, and remove it again if it is not to stay or cannot be filled. Raises UserError."""
    missing = [parent for parent in (folder, *folder.parents) if not parent.exists()]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        yield
    except OSError as error:
        stays = False
        raise unwritable(folder, error) from None
    except BaseException:
        stays = False
        raise
    finally:
        if not stays:
            for parent in missing:
                with contextlib.suppress(OSError):
                    parent.rmdir()


def unwritable(path: Path, error: OSError) -> UserError:
    """Return an error with the operating system's reason."""
    if isinstance(error, FileExistsError):  # mkdir found something else there
        return UserError("not-writable", f"{path} cannot be written: {error.filename} is not a folder.")
    return UserError("not-writable", f"{path} cannot be written: {os.strerror(error.errno) if error.errno else error}.")
