"""Writing a file, or a folder of files, completely or not at all."""

from __future__ import annotations

import contextlib
import functools
import os
import platform
import re
import shutil
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

from longctx import clocks
from longctx.errors import UserError

ROOM = 64 * 1024
"""The bytes that must fit into a folder for it to count as writable; the smallest report is larger."""
PART = re.compile(r"\.(?:.+\.)?(?P<host>[0-9a-f]{8})-(?P<pid>\d{1,10})\.part")
"""The name of a temporary file: of which machine and process it is."""
LEFT_S = 86_400.0
"""The age in seconds from which on a temporary file of another machine is a leftover."""


def check_new(path: Path, force: bool) -> None:
    """Raise UserError if there is something at `path` already, and `force` does not allow replacing it."""
    if path.is_dir():
        raise UserError("path-is-folder", f"{path} is a folder: name a file.")
    if path.exists() and not force:
        raise UserError("file-exists", f"{path} already exists: choose another name, or overwrite it with --force.")


def check_file_can_be_written(path: Path, force: bool) -> None:
    """Raise UserError if the user's `path` cannot, or must not, be written."""
    check_new(path, force)
    if not path.parent.is_dir():
        raise UserError("no-such-folder", f"There is no folder {path.parent} to write {path.name} into: make it first.")


def write_file(path: Path, write: Callable[[Path], object]) -> None:
    """Let `write` fill a temporary file, then move it to `path`, making its folder if needed. Raises UserError."""
    part = _part(path.parent, path.name)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _remove_leftovers(path.parent)
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
        _remove_leftovers(folder)
        part = _part(folder)
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
        raise UserError("path-is-file", f"{option} {folder} cannot be used, since {file} is a file: name a folder.")


def check_free_folder(option: str, folder: Path) -> None:
    """Raise UserError if the folder that an option names cannot be filled because it is a file or not empty."""
    check_is_no_file(option, folder)
    if folder.is_dir() and any(folder.iterdir()):
        raise UserError(
            "folder-not-empty", f"{option} {folder} is not empty: choose another folder, or delete it first."
        )


def check_writable(folder: Path) -> None:
    """Raise UserError if `folder` cannot be made or cannot take ROOM bytes. The check leaves nothing behind."""
    with _made(folder, stays=False):
        _remove_leftovers(folder)
        part = _part(folder)
        try:
            part.write_bytes(bytes(ROOM))
        finally:
            part.unlink(missing_ok=True)


def _part(folder: Path, name: str = "") -> Path:
    """Return the path of a temporary file or folder, whose name states which process fills it."""
    return folder / f".{name}{'.' if name else ''}{_host()}-{os.getpid()}.part"


def _remove_leftovers(folder: Path) -> None:
    """Remove what killed processes left behind: by name, of this machine and not running, or older than LEFT_S."""
    for path in folder.glob(".*.part"):
        match = PART.fullmatch(path.name)
        if match is None or not _is_left(path, match["host"], int(match["pid"])):
            continue
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path, ignore_errors=True)
        else:
            with contextlib.suppress(OSError):
                path.unlink()


def _is_left(path: Path, host: str, pid: int) -> bool:
    try:
        if clocks.now().timestamp() - path.lstat().st_mtime > LEFT_S:
            return True
        if host != _host() or os.name != "posix":  # elsewhere, signal 0 ends a process
            return False
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    except (OSError, OverflowError):
        return False
    return False


@functools.cache
def _host() -> str:
    """Return a short name of this machine and, in a container, of its process ids."""
    try:
        processes = str(Path("/proc/self/ns/pid").readlink())
    except OSError:
        processes = ""
    return f"{zlib.crc32(f'{platform.node()} {processes}'.encode()):08x}"


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
