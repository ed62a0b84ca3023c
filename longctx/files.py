"""Writing a file, or a folder of files, completely or not at all."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import platform
import re
import shutil
import zlib
from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import BinaryIO

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


STEP = 65_536


def read_lines(path: Path) -> tuple[list[bytes], bool]:
    """Return the lines of a file, and whether the last one is cut short and left out.

    A file that does not exist has no lines. Raises OSError.
    """
    try:
        return split_lines(path.read_bytes())
    except FileNotFoundError:
        return [], False


def split_lines(content: bytes) -> tuple[list[bytes], bool]:
    """Return the lines of a file's content as `read_lines` does."""
    *lines, last = content.split(b"\n")
    whole = _is_json(last)
    return ([*lines, last] if whole else lines), bool(last) and not whole


def append_line(path: Path, line: bytes) -> None:
    """Append a line, which the operating system has when this returns. Raises OSError."""
    try:
        file = path.open("ab+")
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        file = path.open("ab+")
    with file:
        if file.seek(0, os.SEEK_END):
            file.seek(-1, os.SEEK_END)
            if file.read(1) != b"\n":
                _end_last_line(file)
        file.write(line + b"\n")


def _end_last_line(file: BinaryIO) -> None:
    """End the last line if it is complete; remove it if a killed run left it unfinished."""
    size = file.seek(0, os.SEEK_END)
    tail = b""
    while size and b"\n" not in tail:
        step = min(size, STEP)
        size = file.seek(size - step)
        tail = file.read(step) + tail
    last = tail[tail.rfind(b"\n") + 1 :]
    if _is_json(last):
        file.write(b"\n")
    else:
        file.truncate(file.seek(0, os.SEEK_END) - len(last))


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except (ValueError, RecursionError):
        return False
    return True


def lines(path: Path) -> Iterator[str]:
    """Yield the complete lines of a file; a last line that a kill or a full disk cut short is left out."""
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                yield _text(line)


def lines_at(path: Path, places: Iterable[int]) -> Iterator[str]:
    """Yield the lines at these places, from 0, in the given order; an empty line if the file has fewer."""
    starts = array("q", [0])
    with path.open("rb") as file:
        for line in file:
            if line.endswith(b"\n"):
                starts.append(starts[-1] + len(line))
        for place in places:
            file.seek(starts[place] if place < len(starts) - 1 else starts[-1])
            yield _text(file.readline()) if place < len(starts) - 1 else ""


def _text(line: bytes) -> str:
    return line.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")


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


LOCK = ".lock"
"""The name of the lock file in a folder. The lock ends with the process that holds it, however that ends."""


@contextlib.contextmanager
def locked(folder: Path, held: UserError, harm: str, goes: bool = False) -> Iterator[None]:
    """Lock a folder, which must be writable. Raises `held` if another process has it, and UserError if it has no locks.

    harm: what two processes could do to each other, as a clause. goes: whether the lock file is removed at the end.
    """
    from filelock import FileLock, Timeout  # so that a replay imports none of it

    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise held from None
    except (OSError, NotImplementedError) as error:
        raise UserError(
            "not-lockable",
            f"{folder / LOCK} cannot be locked ({error}), and {harm}: delete it if it is a link or a folder, or move "
            "the project to a file system that supports locking. lock = false in [tool.longctx] of pyproject.toml "
            "(--no-lock of a command) continues without a lock; then make sure that no other run uses the folder.",
        ) from None
    try:
        yield
    finally:
        if goes:
            with contextlib.suppress(OSError):
                (folder / LOCK).unlink()
        lock.release()


MARKER = re.compile(rb"^<{7}(?: |\r?$)", re.MULTILINE)
TAKE_ONE_SIDE = "take one side's (git checkout --ours or --theirs)"
MOST_NAMED = 20
"""The most files that a sentence names."""


def in_conflict(path: Path) -> bool:
    """Return whether a file contains a conflict marker."""
    return path.is_file() and MARKER.search(path.read_bytes()) is not None


def check_no_conflict(path: Path, advice: str) -> None:
    """Raise UserError if a file contains conflict markers. advice: the end of the sentence, without its full stop."""
    if in_conflict(path):
        raise UserError("merge-conflict", f"{path} contains the conflict markers of a merge: {advice}.")


def named(paths: Sequence[Path]) -> str:
    """Return the paths, relative to the current folder, as a list for a sentence."""
    more = f" and {len(paths) - MOST_NAMED:,} more" if len(paths) > MOST_NAMED else ""
    return f"{', '.join(map(os.path.relpath, paths[:MOST_NAMED]))}{more}"
