"""`init`: write the files that a repository needs to measure with longctx. Existing files are never overwritten."""

from __future__ import annotations

import argparse
import os
import re
from pathlib import Path
from typing import Any

import longctx
from longctx.cli.shared_options import print_at_once
from longctx.config.keeping import keep_default_profile
from longctx.config.profiles import DEFAULT, load_profile
from longctx.config.project import project_settings
from longctx.config.prompts import PromptSet
from longctx.errors import UserError
from longctx.extras import installed_from
from longctx.files import check_writable, unwritable, write_file
from longctx.links import inside
from longctx.pytest_file import configuration, root_around, setting
from longctx.registry import shipped
from longctx.vocabulary.point import PROTOCOL
from longctx.workspace import Workspace, packaged

TESTS = "tests_longctx"
PROFILE = "fixtures/profiles/first.toml"
PYTEST = "# This folder is the root of the project: fixtures/, cassettes/ and reports/ lie here.\n[pytest]\n"
LINES = {
    ".gitattributes": ("cassettes/**/*.jsonl merge=union diff -linguist-generated",),
    ".gitignore": ("/reports/", "/cassettes/.lock", "__pycache__/"),
}
"""The lines that these files must contain."""
CI = (".ci/gate", "action.yml", ".github/workflows/longctx-gate.yml")
MODEL = "claude-haiku-5-5"
"""The model that `init` suggests."""
TEST = '''"""Does the model find one fact in a long text? A test to start from: use your own facts and prompt."""

import pytest


@pytest.mark.longctx(trials=20)
@pytest.mark.parametrize("tokens", [500])
def test_{name}(ctx, tokens):
    code = ctx.draw.integer(10_000, 99_999)
    text = ctx.draw.filler(tokens).insert(f"The refund code is {{code}}.", depth=ctx.draw.uniform())
    answer = ctx.ask(f"{{text}}\\n\\nWhat is the refund code? Answer with the number alone.", max_tokens=24)
    assert answer.integer() == code
'''
"""The test function that `--test` writes."""
MODELS = f'''# What plain pytest measures: the test functions, with these models. --ctx-model NAME counts instead.
models = ["{MODEL}"]
'''
"""The profile that `--test` writes, until `init` alone adds the protocols."""
OURS = "--require-hashes -r requirements.lock"
"""What the action installs in longctx's own repository; `init` replaces it."""
OUR_PATHS = "LIVE_PATHS: fixtures/prompts #"
"""The paths that start live runs in longctx's own repository; `init` adds the project's code."""


def add(commands: Any) -> None:
    parser = commands.add_parser(
        "init",
        help="create tests, a starter profile and configuration in this project",
        description="Creates tests, a starter profile, and configuration for pytest and git. Never overwrites a file.",
    )
    parser.add_argument("folder", type=Path, nargs="?", metavar="DIR", help="the project (default: this folder)")
    parser.add_argument("--prompts", metavar="NAME", help="also write a copy of a prompt set under this name, to edit")
    parser.add_argument("--copy", metavar="SET", help="with --prompts: the prompt set to copy (default: protocol)")
    parser.add_argument(
        "--test", metavar="NAME", help="write a test function of this name to start from, instead of the protocols"
    )
    parser.add_argument("--ci", action="store_true", help="also write the gate as a GitHub workflow")
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    root = (options.folder or Path.cwd()).absolute()
    if options.folder is None:
        _check_root(options.workspace, root)
    if options.copy and not options.prompts:
        raise UserError(
            "copy-without-prompts",
            "--copy names the prompt set to copy: add --prompts NAME, the name of the copy.",
        )
    prompts = _prompts(Workspace(root), options.prompts, options.copy or PROTOCOL) if options.prompts else {}
    ci = _ci(root) if options.ci else {}
    check_writable(root)
    test = _test(root, options.test) if options.test is not None else {}
    profiles = sorted(Workspace(root).own("profiles").glob("*.toml"))
    own = [path.stem for path in profiles if path.name != Path(PROFILE).name]
    if test and not profiles:
        test[PROFILE] = MODELS.encode()
    files = test or _starter(root, bool(own), alone=not options.ci)
    for name, content in (files | prompts | ci).items():
        print_at_once(_write(inside(root / name, root), content))
    for name, lines in LINES.items():
        print_at_once(_add(inside(root / name, root), lines))
    print_at_once(_configure(root))
    if settings := keep_default_profile(Workspace(root)):
        print_at_once(
            f"{os.path.relpath(settings)} names the profile of a plain pytest: {project_settings(root).profile}."
        )
    if ci:
        print_at_once(
            f"The workflow runs `pip install {_installs()}`; the input `install` of action.yml replaces it. longctx is "
            "on no package index: add the path or the URL of your copy to requirements.txt or to this input."
        )
        print_at_once(
            f"A live run starts when one of these changes: {', '.join(_live_paths(root))}. LIVE_PATHS of {CI[2]} has "
            "the list."
        )
    change_folder = "" if root == Path.cwd() else f"cd {os.path.relpath(root)} && "
    own_prompts = f" --ctx-prompts={options.prompts}" if options.prompts else ""
    if test or not (files or own):
        first = next(iter(test), f"{TESTS}/")
        _print_next(root, first, f"{change_folder}pytest", own_prompts)
        return 0
    if own:
        print_at_once(f"This project already has profiles ({', '.join(own)}): no first profile was written.")
    profile = DEFAULT if DEFAULT in own else own[0] if own else Path(PROFILE).stem
    print_at_once(f"\nNext, see the number of requests of the profile {profile} and their cost:")
    print_at_once(f"  {change_folder}pytest {TESTS} --ctx-profile={profile}{own_prompts} --ctx-estimate")
    return 0


