"""The state of a run in one process: its settings, its folder, its tape."""

from __future__ import annotations

import datetime
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from longctx.config.folders import REPORTS
from longctx.plugin import options
from longctx.plugin.options import Settings

RUN = pytest.StashKey["Run"]()
"""Where a pytest Config keeps its Run."""


@dataclass(frozen=True)
class Run:
    """One run, as this process sees it. `worker` is empty in the controller and in a run without workers."""

    name: str
    settings: Settings
    folder: Path
    worker: str = ""
    private: Path | None = None
    """Under --ctx-no-text: a temporary folder for this run's answers, gone when it ends."""


def start(config: pytest.Config) -> None:
    """Name the run. Nothing is written before there is something to write."""
    settings = options.read(config)
    told: dict[str, Any] = getattr(config, "workerinput", {})
    name = told.get("ctx_name") or datetime.datetime.now().strftime("%Y-%m-%dT%H-%M-%S")
    folder = Path(told["ctx_folder"]) if told else _free_folder(settings, name)
    private = _private_folder(config, settings, told)
    config.stash[RUN] = Run(name, settings, folder, told.get("workerid", ""), private)


def tell_worker(node: Any) -> None:
    run = node.config.stash[RUN]
    node.workerinput["ctx_name"] = run.name
    node.workerinput["ctx_folder"] = str(run.folder)
    node.workerinput["ctx_private"] = str(run.private or "")


def _private_folder(config: pytest.Config, settings: Settings, told: dict[str, Any]) -> Path | None:
    if told:
        return Path(told["ctx_private"]) if told["ctx_private"] else None
    if not settings.no_text or settings.record == "none":
        return None
    folder = tempfile.TemporaryDirectory(prefix="longctx-")
    config.add_cleanup(folder.cleanup)
    return Path(folder.name)


def _free_folder(settings: Settings, name: str) -> Path:
    if settings.report is not None:
        if (settings.report / "results.jsonl").exists():
            raise pytest.UsageError(
                f"--ctx-report {settings.report} already holds a run: give another folder, or delete it first."
            )
        return settings.report.absolute()
    folder, number = REPORTS / name, 2
    while folder.exists():
        folder, number = REPORTS / f"{name}-{number}", number + 1
    return folder
