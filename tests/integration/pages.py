"""The code of a guide, and what the guide says that it prints."""

from __future__ import annotations

import re
import shlex
import subprocess
from collections.abc import Iterator, Mapping

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
