"""Annotations of GitHub Actions: each band that fails a gate, and each broken test, at the line of its test."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from itertools import islice
from pathlib import Path

import pytest

from longctx.plugin.gating import GATE
from longctx.plugin.measuring import SENT_TRIALS, results_of
from longctx.plugin.session import session_of
from longctx.vocabulary.point import name_of_test

LONGEST = 400
"""The most characters of what is said."""
MOST_ANNOTATIONS = 10
"""The most annotations: GitHub shows ten of a step."""


def show(terminal: pytest.TerminalReporter, config: pytest.Config, environment: Mapping[str, str] = os.environ) -> None:
    """Print the annotations of a run under GitHub Actions, which reads them from its output; elsewhere nothing."""
    if environment.get("GITHUB_ACTIONS") == "true":
        root = Path(environment.get("GITHUB_WORKSPACE") or config.rootpath)
        finished = session_of(config).finished
        files = finished.document.changed_files if finished and finished.document else {}
        for line in islice(_lines(terminal, config.rootpath, root, files), MOST_ANNOTATIONS):
            terminal.ensure_newline()
            terminal.write_line(line)


def _lines(
    terminal: pytest.TerminalReporter, rootpath: Path, root: Path, changed_files: Mapping[str, tuple[str, int]]
) -> Iterator[str]:
    failed = terminal.getreports("failed")
    measured = [report for report in (*terminal.getreports("passed"), *failed) if isinstance(report, pytest.TestReport)]
    places = {result.test: report for report in measured for result in results_of(report)}
    for report in (*failed, *terminal.getreports("error")):
        if report.nodeid.startswith(GATE):
            name = report.nodeid.removeprefix(GATE)
            test = name_of_test(name.partition(", ")[0])
            of, said = changed_files.get(test) or places.get(test), str(report.longrepr)
            yield _line(name, said, of, rootpath, root)
        elif isinstance(report, pytest.TestReport) and hasattr(report, SENT_TRIALS):
            crash = getattr(report.longrepr, "reprcrash", None)
            said = crash.message if crash else str(report.longrepr)
            yield _line(report.nodeid.rpartition("::")[2], said, report, rootpath, root)


def _line(name: str, said: str, of: pytest.TestReport | tuple[str, int] | None, rootpath: Path, root: Path) -> str:
    """Return an annotation. of: the test that it is about, or a file that changed and its line."""
    where = {"title": f"longctx: {name}"}
    if isinstance(of, tuple):
        file, first = of
        where |= {"file": Path(os.path.relpath(rootpath / file, root)).as_posix(), "line": str(first)}
    elif of is not None:
        file, (defined, line, _) = of.nodeid.partition("::")[0], of.location  # a protocol is defined in longctx
        where["file"] = Path(os.path.relpath(rootpath / file, root)).as_posix()
        where["line"] = str((line or 0) + 1 if defined == file else 1)
    shown = " ".join(said.split())[:LONGEST]
    properties = ",".join(f"{key}={_escaped(value, ':,')}" for key, value in where.items())
    return f"::error {properties}::{_escaped(shown)}"


def _escaped(text: str, more: str = "") -> str:
    """Return the text with the characters written by number that end a command, or one of its properties."""
    text = text.replace("%", "%25")
    for character in f"\r\n{more}":
        text = text.replace(character, f"%{ord(character):02X}")
    return text
