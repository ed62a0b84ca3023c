"""Tests whose data are not here since git ignores them, such as a private session: a fresh clone leaves them out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from longctx.errors import Absent, UserError
from longctx.plugin.session import session_of

REASON = "data that git ignores are not here"
"""How the reason begins, which is shown in every run."""
TEST = re.compile(r"^(?:async )?def (test_\w+)", re.MULTILINE)


def why(config: pytest.Config, error: UserError, tests: Sequence[str]) -> str:
    """Return why tests are left out whose data are absent; empty if that is a mistake. tests: the names of functions.

    Raises UserError if a baseline has their answers, since a run without them would be no run of that baseline.
    """
    if not (isinstance(error, Absent) and _is_ignored(error.path)):
        return ""
    path = os.path.relpath(error.path, config.rootpath)
    for baseline, known in _baselines(config).items():
        if lost := next((name for name in tests if name in known), None):
            raise UserError(
                "data-not-here",
                f"{path} is not here, which git ignores, but the baseline {baseline} has answers to {lost}: restore "
                "the file, or save the baseline again without the test.",
            ) from error
    return f"{REASON}: {path}"


def leave_out(collector: pytest.Collector, report: pytest.CollectReport) -> None:
    """Turn the error of a module whose data are absent into the reason why its tests are left out."""
    call = getattr(report, "call", None)
    error = call.excinfo.value if call is not None and call.excinfo is not None else None
    if not isinstance(error, Absent):
        return
    tests = TEST.findall(collector.path.read_text("utf-8", "replace"))
    try:
        reason = why(collector.config, error, tests)
    except UserError as lost:
        report.longrepr = str(lost)
        return
    if reason:
        session_of(collector.config).left_out |= {f"{collector.nodeid}::{name}": reason for name in tests}
        report.outcome, report.longrepr, report.result = "passed", None, []


def _is_ignored(path: Path) -> bool:
    """Return whether git ignores a path, in the repository that would contain it."""
    git = shutil.which("git")
    folder = next((parent for parent in path.absolute().parents if parent.is_dir()), None)
    if git is None or folder is None:
        return False
    command = [git, "-C", str(folder), "check-ignore", "--quiet", "--", str(path.absolute())]
    return subprocess.run(command, capture_output=True, check=False).returncode == 0  # noqa: S603


def _baselines(config: pytest.Config) -> dict[str, set[str]]:
    """Return the test functions with answers in each baseline, the one of this run included."""
    from longctx.results.baseline_file import load_baseline

    run = session_of(config).run
    given = run.settings.baseline
    found: dict[str, set[str]] = {}
    for path in [*run.workspace.baselines(), *([run.workspace.find_baseline(given)] if given else [])]:
        try:
            rows = load_baseline(path).rows
        except UserError:  # a damaged one is reported where it is used
            continue
        found[path.stem] = {row.test for row in rows if row.measured}
    return found
