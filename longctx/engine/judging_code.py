"""The code that judges: which files of a project are test code, and which of them differ from the base branch.

Test code is the tests, the conftest.py files, what else can be imported from a folder that has tests, and the modules
of the project that pytest loads as plugins. Other files in a folder that has tests judge, too, such as expected answers
that a test reads; cases do not, since a verdict sees their changes itself. All else is the product.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from longctx.recording.base import Base
from longctx.text import some_of

MOST = 8
"""The most files that a sentence names."""
IMPORTABLE = ".py", ".pyc", ".so", ".pyd"
"""How the names of files end that `import` can find."""
CASES = re.compile(rb"""\bcases["']?\s*=\s*["'](?:\.{1,2}/)*([^"'\n]+)["']""")
"""A file of cases that a marker, or a table of a profile, names."""


@dataclass(frozen=True, slots=True)
class JudgingCode:
    """The test code of a project, here and on its base branch."""

    revision: str
    """The base branch."""
    here: Collection[str]
    """The paths of the files here, from the project's folder."""
    there: Collection[str]
    """The paths of the files on the base branch."""
    differ: Sequence[str]
    """The paths of the files that differ, or exist only on one side."""
    data: Sequence[str] = ()
    """The paths of the other files in folders with tests that are not as they are there; without those of cases."""

    @classmethod
    def of(cls, base: Base, plugins: Iterable[Path] = ()) -> JudgingCode:
        """Return the test code of a project. plugins: the files of the modules that pytest loaded as plugins.

        Raises UserError.
        """
        there = {name for name in base.tree if name.endswith(IMPORTABLE) and not _is_compiled(name)}
        changed = [name for name in base.files_that_differ() if not _is_compiled(name) or _is_hashed(base, name)]
        differ = [name for name in changed if name.endswith(IMPORTABLE)]
        here = {name for name in there.union(differ) if name not in differ or base.is_here(name)}
        folders = {str(PurePosixPath(name).parent) for name in there | here if _is_test(name)} - {"."}
        loaded = {name for path in plugins if (name := base.name_of(path))}

        def is_beside_tests(name: str) -> bool:
            return any(str(folder) in folders for folder in PurePosixPath(name).parents)

        def judges(name: str) -> bool:
            named = PurePosixPath(name).name == "conftest.py" or _is_test(name) or name in loaded
            return named or is_beside_tests(name)

        data = [name for name in changed if name in base.tree and not name.endswith(IMPORTABLE)]
        if data := list(filter(is_beside_tests, data)):
            cases = _cases(base, judges)
            data = [name for name in data if not any(PurePosixPath(name).match(pattern) for pattern in cases)]
        return cls(
            base.revision,
            frozenset(filter(judges, here)),
            frozenset(filter(judges, there)),
            [name for name in differ if judges(name)],
            data,
        )

    @property
    def has_other_settings(self) -> bool:
        """Whether a file differs whose hooks may set terms of the gate."""
        return any(not _is_test(name) for name in self.differ)

    @property
    def phrases(self) -> Iterator[str]:
        """A phrase on the files that differ, if any do."""
        if self.differ:
            yield f"code that judges differs from {self.revision}: {some_of(self.differ, MOST)}"
        if self.data:
            yield f"data beside tests differ from {self.revision}: {some_of(self.data, MOST)}"

    def files_of(self, base: Base, tests: Sequence[str]) -> dict[str, str]:
        """Return the file on the base branch that defines each of these functions, as far as one does."""
        names = sorted(name for name in self.there if name.endswith(".py"))
        found: dict[str, str] = {}
        for name, content in zip(names, base.contents([base.tree[name] for name in names]), strict=True):
            text = content.decode("utf-8", "replace")
            found |= {test: name for test in tests if test not in found and re.search(rf"\bdef {test}\b", text)}
        return found


def _cases(base: Base, judges: Callable[[str], bool]) -> set[str]:
    """Return the files of cases that test code and profiles name on the base branch."""
    profiles = PurePosixPath("fixtures/profiles")
    names = (
        name for name in base.tree if PurePosixPath(name).parent == profiles or (name[-3:] == ".py" and judges(name))
    )
    entries = [base.tree[name] for name in names]
    found = {match for content in base.contents(entries) for match in CASES.findall(content)}
    return {match.decode("utf-8", "replace") for match in found} - {""}


def _is_compiled(name: str) -> bool:
    """Return whether a file is one that Python makes of another one, and imports while that has the same time."""
    return PurePosixPath(name).parent.name == "__pycache__"


def _is_hashed(base: Base, name: str) -> bool:
    """Return whether a compiled file states a hash, not a time, of its source (PEP 552): it may be made of another one.

    So are those that pytest makes in each run; of these, only one that the change has added counts.
    """
    flags = base.head_of(name, 8)[4:5]
    is_unchecked = bool(flags) and flags[0] & 0b11 == 0b01
    return is_unchecked or (flags > b"\0" and name not in base.tree and base.is_tracked(name))


def _is_test(name: str) -> bool:
    path = PurePosixPath(name)
    return path.match("test_*.py") or path.match("*_test.py")
