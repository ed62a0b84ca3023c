"""Sessions as agents' own programs wrote them: no turn is wrong (data/README.md)."""

from __future__ import annotations

import pytest

from longctx.functions.transcript import read_transcript
from tests.functions.test_trees import texts
from tests.here import HERE

DATA = HERE.root / "tests/functions/data"
BRANCH = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"


@pytest.mark.parametrize(
    ("name", "turns", "left_out", "compactions"),
    [
        (
            "pi_0.73.1_rewound.jsonl",
            ["Start at berth 1.", "Noted.", "Move it to Monday.", "call c2", "Monday is free", "Moved to Monday."],
            ("6 turns undone",),
            0,
        ),
        (
            "pi_0.73.1_compacted.jsonl",
            [
                *["The code is 4471.", "Noted the code.", "The berth is 7.", "Noted the berth."],
                *[f"{BRANCH}Berth 9 was tried.</summary>", "Which berth?", "Berth 7."],
            ],
            ("2 turns undone",),
            1,
        ),
        (
            "mini_swe_agent_2.4.6_texts.json",
            [
                "Task: Find the berth.",
                "I look.\n```mswea_bash_command\necho berth 7\n```",
                "<returncode>0</returncode>\n<output>\nberth 7\n</output>",
                "Done.\n```mswea_bash_command\necho COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT; echo berth 7\n```",
            ],
            (),
            0,
        ),
        (
            "mini_swe_agent_2.4.6_calls.json",
            [
                *["Task: Find the berth.", "Step 1.", "call c1"],
                *["<returncode>0</returncode>\n<output>\nberth 9\n</output>", "Step 2.", "call c2"],
                *["<returncode>1</returncode>\n<output>\n</output>", "Step 3."],
            ],
            (),
            0,
        ),
    ],
)
def test_a_session_is_read_as_its_agent_wrote_it(
    name: str, turns: list[str], left_out: tuple[str, ...], compactions: int
) -> None:
    session = read_transcript(DATA / name, caller=DATA)
    assert texts(session) == turns
    assert (session.left_out, session.compactions) == (left_out, compactions)
