"""A folder of documents as it was in a git revision."""

from __future__ import annotations

import io
import shutil
import subprocess
import tarfile
from pathlib import Path

from longctx.errors import UserError


def of_revision(revision: str, folder: Path, into: Path) -> Path:
    """Write a folder as of a revision to `into`, and return that. Raises UserError.

    Nothing of the project's own copy is changed, and no link or path leads out of `into`.
    """
    git = shutil.which("git")
    done = None
    if git is not None and folder.is_dir():
        names = [git, "-C", str(folder), "archive", "--format=tar", "--end-of-options", revision, "."]
        done = subprocess.run(names, capture_output=True, check=False)  # noqa: S603
    if done is None or done.returncode:
        raise UserError(
            "unknown-revision",
            f"{revision} is neither a folder nor a git revision that contains {folder}: name the earlier folder, or a "
            "branch or commit, such as main.",
        )
    into.mkdir(parents=True)
    try:
        with tarfile.open(fileobj=io.BytesIO(done.stdout)) as archive:
            for member in archive:
                _write(archive, member, into)
    except (tarfile.TarError, OSError, ValueError) as error:
        raise UserError(
            "revision-not-readable",
            f"{folder} cannot be read as it was in {revision}: {error}. Name the folder as it was.",
        ) from None
    return into


def _write(archive: tarfile.TarFile, member: tarfile.TarInfo, into: Path) -> None:
    """Write a file of an archive below a folder, and for a link the file of the archive that it names.

    TarFile.extractall has a filter for this only from Python 3.11.4 on. Raises ValueError.
    """
    if member.isdir():
        return
    path = into / member.name
    try:
        content = archive.extractfile(member)
    except KeyError:
        content = None
    if content is None or not path.resolve().is_relative_to(into.resolve()):
        raise ValueError(f"{member.name} is no file of that folder")
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.read())
