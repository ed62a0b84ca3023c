"""What `longctx data questions` says about replies whose answer cannot be read."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.authoring.unreadable import sentences
from longctx.results.store import append, finish, row_lines
from longctx.results.trial_view import View
from longctx.workspace import Workspace
from tests.rows import control

LETTERS = "none of A, B, C, D"


def run(folder: Path, *replies: tuple[str, str, str | None, str | None], prompts: str = "protocol") -> list[str]:
    """replies: record, outcome, why, text."""
    rows = [
        control(record, f"q{place}", outcome, model="toy", prompt_set=prompts, trial=place, why=why)
        for place, (record, outcome, why, _) in enumerate(replies)
    ]
    append(folder, row_lines(rows, [View("test", reply=text) for *_, text in replies]))
    return sentences(Workspace.around(Path.cwd()), finish(folder, folder).seen(), 50)


@pytest.fixture(autouse=True)
def profiles(within_mine: Workspace) -> Path:
    return within_mine.own("models")


def test_nothing_is_reported_where_all_can_be_read(tmp_path: Path) -> None:
    assert (
        run(tmp_path / "run", ("right", "correct", "the right answer", "A"), ("none", "wrong", "A, not B", "A")) == []
    )


def test_reasons_are_counted_and_two_replies_shown_with_the_right_section_first(tmp_path: Path) -> None:
    lines = run(
        tmp_path / "run",
        ("none", "unparseable", "an empty reply", ""),
        ("right", "unparseable", f"'7' is {LETTERS}", "<Answer>72 hours"),
        ("right", "unparseable", f"'T' is {LETTERS}", "<Answer>Two"),
        ("right", "correct", "the right answer", "<Answer>A"),
        ("right", "not_asked", None, None),
    )
    assert lines[0] == (
        f"3 of 4 replies have no readable answer: the answer begins with {LETTERS} (2), an empty reply (1). "
        "They do not count for the questions."
    )
    assert lines[1:3] == [
        "The reply to q1 with its right section: “<Answer>72 hours”",
        "The reply to q0 with no record: “”",
    ]


def test_a_long_reply_is_shown_with_its_end_and_nothing_in_it_is_hidden(tmp_path: Path) -> None:
    lines = run(tmp_path / "run", ("right", "truncated", "cut off", f"\x1b[2J{'x' * 500}the end"))
    assert lines[1].startswith("The reply to q0 with its right section: “\\x1b[2Jxxx")
    assert lines[1].endswith("the end”")
    assert len(lines[1]) < 300


@pytest.mark.parametrize(
    ("profile", "outcome", "prompts", "helps"),
    [
        ("", "truncated", "protocol", ["a longer reply (--max-tokens, 50 now)"]),
        ("", "unparseable", "protocol", ["prefill = true", "--prompts tagged", "a prompt set of your own"]),
        ("prefill = true", "unparseable", "protocol", ["--prompts tagged", "a prompt set of your own"]),
        ("prefill = true", "unparseable", "tagged", ["a prompt set of your own"]),
        ("", "refusal", "protocol", ["a prompt set of your own"]),
    ],
)  # fmt: skip
def test_what_helps_depends_on_the_replies_and_the_model(
    tmp_path: Path, profiles: Path, profile: str, outcome: str, prompts: str, helps: list[str]
) -> None:
    (profiles / "toy.toml").write_text(profile)
    helps_line = run(tmp_path / "run", ("right", outcome, "why", "text"), prompts=prompts)[-1]
    assert helps_line.endswith(". Then record again with --record new_episodes.")
    helps_shown = helps_line.removeprefix("Fix: ").split(". Then")[0].split("; ")
    assert len(helps_shown) == len(helps)
    assert all(line.startswith(help) for line, help in zip(helps_shown, helps, strict=True))


def test_without_text_only_outcomes_are_reported(tmp_path: Path) -> None:
    lines = run(tmp_path / "run", ("right", "unparseable", None, None))
    assert lines[0].startswith("1 of 1 replies have no readable answer: unparseable (1).")
    assert lines[1].startswith("Fix:")
