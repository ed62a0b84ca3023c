"""Recordings that no test of a whole suite uses: they are noted, and change the exit status."""

from __future__ import annotations

import pytest

from longctx.errors import UserError
from longctx.plugin.nested import is_nested
from longctx.plugin.session import run_of, session_of
from longctx.text import count, some_of

NO_ANSWER = "no answer of "
"""How the reason begins of a test that is skipped because nothing of it is recorded."""
NAMED = 3
"""The most recordings that are named."""


def note_unused(session: pytest.Session) -> None:
    """Note which recordings no test uses, if the whole suite ran and a test was skipped for want of recordings."""
    config = session.config
    terminal = config.pluginmanager.get_plugin("terminalreporter")
    if terminal is None or is_nested(config) or hasattr(config, "workerinput") or not _is_whole(config):
        return
    missing = sum(NO_ANSWER in str(report.longrepr) for report in terminal.getreports("skipped"))
    if not missing:
        return
    from longctx.plugin.selected_tests import orphans

    workspace = run_of(config).workspace
    try:
        unused = [str(path.relative_to(workspace.root)) for path, _ in orphans(workspace)]
    except UserError:
        return
    if unused:
        listed = some_of(unused, NAMED)
        session_of(config).unused = (
            f"{count(missing, 'test has', 'tests have')} no recording, and no test uses "
            f"{count(len(unused), 'recording')} ({listed}): was a test renamed? Recordings belong to the name of their "
            "test: restore the name, or record the test again and delete them. To list them: python -m longctx show "
            "--orphans"
        )


def status_with_unused(config: pytest.Config, status: int) -> int:
    """Return the exit status of a session that pytest would end with `status`."""
    lost = status == pytest.ExitCode.OK and session_of(config).unused
    return int(pytest.ExitCode.TESTS_FAILED) if lost else status


def _is_whole(config: pytest.Config) -> bool:
    option = config.option
    chosen = option.keyword or option.markexpr or getattr(option, "lf", False) or getattr(option, "deselect", None)
    return not chosen and not any("::" in argument or argument.endswith(".py") for argument in config.args)
