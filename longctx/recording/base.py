"""The recordings of the branch that a change is judged against, read with git, and what is new beside them."""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from longctx.errors import UserError
from longctx.json_lines import split_lines
from longctx.recording.episodes import Episode, parse_episodes

AnswerOrigin = Literal["base", "asked", "new", "changed"]
"""Where an answer comes from: it is recorded on the base branch; this run asked for it; it is new on this branch; or it
is another answer to the same request than on the base branch.
"""
RecordedAnswer = tuple[str, bytes]
"""When an answer was recorded, and its body."""
EpisodeKey = tuple[str, str, int]
"""A trial, the digest of a request, and how many earlier requests of the trial are equal to it."""


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """A file of a commit."""

    sha: str
    is_link: bool = False


class Base:
    """The recordings at a commit. The file of a cell is read when it is first needed.

    Raises UserError if git does not know the commit.
    """

    def __init__(self, revision: str, root: Path, folder: Path) -> None:
        self.revision, self._root = revision, root
        self._folder = os.path.relpath(folder, root)
        found = self._git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        if found is None:
            raise UserError(
                "unknown-base",
                f"LONGCTX_BASE={revision}: unknown git revision in {root}. Run git fetch origin main, or name another "
                "revision.",
            )
        self._commit = found.decode().strip()
        self._answers: dict[str, dict[EpisodeKey, RecordedAnswer]] = {}

    def answer(self, file: str, episode: Episode, homes: Sequence[Path] = ()) -> RecordedAnswer | None:
        """Return the answer that counts on the base branch for the same trial and request; None if it has none.

        homes: further folders in which the file may be.
        """
        if file not in self._answers:
            answers: dict[EpisodeKey, RecordedAnswer] = {}
            for folder in (self._folder, *(os.path.relpath(home, self._root) for home in homes)):
                lines, _ = split_lines(self._git("cat-file", "blob", f"{self._commit}:./{folder}/{file}") or b"")
                of_file = parse_episodes(lines, Path(f"{self.revision}:{folder}/{file}"), self._root)
                for recorded in of_file.episodes:
                    key, latest = _key(recorded), answer_of(recorded)
                    if key not in answers or answers[key][0] <= latest[0]:
                        answers[key] = latest
            self._answers[file] = answers
        return self._answers[file].get(_key(episode))

    def file(self, path: Path) -> bytes | None:
        """Return a file of the project as it is there; None if it is not."""
        return self._git("cat-file", "blob", f"{self._commit}:./{os.path.relpath(path, self._root)}")

    @functools.cached_property
    def tree(self) -> Mapping[str, TreeEntry]:
        """The files of the project as they are there, by their paths from its folder."""
        listed = self._git("ls-tree", "-r", "-z", self._commit) or b""
        found = {}
        for line in filter(None, listed.split(b"\0")):
            about, _, name = line.partition(b"\t")
            mode, kind, sha = about.decode().split()
            if kind == "blob":
                found[os.fsdecode(name)] = TreeEntry(sha, mode == "120000")
        return found

    def contents(self, entries: Sequence[TreeEntry]) -> list[bytes]:
        """Return the contents of files, read in one process. Raises UserError."""
        asked = "".join(f"{entry.sha}\n" for entry in entries).encode()
        told = self._git("cat-file", "--batch", given=asked) or b""
        found, at = [], 0
        for _ in entries:
            end = told.find(b"\n", at)
            about = told[at:end].split()
            if len(about) != 3:
                raise UserError(
                    "base-incomplete",
                    f"LONGCTX_BASE={self.revision}: git has not fetched all of its files. Fetch them (git fetch "
                    "--refetch origin main), or name another revision.",
                )
            size = int(about[2])
            found.append(told[end + 1 : end + 1 + size])
            at = end + size + 2
        return found

    def files_that_differ(self, *patterns: str) -> list[str]:
        """Return the paths of those files that are not as they are there, or are only here or there."""
        how = "--name-only", "--no-renames", "--no-ext-diff", "--no-textconv", "--relative"
        differ = self._git("diff", "-z", *how, self._commit, "--", *patterns)
        new = self._git("ls-files", "-z", "--others", "--exclude-standard", "--", *patterns)
        names = b"".join(filter(None, (differ, new))).split(b"\0")
        return sorted({os.fsdecode(name) for name in names if name})

    def is_tracked(self, name: str) -> bool:
        """Return whether git tracks a file here."""
        return bool(self._git("ls-files", "-z", "--cached", "--", name))

    def head_of(self, name: str, size: int) -> bytes:
        """Return the first bytes of a file as it is here; none if it is not a file."""
        path = self._root / name
        if not path.is_file():
            return b""
        with path.open("rb") as file:
            return file.read(size)

    def is_here(self, name: str) -> bool:
        return os.path.lexists(self._root / name)

    def name_of(self, path: Path) -> str:
        """Return the name of a file as git has it, from the project's folder; empty if it is not in that."""
        return path.relative_to(self._root).as_posix() if path.is_relative_to(self._root) else ""

    def _git(self, *arguments: str, given: bytes = b"") -> bytes | None:
        """Return what git prints; None if it fails, or if there is no git. given: what it reads."""
        if (git := shutil.which("git")) is None:
            return None
        done = subprocess.run([git, *arguments], cwd=self._root, input=given, capture_output=True, check=False)  # noqa: S603
        return done.stdout if done.returncode == 0 else None


def answer_of(episode: Episode) -> RecordedAnswer:
    _, response, metadata = episode
    return metadata["recorded_at"], response["body"]["string"]


def _key(episode: Episode) -> EpisodeKey:
    request, _, metadata = episode
    return metadata["trial"], request.body.decode(), metadata.get("same", 0)
