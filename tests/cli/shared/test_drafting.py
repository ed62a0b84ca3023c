"""Commands that write a test with its profile."""

from __future__ import annotations

from longctx.cli.written_test import NewTest
from longctx.config.profiles import profile_path
from longctx.workspace import Workspace

PROFILE = '[passkey]\nmodels = ["m"]\nwindows = [256]\n'


def test_a_further_profile_does_not_change_what_plain_pytest_runs(mine: Workspace) -> None:
    """`longctx window` and `longctx chunks` write one."""
    mine.own("profiles", "mine.toml").write_text(PROFILE)
    for name in ("window", "chunks"):
        NewTest(mine.root, name, mine.root / "tests_longctx" / name / "probes.jsonl").write([], "", PROFILE, {})
    assert mine.own("profiles", "window.toml").is_file()
    assert profile_path(mine, None).stem == "mine"
