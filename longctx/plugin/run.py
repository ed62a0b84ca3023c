"""The state of a run in one process: its settings, its folder, its tape."""

from __future__ import annotations

import datetime
import functools
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from longctx.errors import UserError
from longctx.plugin import options
from longctx.plugin.settings import Settings
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.plugin.plan import Plan
    from longctx.summary.summary import Summary

RUN = pytest.StashKey["Run"]()
"""Where a pytest Config keeps its Run."""
FAILURES = "asking.json"
"""In the run's folder, written by the asking pass for people: why trials could not be asked."""
UNASKED = pytest.StashKey[str]()
"""Where a pytest Config keeps the same, as JSON: the key of a question and its Failure."""
SUMMARY: pytest.StashKey[Summary] = pytest.StashKey()
"""Where it keeps what the run measured, once it ends, in the process that started it."""


@dataclass(frozen=True)
class Run:
    """One run, as this process sees it. `worker` is empty in the controller and in a run without workers; a worker
    writes nothing to `folder`."""

    name: str
    settings: Settings
    workspace: Workspace
    folder: Path
    worker: str = ""
    private: Path | None = None
    """Under --ctx-no-text: a temporary folder for this run's answers, gone when it ends."""

    @functools.cached_property
    def plan(self) -> Plan:
        """What the run reads of its project, loaded when first needed."""
        from longctx.plugin.plan import Plan

        return Plan(self.settings, self.workspace)


def start(config: pytest.Config) -> Run:
    """Name the run. Nothing is written before there is something to write."""
    settings, workspace = options.read(config), Workspace(config.rootpath)
    if told := getattr(config, "workerinput", None):
        private = Path(told["ctx_private"]) if told["ctx_private"] else None
        name = told["ctx_name"]
        run = Run(name, settings, workspace, workspace.reports / name, told["workerid"], private)
        config.stash[UNASKED] = told["ctx_unasked"]
    else:
        folder = _folder(settings, workspace)
        name = folder.name if settings.report is None else _now()
        run = Run(name, settings, workspace, folder, private=_private_folder(config, settings))
    config.stash[RUN] = run
    return run


def tell_worker(node: Any) -> None:
    """A worker may stand on another host, so it is told what others read in the run's folder. The answers that
    --ctx-no-text keeps off the cassettes are not sent: where they lie is of use on this host alone."""
    run = node.config.stash[RUN]
    node.workerinput["ctx_name"] = run.name
    node.workerinput["ctx_unasked"] = node.config.stash.get(UNASKED, "{}")
    node.workerinput["ctx_private"] = str(run.private or "")


def _now() -> str:
    """A run's name, to the millisecond: what a run asked is told from what another did by it."""
    return datetime.datetime.now().strftime("%Y-%m-%dT%H-%M-%S-%f")[:-3]


def _private_folder(config: pytest.Config, settings: Settings) -> Path | None:
    if not settings.no_text or settings.record == "none":
        return None
    folder = tempfile.TemporaryDirectory(prefix="longctx-")
    config.add_cleanup(folder.cleanup)
    return Path(folder.name)


def _folder(settings: Settings, workspace: Workspace) -> Path:
    """A folder that holds no run yet. Raises UserError where the user named one that does."""
    if settings.report is not None:
        if file := next((path for path in (settings.report, *settings.report.parents) if path.is_file()), None):
            raise UserError(
                "path-is-file", f"--ctx-report {settings.report} cannot be used, since {file} is a file: give a folder."
            )
        if (settings.report / "results.jsonl").exists():
            raise UserError(
                "report-exists",
                f"--ctx-report {settings.report} already holds a run: give another folder, or delete it first.",
            )
        return settings.report.absolute()
    name, number = _now(), 2
    folder = workspace.reports / name
    while folder.exists():
        folder, number = workspace.reports / f"{name}-{number}", number + 1
    return folder