def _check_root(workspace: Workspace, folder: Path) -> None:
    """Raise UserError if the folder is inside a project: the user may mean the project or the folder."""
    if workspace.root != folder:
        raise UserError(
            "inside-a-project",
            f"This folder belongs to the project {workspace.root}. Name the project: longctx init "
            f"{os.path.relpath(workspace.root)} for that one, longctx init . for a new one here.",
        )


def _starter(root: Path, has_profiles: bool, alone: bool) -> dict[str, bytes]:
    """Return the contents of the starter files by their paths in the project.

    has_profiles: whether the project has profiles of its own. A first one besides them would leave pytest without a
    default profile, and tests of other tests besides its own would have no table. alone: whether the
    workflow was not asked for, which brings no tests of tests to a project that began with test functions.
    """
    names = [f"test_{test}.py" for test in shipped()]  # the tests of functions beside them need their recordings
    existing = {path.name for path in (root / TESTS).glob("test_*.py")}
    if existing and (has_profiles or not (alone or existing & {*names})):
        return {}
    tests = {f"{TESTS}/{name}": (starter(TESTS) / name).read_bytes() for name in names}
    return tests if has_profiles else tests | {PROFILE: (packaged() / "profiles" / Path(PROFILE).name).read_bytes()}


def _test(root: Path, name: str) -> dict[str, bytes]:
    """Return the content of a test function to start from, by its path. Raises UserError."""
    name = name.removeprefix("test_")
    if not re.fullmatch(r"[a-z0-9_]{1,60}", name):
        raise UserError(
            "bad-test-name",
            f"--test {name!r} is not a valid name for a test: use lower-case letters, digits and _, as in refund_code.",
        )
    path = f"{TESTS}/test_{name}.py"
    if inside(root / path, root).exists():
        raise UserError(
            "test-exists", f"{os.path.relpath(root / path)} already exists: choose another name for --test."
        )
    for other in sorted((root / TESTS).rglob("*.py")):  # recordings and tables are found by the name of the function
        if re.search(rf"^ *(?:async )?def test_{name}\b", other.read_text("utf-8", "replace"), re.MULTILINE):
            raise UserError(
                "test-exists", f"{os.path.relpath(other)} already has a test_{name}: choose another name for --test."
            )
    return {path: TEST.format(name=name).encode()}


def _print_next(root: Path, file: str, pytest: str, own_prompts: str) -> None:
    """Say how the test of a file is estimated. pytest: the command."""
    name = Path(file).stem
    profiles = sorted(path.stem for path in Workspace(root).own("profiles").glob("*.toml"))
    profile = DEFAULT if DEFAULT in profiles else profiles[0] if profiles else ""
    options = "" if profile else f" --ctx-model={MODEL}"
    if profile:
        options = f" --ctx-profile={profile}" if len(profiles) > 1 and profile != DEFAULT else ""
        read = load_profile(Workspace(root), profile)
        if not (read.models or name in read.functions):
            print_at_once(f'\nName its models in fixtures/profiles/{profile}.toml:\n  [{name}]\n  models = ["{MODEL}"]')
    print_at_once("\nNext, see the number of requests and their cost:")
    print_at_once(f"  {pytest} {file}{options}{own_prompts} --ctx-estimate")
    print_at_once(
        "Then replace --ctx-estimate with --ctx-record=once: the answers are recorded in cassettes/ and judged."
    )
    if not own_prompts:
        print_at_once("Without either option, recorded answers are replayed.")


