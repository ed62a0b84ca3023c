"""The answers that a gated run lost, where people decide: terminal, gate.md, the summary of a job."""

from __future__ import annotations

import shlex

from tests.integration.conftest import LINES, NO_TEXT, Checkout
from tests.servers import SimulatedServer, saying

AT_ONCE = 'looks = "once"\n'
MANY = LINES.replace("[3, 5]", "[3]").replace("trials = 2", "trials = 40")


def test_they_are_named_with_both_answers_and_a_command_lists_all(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(MANY)
    checkout.record(server)
    checkout.longctx("baseline", "save", "main")
    step = checkout.file("step.md")
    server.script = saying("The register holds <13>.")
    checkout.profile(AT_ONCE, MANY)
    result = checkout.record(server, "--ctx-baseline=main", mode="all", env={"GITHUB_STEP_SUMMARY": str(step)})
    assert result.code == 10
    right = next(row["expected"] for row in checkout.rows() if row["trial"] == 0)
    [line] = [line for line in result.out.splitlines() if line.startswith("line_retrieval/lines-3#0 ")]
    assert line.split()[1] == str(right)
    assert str(right) in line.split(maxsplit=2)[2]
    assert result.out.count("line_retrieval/lines-3#") == 20
    for text in (checkout.file("reports/latest/gate.md").read_text(), step.read_text()):
        assert "40 answers were lost: right in the baseline and not in this run; the first 20 are listed below" in text
        assert text.count("line_retrieval/lines-3#") == 20
    [note] = [line for line in result.out.splitlines() if "40 answers were lost" in line]
    command = shlex.split(note.partition("To see all: ")[2])
    assert command[:4] == ["python", "-m", "longctx", "compare"]
    assert checkout.longctx(*command[3:]).out.count("line_retrieval/lines-3#") == 40


def test_a_run_without_text_names_them_alone(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(MANY)
    checkout.record(server)
    checkout.longctx("baseline", "save", "main")
    server.script = saying("13")
    checkout.profile(AT_ONCE, MANY)
    result = checkout.record(server, "--ctx-baseline=main", mode="all", env=NO_TEXT)
    assert result.code == 10
    [line] = [line for line in result.out.splitlines() if line.startswith("line_retrieval/lines-3#0 ")]
    assert line.split()[1:] == ["-", "-", "wrong"]
