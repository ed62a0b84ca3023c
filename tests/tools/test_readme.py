"""The README is short, and it shows what the commands print."""

from __future__ import annotations

import json
import re
from collections import Counter

from tests.here import HERE

README = (HERE.root / "README.md").read_text(encoding="utf-8")


def test_it_is_short_and_its_two_commands_are_those_of_the_checks() -> None:
    assert README.count("\n") < 120
    checks = (HERE.root / ".ci/run").read_text(encoding="utf-8").splitlines()
    for requirements, command in (
        ("requirements", "pytest -n 8 tests_longctx"),
        ("requirements-dev", "pytest -n 2 tests"),
    ):
        assert f"pip install -r {requirements}.txt && {command}\n" in README
        assert f"pip install --quiet --require-hashes -r {requirements}.lock" in checks, "the same, with hashes"
        assert any(line.startswith(command) for line in checks)


def shown() -> tuple[str, str]:
    """Return what the README shows of the replay, and of the gate."""
    blocks = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    [gate] = (block for block in blocks if "GATE: " in block)
    [replay] = (block for block in blocks if "longctx: profile" in block)
    return replay, gate


def test_the_numbers_of_the_replay_are_those_of_the_reference_report() -> None:
    measured: Counter[tuple[str, str]] = Counter()
    correct: Counter[tuple[str, str]] = Counter()
    summary = json.loads((HERE.root / "reports/reference/summary.json").read_text(encoding="utf-8"))
    for scenario in summary["scenarios"]:
        shape = scenario.get("shape", "text").replace("_", " ")
        name = scenario["family"].replace("_", " ") + (f" ({shape})" if shape != "text" else "")
        measured[name, scenario["model"]] += scenario["n"]
        correct[name, scenario["model"]] += scenario["correct"]
    lines = re.findall(r"^(\S.*?)  +(\S+)  +(\d\.\d\d)  \[.*?\]  +(\d+)", shown()[0], re.MULTILINE)
    assert len(lines) > 2
    for test, model, accuracy, n in lines:
        assert (accuracy, n) == (f"{correct[test, model] / measured[test, model]:.2f}", str(measured[test, model]))
    total = f"{sum(summary['trials'].values()):,}"
    assert f"{total} trials: {total} replayed, 0 requests, $0.00\n" in shown()[0]


def test_the_gate_is_that_of_the_gates_guide() -> None:
    """The outputs of the guide are compared with those of the program."""
    guide = " ".join((HERE.root / "docs/gate.md").read_text(encoding="utf-8").split())
    parts = [line for line in shown()[1].splitlines() if line != "…"]
    assert [part for part in parts if " ".join(part.split()) not in guide] == []
    assert len(parts) > 4