def _prompts(workspace: Workspace, name: str, source: str) -> dict[str, bytes]:
    """Return the contents of a prompt set's copy by their paths in the project. Raises UserError.

    name: the name of the copy. source: the name or the path of the set to copy.
    """
    if not re.fullmatch(r"[\w+-][\w.+-]*", name):
        raise UserError(
            "bad-prompt-set-name",
            f"--prompts {name!r} is not a valid name for a prompt set: use letters, digits, and . _ + -.",
        )
    if (packaged() / "prompts" / name).is_dir():
        raise UserError(
            "prompt-set-name-taken",
            f"A prompt set {name!r} comes with longctx: choose another name for yours with --prompts.",
        )
    original = PromptSet.open(workspace, source)
    return {
        f"fixtures/prompts/{name}/{path.relative_to(folder).as_posix()}": inside(
            path, workspace.root, folder
        ).read_bytes()
        for folder in (*reversed(original.further), original.folder)
        for path in sorted(folder.rglob("*.txt"))
    }


def _ci(root: Path) -> dict[str, bytes]:
    top = next((folder for folder in (root, *root.parents) if (folder / ".git").exists()), root)
    if top != root:
        raise UserError(
            "not-top-of-repository",
            f"--ci: GitHub reads workflows only at the top of a repository, which is {top}: run this there.",
        )
    contents = {name: starter(name).read_text("utf-8") for name in CI}
    replaced = {OURS: _installs(), OUR_PATHS: f"LIVE_PATHS: {' '.join(_live_paths(root))} #"}
    for ours, theirs in replaced.items():
        contents = {name: content.replace(ours, theirs) for name, content in contents.items()}
    return {name: content.encode() for name, content in contents.items()}


def _live_paths(root: Path) -> list[str]:
    """Return the files and folders whose change asks the model again: prompts, tests, and the product's own code."""
    packages = sorted(path.parent.name for path in root.glob("*/__init__.py"))
    code = [name for name in packages if name not in ("tests", TESTS) and re.fullmatch(r"\w+", name)]
    return ["fixtures/prompts", TESTS, *(["src"] if (root / "src").is_dir() else []), *code]


def _installs() -> str:
    """Return what the workflow lets pip install: where longctx was installed from, if other machines may have that."""
    _, _, address = installed_from().partition(" @ ")
    return "-r requirements.txt" if not address or "file:" in address else address


def starter(name: str) -> Path:
    """Return the path of a file or folder to copy: in the installed package, or at the top of a checkout."""
    installed = Path(__file__).with_name("starter") / name
    return installed if installed.exists() else packaged().parent / name


def _write(path: Path, content: bytes) -> str:
    """Write a file unless it exists, or is as `--test` wrote it; return a sentence on what was done."""
    shown = os.path.relpath(path)
    if path.is_file() and path.read_bytes() == MODELS.encode() != content:
        write_file(path, lambda part: part.write_bytes(content))
        return f"{shown}, unchanged since --test wrote it, now has the protocols."
    if path.exists():
        differs = path.is_dir() or path.read_bytes() != content
        more = f", and differs from that of longctx {longctx.__version__}" if differs else ""
        return f"{shown} already exists{more}; unchanged."
    write_file(path, lambda part: part.write_bytes(content))
    if content.startswith(b"#!"):
        path.chmod(0o755)
    return f"{shown} was written."


def _add(path: Path, lines: tuple[str, ...]) -> str:
    """Append the lines that a file lacks; return a sentence on what was done."""
    shown = os.path.relpath(path)
    try:
        before = path.read_bytes() if path.exists() else b""
        there = {_place(line) for line in before.decode("utf-8", "replace").splitlines()}
        missing = [line for line in lines if _place(line) not in there]
        if not missing:
            return f"{shown} already has these lines; unchanged."
        with path.open("ab") as file:
            file.write(b"\n" if before and not before.endswith(b"\n") else b"")
            file.write("".join(f"{line}\n" for line in missing).encode())
    except OSError as error:
        raise unwritable(path, error) from None
    return f"{shown} was there already; added: {', '.join(missing)}." if before else f"{shown} was written."


def _place(line: str) -> str:
    """Return what a line of .gitignore ignores: /reports/* is all of reports/, with exceptions that may follow."""
    return line.strip().strip("/").removesuffix("/*")


def _configure(root: Path) -> str:
    """Make the folder a root for pytest if it is none; return a sentence on what was done, or is left to do."""
    file = configuration(root)
    if file is None:
        if root_around(root) != root:
            return _write(root / "pytest.ini", PYTEST.encode())
        return "No pytest.ini is needed: pytest already uses this folder as the root of a project."
    shown, tests = os.path.relpath(file), root / TESTS
    paths = setting(root, "testpaths")
    if not paths or any(tests.is_relative_to(matched) for path in paths for matched in root.glob(path)):
        return f"{shown} already configures pytest; unchanged."
    return f"{shown} configures pytest; unchanged. Add {TESTS} to its testpaths, so that its tests are found."
