"""Runs the steps of the composite action in order, as a GitHub runner would.

Shell steps run in a shell if their conditions hold. The official actions that upload and download artifacts are
replaced by copies to and from a local folder; the steps that set up Python and install longctx are skipped.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

from tests.workflow import action, action_steps

Shell = Callable[[str, dict[str, str]], "subprocess.CompletedProcess[str]"]
"""Runs a script with these environment variables."""
ELSEWHERE = {"Install", "actions/setup-python"}
"""Steps that are skipped: the tests run in an environment that has all they need."""


@dataclass
class Done:
    """What the steps left. ran: the names of the steps that ran, in order. failed: the first step that failed."""

    ran: list[str] = field(default_factory=list)
    outputs: dict[str, str] = field(default_factory=dict)
    failed: subprocess.CompletedProcess[str] | None = None

    @property
    def status(self) -> int:
        return 0 if self.failed is None else self.failed.returncode


def run_action(
    shell: Shell, folder: Path, artifacts: Path, inputs: Mapping[str, str], github: Mapping[str, Any]
) -> Done:
    """Run the steps of the action whose conditions hold, and return what they left.

    folder: the working folder of the job. artifacts: the folder of the artifacts of all jobs. inputs: of the
    action; the others have their defaults. github: the `github` context.
    """
    declared = action()["inputs"]
    assert inputs.keys() <= declared.keys(), f"no inputs of the action: {inputs.keys() - declared.keys()}"
    given = {name: inputs.get(name, declaration["default"]) for name, declaration in declared.items()}
    of_steps: dict[str, Any] = {}
    context = {"inputs": given, "github": github, "steps": of_steps}
    done = Done()
    for step in action_steps():
        condition = str(step.get("if", "true"))
        wanted = _truth(_filled(condition, context))
        if not wanted or (done.failed and "!cancelled()" not in condition):
            continue
        name = step.get("name") or step["uses"].partition("@")[0]
        done.ran.append(name)
        if name in ELSEWHERE:
            continue
        if "uses" in step and "/cache/" in step["uses"]:
            _cache(folder, artifacts, step["uses"], _filled(str(step["with"]["path"]), context))
            continue
        if "uses" in step:
            _keep_or_fetch(
                folder, artifacts, {key: _filled(str(value), context) for key, value in step["with"].items()}
            )
            continue
        output = artifacts / "output"
        output.write_text("")
        env = {key: _filled(str(value), context) for key, value in step.get("env", {}).items()}
        result = shell(step["run"], {**env, "GITHUB_OUTPUT": str(output)})
        if "id" in step:
            of_steps[step["id"]] = {"outputs": dict(line.split("=", 1) for line in output.read_text().splitlines())}
        done.failed = done.failed or (result if result.returncode else None)
    done.outputs = {name: _filled(declaration["value"], context) for name, declaration in action()["outputs"].items()}
    return done


def _cache(folder: Path, artifacts: Path, uses: str, path: str) -> None:
    """Restore a file from the cache of the branch, or save it there."""
    here, kept = folder / path, artifacts / "cache" / path
    source, target = (kept, here) if "/restore" in uses else (here, kept)
    if source.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(source, target)


def _keep_or_fetch(folder: Path, artifacts: Path, given: Mapping[str, str]) -> None:
    if "pattern" in given:
        for kept in artifacts.glob("*/"):
            if fnmatch(kept.name, given["pattern"]):
                shutil.copytree(kept, folder / given["path"] / kept.name)
        return
    path, kept = folder / given["path"], artifacts / given["name"]
    shutil.rmtree(kept, ignore_errors=True)
    if path.is_dir():
        shutil.copytree(path, kept)
    elif path.exists():
        kept.mkdir()
        shutil.copy2(path, kept)


def _filled(text: str, context: Mapping[str, Any]) -> str:
    return re.sub(r"\$\{\{ (.*?) \}\}", lambda match: _text(_value(match[1], context)), text)


def _value(expression: str, context: Mapping[str, Any]) -> Any:
    """Return the value of an expression that the action uses: ||, &&, comparisons, !cancelled(), names and literals."""
    for operator, ends in ((" || ", True), (" && ", False)):
        if operator in expression:
            value: Any = None
            for part in expression.split(operator):
                value = _value(part, context)
                if _truth(value) == ends:
                    break
            return value
    if match := re.fullmatch(r"(.+?) (==|!=) (.+)", expression):
        first, second = (_text(_value(part, context)) for part in (match[1], match[3]))
        return (first == second) == (match[2] == "==")
    if expression == "!cancelled()":
        return True
    if expression.startswith("'"):
        return expression[1:-1]
    value = context
    for name in expression.split("."):
        value = value.get(name) if isinstance(value, Mapping) else None
    return value


def _truth(value: Any) -> bool:
    return value not in (None, "", False, "false")


def _text(value: Any) -> str:
    return "" if value is None else value if isinstance(value, str) else json.dumps(value)
