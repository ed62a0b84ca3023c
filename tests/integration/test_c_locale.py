"""A project in a folder whose name the locale cannot write, as in a container without a locale."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.integration.conftest import LINES, Checkout

C_LOCALE = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}


def run(project: Checkout, *command: str, page: bool = True) -> str:
    """Run a command in the C locale, which Python reads when it starts."""
    env = {**project.launcher.env, **C_LOCALE, "LONGCTX_PAGE": "1" if page else "0"}
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=project.folder, env=env, capture_output=True, check=False
    )
    out = (done.stdout + done.stderr).decode("utf-8", "replace")
    assert done.returncode == 0, out
    return out


def test_it_is_measured_gated_and_compared(recorded: Checkout, tmp_path: Path) -> None:
    project = recorded.copied(tmp_path / "my dir [ünï] #1 %20")
    project.profile(LINES, name="fixtures/prüfung.toml")
    quiet = ("-q", "-pno:cacheprovider", "--ctx-profile=fixtures/prüfung.toml")
    run(project, "pytest", *quiet, "--ctx-report=reports/erster-lauf-ü", page=False)
    run(project, "longctx", "baseline", "save", "main")
    run(project, "pytest", *quiet, "--ctx-baseline=main", "--ctx-on-inconclusive=pass", "-olongctx_parquet=1")
    written = {path.name for path in project.file("reports/latest").iterdir()}
    assert {"index.html", "results.csv", "results.parquet", "summary.json", "run.json", "gate.json"} <= written
    run(project, "longctx", "compare", "reports/erster-lauf-ü", "reports/latest", "--out", "seite-ü.html")
