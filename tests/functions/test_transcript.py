"""Logged conversations, probes of them, and how their answers are graded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from longctx.errors import UserError
from longctx.functions.transcript import Probe, Transcript, read_transcript, transcript
from tests.given import json_lines
from tests.refusals import refused

USER = {"role": "user", "content": "Berth 4 is free."}
REPLY = {"role": "assistant", "content": [{"type": "thinking", "thinking": "hm"}, {"type": "text", "text": "Noted."}]}
USE = {"type": "tool_use", "id": "t1", "name": "look", "input": {"berth": "nine"}}


def test_the_longest_line_with_its_reply_is_the_conversation(tmp_path: Path) -> None:
    more = [USER, REPLY, {"role": "user", "content": [{"type": "text", "text": "And 5?", "cache_control": {}}]}]
    file = json_lines(
        tmp_path / "s.jsonl",
        {"messages": [USER]},
        {"request": {"messages": more, "system": "Brief.", "tools": [{"name": "look"}]}, "response": REPLY},
        {"messages": [{"role": "user", "content": "A title, please."}]},
    )
    found = read_transcript(file)
    noted = {"role": "assistant", "content": [{"type": "text", "text": "Noted."}]}
    asked = {"role": "user", "content": [{"type": "text", "text": "And 5?"}]}
    assert found == Transcript([USER, noted, asked, noted], "Brief.", [{"name": "look"}])
    assert read_transcript(file, 1).messages == [USER]


def test_a_call_without_its_result_is_left_out_at_the_end(tmp_path: Path) -> None:
    file = json_lines(tmp_path / "s.jsonl", {"request": {"messages": [USER]}, "response": {"content": [USE]}})
    assert read_transcript(file).messages == [USER]


@pytest.mark.parametrize(
    ("lines", "code"),
    [
        ([], "empty-transcript"),
        ([5], "bad-transcript"),
        ([{"prompt": "x"}], "bad-transcript"),
        ([{"messages": [{"role": "system", "content": "x"}]}], "bad-transcript"),
        ([{"messages": [{"role": "user", "content": ["x"]}]}], "bad-transcript"),
        ([{"messages": [USER, {"role": "assistant", "content": [USE]}, USER]}], "unpaired-tool-use"),
    ],
)
def test_what_is_no_log_of_requests_is_named(tmp_path: Path, lines: list[Any], code: str) -> None:
    with refused(code):
        read_transcript(json_lines(tmp_path / "s.jsonl", *lines))


def test_a_missing_file_is_named() -> None:
    with refused("no-transcript"):
        transcript("nowhere.jsonl")


def test_the_place_of_a_text_is_the_share_of_tokens_before_its_turn() -> None:
    result = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "It is\n free"}]}
    made = Transcript([USER, {"role": "assistant", "content": [USE]}, {"role": "user", "content": [result]}])
    depths = [made.depth_of(text) for text in ("berth 4", "nine", "it is free", "never")]
    assert depths[0] == 0
    assert depths[3] is None
    assert depths == [0, *sorted(depths[1:3]), None]  # type: ignore[type-var]


PROBE = Probe("Which day?", accept=("23", ("march", "third")), stale=("6",))


@pytest.mark.parametrize(
    ("reply", "grade"),
    [
        ("Day 23.", "kept"),
        ("On 23, I think", "kept"),
        ("The third of March.", "kept"),
        ("March", "invented"),
        ("It was 6 and is 23.", "stale"),
        ("6.", "stale"),
        ("2,300", "invented"),
        ("1.23", "invented"),
        ("day 236", "invented"),
        ("Not known.", "lost"),
        ("The conversation does not say.", "lost"),
    ],
)
def test_answers_are_kept_stale_lost_or_invented(reply: str, grade: str) -> None:
    assert PROBE.grade(reply) == grade


@pytest.mark.parametrize(
    "given",
    [
        {"accept": "x"},
        {"question": " ", "accept": "x"},
        {"question": "?"},
        {"question": "?", "accept": []},
        {"question": "?", "accept": [["a", 1]]},
        {"question": "?", "accept": "a", "stale": "b"},
        {"question": "?", "accept": "a", "kind": 5},
    ],
)
def test_a_probe_that_cannot_be_asked_is_refused(given: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"\w"):
        Probe.of(given)


def test_a_probe_of_a_case_has_what_the_case_says() -> None:
    given = {"id": "a", "question": "?", "accept": ["x", ["y", "z"]], "stale": ["w"], "kind": "file", "evidence": "e"}
    assert Probe.of(given) == Probe("?", ("x", ("y", "z")), ("w",), "file", "e")


@pytest.mark.parametrize("target", ["outside/s.jsonl", ".env", "/dev/zero", "/dev/stdin"])
def test_a_transcript_follows_no_link_out_of_the_project(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str
) -> None:
    """docs/security.md, links-read: what it has would be sent, and shown on the page."""
    project = tmp_path / "project"
    (project / "tests").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    (project / "pytest.ini").write_text("[pytest]")
    for place in (tmp_path / "outside/s.jsonl", project / ".env", project / "s.jsonl"):
        json_lines(place, {"messages": [USER]})
    link = project / "tests/linked.jsonl"
    link.symlink_to({"outside/s.jsonl": tmp_path, ".env": project}.get(target, Path("/")) / target)
    with pytest.raises(UserError, match="leads-outside"):
        read_transcript(link, caller=project / "tests")
    monkeypatch.chdir(project)
    with pytest.raises(UserError, match="leads-outside"):
        read_transcript(Path("tests/linked.jsonl"))
    link.unlink()
    link.symlink_to("../s.jsonl")
    assert read_transcript(link).messages == [USER]
    assert read_transcript(tmp_path / "outside/s.jsonl").messages == [USER]  # the code names it


@pytest.mark.parametrize(
    ("accepted", "reply"),
    [
        ("8公里", "他每天跑8公里。"),
        ("42", "价格是42元。"),
        ("กรุงเทพ", "เขาอยู่ที่กรุงเทพครับ"),
        ("café", "the cafe\u0301 on the corner"),
        ("Anna's", "It is Anna\u2019s."),
        ("4-11", "berth 4\u201111"),
        ("1200", "It costs 1,200 crowns."),
        ("1,200", "It costs 1200 crowns."),
        ("7", "It is \u200b7\u200b."),
    ],
)
def test_what_looks_alike_is_alike(accepted: str, reply: str) -> None:
    assert Probe.of({"question": "?", "accept": [accepted]}).grade(reply) == "kept"


@pytest.mark.parametrize(
    ("accepted", "reply"), [("4", "47"), ("4", "4.5"), ("200", "1,200"), ("run", "runs"), ("8", "价格是18元")]
)
def test_a_part_of_a_word_or_number_is_not_named(accepted: str, reply: str) -> None:
    assert Probe.of({"question": "?", "accept": [accepted]}).grade(reply) == "invented"


def test_an_old_answer_in_chinese_is_stale() -> None:
    probe = Probe.of({"question": "?", "accept": ["10公里"], "stale": ["8公里"]})
    assert probe.grade("他每天跑8公里。") == "stale"
