"""`init`: write what a repository needs to measure with longctx. Nothing that is there is written over."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import Any

import longctx
from longctx.cli.shared.output import say
from longctx.errors import UserError
from longctx.files import check_writable, unwritable, write_file
from longctx.pytest_file import configuration, root_around, setting
from longctx.vocabulary.prompt_sets import PROTOCOL
from longctx.workspace import Workspace, packaged

TESTS = "tests_longctx"
PROFILE = "fixtures/profiles/first.toml"
PYTEST = "# This folder is the root of the project: fixtures/, cassettes/ and reports/ lie here.\n[pytest]\n"
LINES = {
    ".gitattributes": ("cassettes/**/*.jsonl merge=union -diff linguist-generated=true",),
    ".gitignore": ("/reports/", "/cassettes/.lock", "__pycache__/"),
}
"""What these files must hold."""
CI = (".ci/gate", "action.yml", ".github/workflows/longctx-gate.yml")
OURS = "-r requirements.txt"
"""What the action of this repository installs."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "init",
        help="write what a repository needs: tests, a first profile, settings",
        description="Writes tests, a first profile, and what pytest and git must know. Nothing is written over.",
    )
    parser.add_argument("folder", type=Path, nargs="?", metavar="DIR", help="the project (default: this folder)")
    parser.add_argument(
        "--prompts", metavar="NAME", help="also a copy of the protocols' prompts to change, by this name"
    )
    parser.add_argument("--ci", action="store_true", help="also the gate as a GitHub workflow")
    parser.set_defaults(run=run, passes_on=False)


def run(options: argparse.Namespace, _: list[str]) -> int:
    root = (options.folder or Path.cwd()).absolute()
    if options.folder is None:
        _check_root(options.workspace, root)
    prompts = _prompts(options.prompts) if options.prompts else {}
    ci = _ci(root) if options.ci else {}
    check_writable(root)
    for name, content in (_starter() | prompts | ci).items():
        say(_write(root / name, content))
    for name, lines in LINES.items():
        say(_add(root / name, lines))
    say(_configure(root))
    if ci:
        say(
            f"The workflow installs pytest-longctx {longctx.__version__} from the package index: change the input "
            "install of action.yml where yours comes from elsewhere."
        )
    there = "" if root == Path.cwd() else f"cd {os.path.relpath(root)} && "
    say("\nNext, what the first profile would ask, and what it costs:")
    say(f"  {there}pytest {TESTS} --ctx-profile={Path(PROFILE).stem} --ctx-estimate")
    return 0


def _check_root(workspace: Workspace, folder: Path) -> None:
    """Raises UserError within a project: it may be meant, or a part of it."""
    if workspace.root != folder:
        raise UserError(
            "inside-a-project",
            f"This folder belongs to the project {workspace.root}. Say which project you mean: longctx init "
            f"{os.path.relpath(workspace.root)} for that one, longctx init . for a new one here.",
        )


def _starter() -> dict[str, bytes]:
    """Path in the project -> content."""
    tests = sorted(_shipped(TESTS).glob("test_*.py"))
    return {f"{TESTS}/{path.name}": path.read_bytes() for path in tests} | {
        PROFILE: (packaged() / "profiles" / Path(PROFILE).name).read_bytes()
    }


def _prompts(name: str) -> dict[str, bytes]:
    if not re.fullmatch(r"[\w+-][\w.+-]*", name):
        raise UserError(
            "bad-prompt-set-name",
            f"--prompts {name!r} is not a valid name for a prompt set: use letters, digits, and . _ + -.",
        )
    if (packaged() / "prompts" / name).is_dir():
        raise UserError(
            "prompt-set-name-taken",
            f"A prompt set {name!r} comes with longctx: give yours another name with --prompts.",
        )
    protocol = packaged() / "prompts" / PROTOCOL
    files = sorted(path for path in protocol.rglob("*.txt"))
    return {f"fixtures/prompts/{name}/{path.relative_to(protocol).as_posix()}": path.read_bytes() for path in files}


def _ci(root: Path) -> dict[str, bytes]:
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    if top != root:
        raise UserError(
            "not-top-of-repository",
            f"--ci: GitHub reads workflows only at the top of a repository, which is {top}: run this there.",
        )
    made = {name: _shipped(name).read_bytes() for name in CI}
    theirs = f"pytest-longctx=={longctx.__version__}"
    return {name: content.replace(OURS.encode(), theirs.encode()) for name, content in made.items()}


def _shipped(name: str) -> Path:
    """A file or folder to be copied: in the package where it was installed, at the top of a checkout."""
    installed = Path(__file__).with_name("starter") / name
    return installed if installed.exists() else packaged().parent / name


def _write(path: Path, content: bytes) -> str:
    """Write a file, unless it is there. What was done, in a sentence."""
    shown = os.path.relpath(path)
    if path.exists():
        differs = path.is_dir() or path.read_bytes() != content
        more = f", and differs from that of longctx {longctx.__version__}" if differs else ""
        return f"{shown} is there already{more}: it stays."
    write_file(path, lambda part: part.write_bytes(content))
    if content.startswith(b"#!"):
        path.chmod(0o755)
    return f"{shown} was written."


def _add(path: Path, lines: tuple[str, ...]) -> str:
    """Add the lines that a file lacks at its end. What was done, in a sentence."""
    shown = os.path.relpath(path)
    try:
        before = path.read_bytes() if path.exists() else b""
        missing = [line for line in lines if line.encode() not in before.splitlines()]
        if not missing:
            return f"{shown} has the lines that it needs: it stays."
        with path.open("ab") as file:
            file.write(b"\n" if before and not before.endswith(b"\n") else b"")
            file.write("".join(f"{line}\n" for line in missing).encode())
    except OSError as error:
        raise unwritable(path, error) from None
    return f"{shown} was there already; added: {', '.join(missing)}." if before else f"{shown} was written."


def _configure(root: Path) -> str:
    """Make the folder a root for pytest, or say what its configuration lacks. What was done, in a sentence."""
    file = configuration(root)
    if file is None:
        if root_around(root) != root:
            return _write(root / "pytest.ini", PYTEST.encode())
        return "No pytest.ini is needed: pytest takes the folder for the root of a project as it is."
    shown, tests = os.path.relpath(file), root / TESTS
    paths = setting(root, "testpaths")
    if not paths or any(tests.is_relative_to(matched) for path in paths for matched in root.glob(path)):
        return f"{shown} configures pytest already: it stays, and needs nothing more."
    return f"{shown} configures pytest, and stays: add {TESTS} to its testpaths, so that its tests are found."
