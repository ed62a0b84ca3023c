"""The gate as a function of a program."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import longctx
from longctx.cli import main
from tests.given import json_lines
from tests.refusals import refused

OLD = [{"id": n, "correct": True} for n in range(60)]
NEW = [{"id": n, "correct": n > 20} for n in range(60)]


def test_it_is_the_verdict_that_the_command_prints(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    old, new = json_lines(tmp_path / "old.jsonl", *OLD), json_lines(tmp_path / "new.jsonl", *NEW)
    assert main(["gate", str(old), str(new)]) == 10
    found = longctx.verdict_of(old, str(new))
    *verdict, _more, last = capsys.readouterr().out.splitlines()
    assert (found.verdict, str(found).splitlines()) == ("regression", [*verdict, last])
    assert found.understood[0] == "old.jsonl is a file of rows: 60 items by id, outcome correct"
    assert found.data["verdict"] == "regression"


def test_rows_of_a_program_are_judged() -> None:
    assert longctx.verdict_of(OLD, NEW).verdict == "regression"
    assert longctx.verdict_of(OLD, OLD[:40]).verdict == "invalid"
    assert longctx.verdict_of(OLD * 1, OLD, margin=0.1).verdict == "pass"
    assert longctx.verdict_of(OLD, OLD[:40], 0.1, subset=True).verdict == "pass"


def test_what_is_read_may_be_said() -> None:
    marks: list[dict[str, Any]] = [{"of": n, "toxicity": 1 + 4 * (n < 20)} for n in range(60)]
    read = {"id": "of", "correct": "toxicity", "scale": (1, 5), "lower_is_better": True}
    better = [{**row, "toxicity": 1} for row in marks]
    assert longctx.verdict_of(better, marks, read=read).verdict == "regression"
    with refused("no-such-option", "'ids'"):
        longctx.verdict_of(OLD, NEW, read={"ids": "of"})
    with refused("no-imported-rows"):
        longctx.verdict_of([], NEW)


MOST_MODULES = {"function": 70, "command": 80}
"""The most modules of longctx, packages among them, that a verdict on two files of rows imports. Only lower them."""


def test_a_verdict_on_files_imports_few_modules(tmp_path: Path) -> None:
    old, new = (json_lines(tmp_path / f"{name}.jsonl", *rows) for name, rows in (("old", OLD), ("new", NEW)))
    programs = {
        "function": f"import longctx; longctx.verdict_of({str(old)!r}, {str(new)!r})",
        "command": f"from longctx.cli import main; main(['gate', {str(old)!r}, {str(new)!r}])",
    }
    counts = "print(sum(name.partition('.')[0] == 'longctx' for name in sys.modules))"
    for name, program in programs.items():
        done = subprocess.run(
            [sys.executable, "-c", f"import sys\n{program}\n{counts}"], capture_output=True, text=True, check=True
        )
        assert int(done.stdout.splitlines()[-1]) <= MOST_MODULES[name]


def test_no_pytest_sdk_or_http_is_imported(tmp_path: Path) -> None:
    """Neither by the function nor by the command on files of other tools."""
    old = json_lines(tmp_path / "old.jsonl", *OLD)
    unwanted = "pytest", "_pytest", "anthropic", "openai", "google.genai", "httpx", "httpx2", "requests", "vcr"
    program = (
        "import sys, longctx\n"
        f"longctx.verdict_of({str(old)!r}, {str(old)!r})\n"
        "from longctx.cli import main\n"
        f"main(['gate', {str(old)!r}, {str(old)!r}])\n"
        f"print('imported', *(name for name in {unwanted!r} if name in sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1].strip() == "imported"
