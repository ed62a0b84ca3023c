"""`longctx gate` on a file of another tool, as a command."""

from __future__ import annotations

from pathlib import Path

from tests.here import HERE
from tests.integration.conftest import Checkout, Launcher

LOG = HERE.root / "tests/results/foreign/data/inspect_ai_0.3.112.eval"


def test_a_log_is_judged_where_it_lies(launcher: Launcher, tmp_path: Path) -> None:
    select = ["--select", "scorer=match", "--select", "scorer=includes", "--cluster", "document", "--band", "length"]
    done = Checkout(tmp_path, launcher).longctx("gate", LOG, LOG, *select, "--format", "markdown")
    assert (done.code, done.err) == (12, "")
    assert done.says("Gate: invalid", "1 of 8 trials were not measured")
    assert {path.name for path in tmp_path.iterdir()} == {"stdout", "stderr"}
