"""`record`, a command of the version before: ask and record what pytest would, and run no tests."""

from __future__ import annotations

from collections.abc import Sequence

from longctx.cli.shared.pytest_run import run_tests

INSTEAD = "LONGCTX_RECORD_ONLY=1 pytest --ctx-record=once"


def run(arguments: Sequence[str]) -> int:
    """Run pytest, which records and then stops; the options of longctx may be given without their prefix."""
    from longctx.plugin.options import DEPRECATED, names

    short = {f"--{name.removeprefix('--ctx-')}" for name in (*names(), *DEPRECATED)}
    arguments = [f"--ctx-{argument[2:]}" if argument.split("=")[0] in short else argument for argument in arguments]
    given = any(argument.split("=")[0] == "--ctx-record" for argument in arguments)
    mode = [] if given else ["--ctx-record=once"]
    return run_tests("--ctx-ask-only", "-q", *mode, *arguments)
