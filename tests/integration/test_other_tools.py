"""`longctx gate` on a file of another tool, as a command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from tests.here import HERE

LOG = HERE.root / "tests/results/foreign/data/inspect_ai_0.3.112.eval"


def test_a_log_is_judged_where_it_lies(tmp_path: Path) -> None:
    select = ["--select", "scorer=match", "--select", "scorer=includes", "--cluster", "document", "--band", "length"]
    command = [sys.executable, "-m", "longctx", "gate", str(LOG), str(LOG), *select, "--format", "markdown"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env={"PYTHONPATH": str(HERE.root)})
    assert (done.returncode, done.stderr) == (12, "")
    assert "Gate: invalid" in done.stdout
    assert "1 of 8 trials were not measured" in done.stdout
    assert [*tmp_path.iterdir()] == []
