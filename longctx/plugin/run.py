"""The run of this pytest process: in the process that started it, and in xdist's workers."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from longctx.engine.run import Run
from longctx.plugin import hooks, options

if TYPE_CHECKING:
    from longctx.engine.finish import Finished
    from longctx.engine.settings import Settings

RUN = pytest.StashKey[Run]()
"""The key of the Run in a pytest Config's stash."""
CELLS = "ctx_functions"
"""The entry of a worker's output that names the cells of test functions and their minimum rates."""
FINISHED: pytest.StashKey[Finished] = pytest.StashKey()
"""The key of the finished run, in the process that started it."""


def start(config: pytest.Config) -> Run:
    """Make the Run of this process and keep it in the stash; its folder is not created yet."""
    worker_input = getattr(config, "workerinput", None)
    if worker_input:
        config.option.ctx_base = worker_input["ctx_base"]
    else:
        options.choose_base(config)
    settings = hooks.with_project(config, options.read(config))
    if worker_input:
        private = Path(worker_input["ctx_private"]) if worker_input["ctx_private"] else None
        name = worker_input["ctx_name"]
        folder = config.rootpath / "reports" / name  # a worker writes nothing
        run = Run(root=config.rootpath, settings=settings, name=name, folder=folder, private=private)
        run.unasked = json.loads(worker_input["ctx_unasked"])
    else:
        options.check_paths(config)
        run = Run(root=config.rootpath, settings=settings, private=_private_folder(config, settings))
        run.say = sayer(config)
    config.stash[RUN] = run
    return run


def is_worker(config: pytest.Config) -> bool:
    """Return whether this process is a worker of xdist, which writes nothing and asks nothing."""
    return hasattr(config, "workerinput")


def tell_worker(node: Any) -> None:
    """Send an xdist worker what it must know of the run: on another host it cannot read the run's folder.

    Answers that --ctx-no-text keeps off the cassettes are not sent; their folder is of use on this host only.
    """
    run = node.config.stash[RUN]
    node.workerinput["ctx_name"] = run.name
    node.workerinput["ctx_unasked"] = json.dumps(run.unasked)
    node.workerinput["ctx_base"] = run.settings.base
    node.workerinput["ctx_private"] = str(run.private or "")


def hear_worker(node: Any) -> None:
    """Note the cells of test functions that a worker has collected: the process that started the run collects none."""
    output = getattr(node, "workeroutput", {})
    if CELLS in output:
        node.config.stash[RUN].functions |= json.loads(output[CELLS])


def sayer(config: pytest.Config) -> Any:
    """Return a function that prints a sentence at once, also if a program reads the output."""

    def say(sentence: str) -> None:
        writer = config.get_terminal_writer()
        writer.line(sentence)
        writer.flush()

    return say


def _private_folder(config: pytest.Config, settings: Settings) -> Path | None:
    if not settings.no_text or settings.record == "none":
        return None
    folder = tempfile.TemporaryDirectory(prefix="longctx-")
    config.add_cleanup(folder.cleanup)
    return Path(folder.name)
