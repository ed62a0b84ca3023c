"""The code of a guide, and what the guide says that it prints."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator, Mapping

from tests.integration.conftest import ROOT, Checkout

BLOCK = re.compile(r"^```(sh|text|toml|python|jsonl)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def blocks(page: str) -> Iterator[tuple[str, str]]:
    """Yield the kind and the text of each block of a page of docs/."""
    yield from BLOCK.findall((ROOT / "docs" / page).read_text(encoding="utf-8"))


def missing(text: str, output: str) -> list[str]:
    """Return the lines that were not printed. … is for any text; white space does not matter."""
    printed = " ".join(output.split())

    def pattern(line: str) -> str:
        return ".*".join(re.escape(" ".join(part.split())) for part in line.split("…"))

    return [line for line in text.splitlines() if not re.search(pattern(line), printed)]


def followed(project: Checkout, parts: Iterable[tuple[str, str]], url: str = "", cases: str = "") -> None:
    """Do what the blocks of a page say: write its files, and run its commands, which must print what it shows.

    url: of the server that is asked by commands that record. cases: the path of the page's file of cases.
    """
    output = ""
    for kind, text in parts:
        if kind == "sh":
            given = {"pytest": f"--ctx-base-url={url}"} if url else {}
            lines = text.splitlines()
            output = "".join(ran(project, line, given if "--ctx-record" in line else {}) for line in lines)
        elif kind == "text":
            assert not missing(text, output), f"{missing(text, output)} is not in what was printed:\n{output}"
        else:
            path = project.file(cases if kind == "jsonl" else text.splitlines()[0].removeprefix("# "))
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")


def ran(project: Checkout, line: str, options: Mapping[str, str] | None = None) -> str:
    """Run a command line, which must end with the exit status of its comment, and return what it prints.

    options: by the beginning of a command, an option to add where it is not given, such as the server of a test.
    """
    command, _, comment = (part.strip() for part in line.partition(" # "))
    added = [
        option
        for beginning, option in (options or {}).items()
        if command.startswith(beginning) and option not in command
    ]
    program, *arguments = [*shlex.split(command), *added]
    match program:
        case "pytest":
            result = project.pytest("--verbosity=0", "-plongctx.plugin", *arguments, profile=None)
        case "longctx":
            result = project.longctx(*arguments)
        case _:
            subprocess.run(command, shell=True, cwd=project.folder, check=True)
            return ""
    expected = int(comment.removeprefix("exit status ")) if comment.startswith("exit status ") else 0
    assert result.code == expected, result.out + result.err
    return result.out + result.err
