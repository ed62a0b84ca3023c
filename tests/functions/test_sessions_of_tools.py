"""Sessions as agents' own programs wrote them: no turn is wrong (data/README.md)."""

from __future__ import annotations

import pytest

from longctx.functions.transcript import read_transcript
from tests.functions.turns import texts
from tests.here import HERE

DATA = HERE.root / "tests/functions/data"
BRANCH = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"


CODEX = "<environment_context>"


def shortened(text: str) -> str:
    """Return a text without what Codex and Qwen Code add to a result, and the environment that Codex describes."""
    if text.startswith(CODEX):
        return CODEX
    return "berth 7" if text.startswith(("Chunk ID: ", "Command: ")) and "berth 7" in text else text


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
            "claude_code_2.1.332_rewound.jsonl",
            [
                *["The code is 4471. PLAN NOTE", "Noted.", "Move it to Monday. PLAN CALL"],
                *["call toolu_3113f3746d9e", "berth 7", "Berth 7 it is."],
            ],
            ("4 turns undone",),
            0,
        ),
        (
            "codex_0.171.0_calls.jsonl",
            [
                *[CODEX, "The code is 4471. PLAN NOTE", "Noted.", "Move it to Friday. PLAN CALL", "call call_5199cc96"],
                *["berth 7", "Berth 7 it is.", "Move it to Monday. PLAN CALL", "call call_98dedd3e", "berth 7"],
                "Berth 7 it is.",
            ],
            (),
            0,
        ),
        (
            "codex_0.171.0_compacted.jsonl",
            [
                *[CODEX, "The code is 4471. PLAN NOTE", "Noted.", "Which berth? PLAN CALL", "call call_22caf1c7"],
                *["berth 7", "Berth 7 it is."],
            ],
            (),
            1,
        ),
        (
            "qwen_code_0.24.4_calls.jsonl",
            [
                *["Find the berth. PLAN CALL", "call call_f630a37399", "berth 7", "Berth 7 it is."],
                *["Which one? PLAN NOTE", "Noted.", "And now? PLAN CALL", "call call_1605984f6b", "berth 7"],
                "Berth 7 it is.",
            ],
            (),
            0,
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
    assert [shortened(text) for text in texts(session)] == turns
    assert (session.left_out, session.compactions) == (left_out, compactions)
