"""A folder as it was in a git revision: its files, its links, and nothing outside it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from longctx.corpus.revision import of_revision
from longctx.errors import UserError


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    """Return a folder of a git repository, with a file, a folder and links to a file, committed."""
    folder = tmp_path / "repository" / "documents"
    (folder / "old").mkdir(parents=True)
    (folder / "a.txt").write_text("as it was")
    (folder / "b.txt").symlink_to("a.txt")
    (folder / "old/c.txt").symlink_to("../a.txt")
    git(folder.parent, "init", "--quiet")
    commit(folder)
    return folder


def git(folder: Path, *arguments: str) -> None:
    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a", *arguments], cwd=folder, check=True)


def commit(folder: Path) -> None:
    git(folder.parent, "add", ".")
    git(folder.parent, "commit", "--quiet", "--message", "Documents")


def test_it_holds_the_files_and_what_links_name(documents: Path, tmp_path: Path) -> None:
    (documents / "a.txt").write_text("as it is")
    then = of_revision("HEAD", documents, tmp_path / "then")
    found = {str(path.relative_to(then)): path.read_text() for path in then.rglob("*") if path.is_file()}
    assert found == dict.fromkeys(("a.txt", "b.txt", "old/c.txt"), "as it was")
    assert not any(path.is_symlink() for path in then.rglob("*"))


@pytest.mark.parametrize("target", ["/etc/passwd", "../secret.txt", "nowhere.txt"])
def test_a_link_out_of_it_is_refused(documents: Path, tmp_path: Path, target: str) -> None:
    (documents.parent / "secret.txt").write_text("secret")
    (documents / "link.txt").symlink_to(target)
    commit(documents)
    with pytest.raises(UserError, match=r"link\.txt is no file of that folder") as refused:
        of_revision("HEAD", documents, tmp_path / "then")
    assert refused.value.code == "revision-not-readable"
