"""A file, or a folder of files, is written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

from longctx.errors import UserError

ROOM = 64 * 1024
"""Bytes that a folder must have room for: less than the smallest report takes."""


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a file beside `path`, whose folder is made if need be, then put it in its place. Raises
    UserError."""
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
    """A folder to be filled, whose files are put into `folder` when all are written. Raises UserError.

    last: the file that is put there last, by which a whole folder is known.
    """
    with _made(folder), contextlib.ExitStack() as stack:
        part = folder / f".{os.getpid()}.part"
        stack.callback(shutil.rmtree, part, ignore_errors=True)
        part.mkdir()
        yield part
        for path in sorted(part.iterdir(), key=lambda one: one.name == last):
            place = folder / path.name
            if place.is_dir() and not place.is_symlink():
                shutil.rmtree(place)
            path.replace(place)


def check_writable(folder: Path) -> None:
    """Raises UserError where `folder` cannot be made, or cannot take ROOM bytes. Nothing of the trial stays."""
    with _made(folder, stays=False):
        part = folder / f".{os.getpid()}.part"
        try:
            part.write_bytes(bytes(ROOM))
        finally:
            part.unlink(missing_ok=True)


@contextlib.contextmanager
def _made(folder: Path, stays: bool = True) -> Iterator[None]:
    """Make a folder; take it away again where it is not to stay, or cannot be filled. Raises UserError."""
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
    """In the operating system's words: a library's may be longer."""
    if isinstance(error, FileExistsError):  # from making a folder
        return UserError("not-writable", f"{path} cannot be written: {error.filename} is not a folder.")
    return UserError("not-writable", f"{path} cannot be written: {os.strerror(error.errno) if error.errno else error}.")
