"""The state of a run in one process: its name, settings, project and folder."""

from __future__ import annotations

import datetime
import functools
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from longctx.files import check_is_no_file
from longctx.plugin import options
from longctx.plugin.settings import Settings
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.plugin.plan import Plan
    from longctx.summary.summary import Summary

RUN = pytest.StashKey["Run"]()
"""The key of the Run in a pytest Config's stash."""
FAILURES = "asking.json"
"""The file in the run's folder in which the asking pass tells people why trials could not be asked."""
UNASKED = pytest.StashKey[str]()
"""The key of the same failures in the stash, as JSON: the Failure of each question's key."""
SUMMARY: pytest.StashKey[Summary] = pytest.StashKey()
"""The key of the run's summary, which the process that started the run makes at the end."""


@dataclass(frozen=True)
class Run:
    """One run, as this process sees it.

    folder: where the run's report goes; workers write nothing there. worker: the id of the xdist worker; empty in the
    process that started the run. private: under --ctx-no-text, a temporary folder for this run's answers, deleted at
    its end.
    """

    name: str
    settings: Settings
    workspace: Workspace
    folder: Path
    worker: str = ""
    private: Path | None = None

    @functools.cached_property
    def plan(self) -> Plan:
        """The profile, cases and baseline of the run, which are loaded when first needed."""
        from longctx.plugin.plan import Plan

        return Plan(self.settings, self.workspace)


def start(config: pytest.Config) -> Run:
    """Make the Run of this process and keep it in the stash; its folder is not created yet."""
    settings, workspace = options.read(config), Workspace(config.rootpath)
    if worker_input := getattr(config, "workerinput", None):
        private = Path(worker_input["ctx_private"]) if worker_input["ctx_private"] else None
        name = worker_input["ctx_name"]
        run = Run(name, settings, workspace, workspace.reports / name, worker_input["workerid"], private)
        config.stash[UNASKED] = worker_input["ctx_unasked"]
    else:
        options.check_paths(config)
        folder = _folder(settings, workspace)
        name = folder.name if settings.report is None else _now()
        run = Run(name, settings, workspace, folder, private=_private_folder(config, settings))
    config.stash[RUN] = run
    return run


def tell_worker(node: Any) -> None:
    """Send an xdist worker what it must know of the run: on another host it cannot read the run's folder.

    Answers that --ctx-no-text keeps off the cassettes are not sent; their folder is of use on this host only.
    """
    run = node.config.stash[RUN]
    node.workerinput["ctx_name"] = run.name
    node.workerinput["ctx_unasked"] = node.config.stash.get(UNASKED, "{}")
    node.workerinput["ctx_private"] = str(run.private or "")


def _now() -> str:
    """Return the local time to the millisecond as a run's name. Answers recorded under this name count as live."""
    return datetime.datetime.now().strftime("%Y-%m-%dT%H-%M-%S-%f")[:-3]


def _private_folder(config: pytest.Config, settings: Settings) -> Path | None:
    if not settings.no_text or settings.record == "none":
        return None
    folder = tempfile.TemporaryDirectory(prefix="longctx-")
    config.add_cleanup(folder.cleanup)
    return Path(folder.name)


def _folder(settings: Settings, workspace: Workspace) -> Path:
    """Return a folder for the report that holds no run yet; raise UserError if the user's own cannot be used."""
    if settings.report is not None:
        from longctx.results.folder import check_free

        check_is_no_file("--ctx-report", settings.report)
        check_free(settings.report)
        return settings.report.absolute()
    name, number = _now(), 2
    folder = workspace.reports / name
    while folder.exists():
        folder, number = workspace.reports / f"{name}-{number}", number + 1
    return folder
