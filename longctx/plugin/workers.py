"""What the process that started the run and xdist's workers tell each other."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from longctx.plugin import options
from longctx.plugin.session import run_of, session_of

CELLS = "ctx_functions"
"""The entry of a worker's output that names the cells of test functions and their minimum rates."""
REPORTS = "ctx_reports"
"""The entry of a worker's output that names the test functions that declare a report, and their files."""
LEFT_OUT_TESTS = "ctx_left_out"
"""The entry of a worker's output that names the tests that the profile leaves out, with the reasons."""


def is_worker(config: pytest.Config) -> bool:
    """Return whether this process is a worker of xdist, which writes nothing and sends no request."""
    return hasattr(config, "workerinput")


def arguments(config: pytest.Config) -> list[str]:
    """Return the arguments of the pytest that the person started."""
    given = config.workerinput["ctx_arguments"] if is_worker(config) else config.invocation_params.args  # type: ignore[attr-defined]
    return [str(each) for each in given]


def send_run_to_worker(node: Any, progress: bool) -> None:
    """Send an xdist worker what it must know of the run: on another host it cannot read the run's folder.

    progress: whether the progress is drawn.

    Answers that LONGCTX_TEXT=0 keeps off the cassettes are not sent; their folder is of use on this host only.
    """
    run = run_of(node.config)
    node.workerinput["ctx_name"] = run.name
    node.workerinput["ctx_progress"] = progress
    node.workerinput["ctx_unasked"] = json.dumps(run.unasked)
    node.workerinput["ctx_options"] = options.values_for_worker(node.config)
    node.workerinput["ctx_private"] = str(run.private or "")
    node.workerinput["ctx_arguments"] = arguments(node.config)


def send_left_out(config: pytest.Config) -> None:
    """Tell the process that started the run which tests the profile leaves out."""
    if is_worker(config) and (left_out := session_of(config).left_out):
        config.workeroutput[LEFT_OUT_TESTS] = json.dumps(left_out)  # type: ignore[attr-defined]  # xdist


def receive_from_worker(node: Any) -> None:
    """Note what a worker has collected and left out: the process that started the run collects nothing."""
    output = getattr(node, "workeroutput", {})
    if LEFT_OUT_TESTS in output:
        left_out = session_of(node.config).left_out
        new = {test: why for test, why in json.loads(output[LEFT_OUT_TESTS]).items() if test not in left_out}
        left_out.update(new)
        if terminal := node.config.pluginmanager.get_plugin("terminalreporter"):
            terminal.stats.setdefault("deselected", []).extend(SimpleNamespace(nodeid=test) for test in new)
    if REPORTS in output:
        session_of(node.config).unknown_reports |= json.loads(output[REPORTS])
    if CELLS in output:
        run_of(node.config).functions |= json.loads(output[CELLS])
