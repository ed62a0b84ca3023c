"""The reports that test functions declare in their markers, for a process that has not collected the tests.

Reports hold functions, so that no other process can send them: the tests are collected here, as pytest always does it.
Only the project's own tests are, and no file that results name.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import pytest

from longctx.engine.run import Run
from longctx.plugin.asking.nested import Nested, silent
from longctx.plugin.collected_tests import ANY
from longctx.plugin.run import GivenRun
from longctx.plugin.selected_tests import IMPORTED, USUAL
from longctx.plugin.session import run_of, session_of

if TYPE_CHECKING:
    from longctx.views.reporting import Reports
    from longctx.workspace import Workspace


def learn(config: pytest.Config) -> None:
    """Learn the reports of the tests that workers have run: the process that started them collects nothing."""
    session, run = session_of(config), run_of(config)
    lacking = {name: found for name, found in session.unknown_reports.items() if name not in run.reports}
    if not lacking:
        return
    files = dict.fromkeys(str(config.rootpath / file) for file, _ in lacking.values())
    # The user's own arguments might write a file for other programs, as --junit-xml does.
    arguments = [f"--rootdir={config.rootpath}", "-oaddopts=", f"--import-mode={config.option.importmode}"]
    arguments += [f"-c{config.inipath}"] if config.inipath else []
    arguments += [f"-p{plugin}" for plugin in config.option.plugins]
    own = Run(settings=run.settings, root=run.workspace.root, name=run.name, folder=run.folder)
    run.reports |= _known(_collected(own, *arguments, "-pno:cacheprovider", f"-W{IMPORTED}", *files), lacking)


def reports_of_tests(workspace: Workspace, declared: Mapping[str, bool]) -> Reports:
    """Return the reports of test functions, which are looked for in the project's tests.

    declared: the names of those that declare one, and whether it adds to the gate, as the manifest of a run tells.
    """
    if not declared:
        return {}
    found = _collected(Run(None, ANY, root=workspace.root, say=lambda _: None), *USUAL)
    return _known(found, {name: ("", gated) for name, gated in declared.items()})


def _known(found: Reports, wanted: Mapping[str, tuple[str, bool]]) -> Reports:
    """Return the reports that are wanted, as far as they were found; None of one that adds to the gate."""
    return {name: found.get(name) for name, (_, gated) in wanted.items() if gated or name in found}


def _collected(run: Run, *arguments: str) -> Reports:
    """Return the reports of the tests that pytest collects with these arguments. It prints nothing."""
    with silent():
        pytest.main([*arguments, "--collect-only", "--capture=no"], plugins=[GivenRun(run), Nested()])
    return run.reports
