"""Sessions as agents' own programs wrote them: no turn is wrong (data/README.md)."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from longctx.errors import UserError
from longctx.functions.transcript import read_transcript
from tests.functions.turns import texts
from tests.here import HERE

DATA = HERE.root / "tests/functions/data"
BRANCH = "The following is a summary of a branch that this conversation came back from:\n\n<summary>\n"


CONTEXTS = "<environment_context>", "<session_context>"
GROUP = re.compile(r"Chunk ID: |Command: |<untrusted_context>")
"""How Codex, Qwen Code and Gemini CLI begin a result of a command."""
AGENT = "Find a berth. PLAN AGENT"
PATH = re.compile(r"`(cat .+) > session\.jsonl`")
REVERTED = [
    *["The code is 4471. PLAN NOTE", "Noted.", "Move it to Monday. PLAN CALL", "call call_3cb3f276"],
    *["berth 7", "Berth 7 it is."],
]


def shortened(text: str) -> str:
    """Return a text without what agents add to a result, and the environment that they describe."""
    for context in CONTEXTS:
        if text.startswith(context):
            return context
    if GROUP.match(text) and "berth 7" in text:
        return "berth 7"
    told = re.match(r"Subagent '\w+' finished|Noted\.(?=\s*agentId)|<task (?=id=)", text)
    return f"{told[0].strip()} …" if told else text.strip()


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
                *[
                    "<environment_context>",
                    "The code is 4471. PLAN NOTE",
                    "Noted.",
                    "Move it to Friday. PLAN CALL",
                    "call call_5199cc96",
                ],
                *["berth 7", "Berth 7 it is.", "Move it to Monday. PLAN CALL", "call call_98dedd3e", "berth 7"],
                "Berth 7 it is.",
            ],
            (),
            0,
        ),
        (
            "codex_0.171.0_compacted.jsonl",
            [
                *[
                    "<environment_context>",
                    "The code is 4471. PLAN NOTE",
                    "Noted.",
                    "Which berth? PLAN CALL",
                    "call call_22caf1c7",
                ],
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
        (
            "gemini_cli_0.61.0_rewound.jsonl",
            [
                *["The code is 4471. PLAN NOTE", "Noted.", "Move it to Friday. PLAN CALL"],
                *["call run_shell_command__c_93fc7deb", "berth 7", "Move it to Monday. PLAN CALL"],
                *["call run_shell_command__c_8eae74c9", "berth 7", "Berth 7 it is."],
            ],
            ("5 turns undone",),
            0,
        ),
        (
            "gemini_cli_0.61.0_compacted.jsonl",
            [
                *["<session_context>", "The code is 4471. PLAN NOTE", "Noted.", AGENT, "call invoke_agent__c_fabdbc69"],
                *["Subagent 'generalist' finished …", "Berth 7 it is.", "And now. PLAN CALL"],
                *["call run_shell_command__c_cc5dcdca", "berth 7", "Berth 7 it is.", "Which berth. PLAN CALL"],
                *["call run_shell_command__c_c7d5c3d4", "berth 7", "Berth 7 it is."],
            ],
            (),
            1,
        ),
        (
            "gemini_cli_0.61.0_subagent.jsonl",
            [
                *["Find the berth. PLAN CALL", "call run_shell_command__c_f61f73b2", "berth 7"],
                *["call complete_task__c_a5bafb4b", "Output submitted and task completed."],
            ],
            (),
            0,
        ),
        (
            "gemini_cli_0.61.0_checkpoint.json",
            [
                *["<session_context>", "The code is 4471. PLAN NOTE", "Noted.", AGENT, "call invoke_agent__c_aecc949b"],
                *["Subagent 'generalist' finished …", "Berth 7 it is.", "And now. PLAN CALL"],
                *["call run_shell_command__c_e4e5ba5c", "berth 7", "Berth 7 it is."],
            ],
            (),
            0,
        ),
        (
            "claude_code_2.1.197_compacted.jsonl",
            [
                *[
                    "The code is 4471. PLAN NOTE",
                    "Noted.",
                    AGENT,
                    "call toolu_16688aebe695",
                    "Noted. …",
                    "Berth 7 it is.",
                ],
                "<command-name>/compact</command-name>\n            <command-message>compact</command-message>\n"
                "            <command-args></command-args>",
                "<local-command-stdout>Compacted (ctrl+o to see full summary)</local-command-stdout>",
                *[
                    "No response requested.",
                    "And now. PLAN CALL",
                    "call toolu_d64272bb09a8",
                    "berth 7",
                    "Berth 7 it is.",
                ],
            ],
            (),
            1,
        ),
        (
            "claude_code_2.1.197_subagent.jsonl",
            ["Find the berth. PLAN CALL", "call toolu_701a62dd0fb6", "berth 7", "Noted."],
            (),
            0,
        ),
        (
            "claude_code_2.1.197_streamed.jsonl",
            ["The code is 4471. PLAN NOTE", "Noted.", AGENT, "call toolu_7e7262aed87d", "Noted. …", "Berth 7 it is."],
            (),
            0,
        ),
        (
            "codex_0.138.0_rolled_back.jsonl",
            [
                *["<environment_context>", "The code is 4471. PLAN NOTE", "Noted.", "Move it to Monday. PLAN CALL"],
                *["call call_f9783e91", "berth 7", "Berth 7 it is."],
            ],
            ("6 turns undone",),
            0,
        ),
        (
            "opencode_1.18.33_reverted.json",
            [
                *["The code is 4471. PLAN NOTE", "Noted.", AGENT, "call call_420c6a1b", "<task …", "Berth 7 it is."],
                *["And now. PLAN CALL", "call call_50ad4159", "berth 7", "Berth 7 it is."],
            ],
            ("4 turns undone",),
            1,
        ),
    ],
)
def test_a_session_is_read_as_its_agent_wrote_it(
    name: str, turns: list[str], left_out: tuple[str, ...], compactions: int
) -> None:
    session = read_transcript(DATA / name, caller=DATA)
    assert [shortened(text) for text in texts(session)] == turns
    assert (session.left_out, session.compactions) == (left_out, compactions)


def test_a_session_that_codex_reverted_is_whole_with_the_file_before_it(tmp_path: Path) -> None:
    """What is left of the turns is in the file before, and the command of the message joins both."""
    folder = DATA / "codex_0.171.0_reverted"
    first, second = sorted(folder.iterdir(), key=lambda path: len(path.name))
    assert len(texts(read_transcript(first, caller=folder))) == 9
    with pytest.raises(UserError) as raised:
        read_transcript(second, caller=folder)
    assert raised.value.code == "part-of-transcript"
    printed = PATH.search(str(raised.value))
    assert printed
    joined = tmp_path / "session.jsonl"
    joined.write_bytes(subprocess.run(["/bin/sh", "-c", printed[1]], capture_output=True, check=True).stdout)
    session = read_transcript(joined, caller=tmp_path)
    assert [shortened(text) for text in texts(session)] == ["<environment_context>", *REVERTED]
    assert session.left_out == ("6 turns undone",)
