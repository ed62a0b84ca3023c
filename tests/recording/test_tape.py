"""The tape: what it finds, what each record mode asks, that all answers are recorded, and by one run at a time."""

from __future__ import annotations

import contextlib
import dataclasses
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from vcr.serialize import deserialize
from vcr.serializers import jsonserializer

from longctx.cells.cell import Trial
from longctx.recording.request import Place
from longctx.recording.tape import Tape, TapeError, only_writer
from tests.recording.examples import AT, LATER, answer, line_cell, place, recorded
from tests.refusals import refused
from tests.servers import message

CELL = line_cell()
ONE, TWO = place(CELL, 0), place(CELL, 1)
CHANGED = dataclasses.replace(ONE, sha256="0" * 64, prompt_set="other", wording="other-digest")
"""The first trial, in another wording."""


def said(tape: Tape, place: Place) -> str | None:
    reply = tape.reply(place)
    return None if reply is None else reply.text


def test_what_was_recorded_is_found(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "once", run="run 7")
    assert said(tape, ONE) is None
    tape.record(ONE, answer("42"), AT, 0.123456)
    for each in (tape, Tape(tmp_path)):
        reply = each.reply(ONE)
        assert reply is not None
        assert (reply.text, reply.recorded_at, reply.latency_s, reply.request_sha256) == ("42", AT, 0.1235, ONE.sha256)
        assert said(each, TWO) is None
    assert (tmp_path / "toy/line_retrieval/lines-5.jsonl").is_file()


def test_an_answer_is_live_only_in_the_run_that_asked(tmp_path: Path) -> None:
    Tape(tmp_path, "once", run="today").record(ONE, answer(), AT, 0)
    replies = [Tape(tmp_path, run=run).reply(ONE) for run in ("today", "tomorrow", "")]
    assert [reply and reply.live for reply in replies] == [True, False, False]
    Tape(tmp_path, "once").record(TWO, answer(), AT, 0)
    unnamed = Tape(tmp_path).reply(TWO)
    assert unnamed is not None
    assert not unnamed.live, "runs without a name are not one run"


def test_an_episode_is_of_the_model_that_was_asked(tmp_path: Path) -> None:
    """The model is known even if two profiles send the same request and the file has the other model's name."""
    file = recorded(tmp_path, CELL)
    other = line_cell(model="other")
    file.parents[1].rename(tmp_path / "other")
    tape = Tape(tmp_path, "once")
    alike = dataclasses.replace(place(other), sha256=ONE.sha256)
    assert (tape.reply(alike), tape.status(alike)) == (None, "missing")
    assert tape.response(alike) is None
    tape.record(alike, answer("other"), AT, 0)
    assert [said(each, alike) for each in (tape, Tape(tmp_path))] == ["other", "other"]


def test_an_episode_that_names_no_model_is_known_by_its_request(tmp_path: Path) -> None:
    """Older recordings are such."""
    file = recorded(tmp_path, line_cell())
    file.write_bytes(file.read_bytes().replace(b'"model":"toy",', b""))
    assert b'"model":' not in file.read_bytes()
    assert [Tape(tmp_path).status(each) for each in (ONE, CHANGED)] == ["found", "stale"]


def test_a_changed_request_is_stale_and_never_answered(tmp_path: Path) -> None:
    recorded(tmp_path, line_cell(trials=1))
    tape = Tape(tmp_path)
    assert [tape.status(place) for place in (ONE, CHANGED, TWO)] == ["found", "stale", "missing"]
    assert tape.reply(CHANGED) is None
    known = {"prompt_set": "protocol", "digest": CELL.wording.digest, "headers": ""}
    assert tape.recorded_wording(CHANGED) == known
    assert tape.recorded_wording(TWO) == {}


@pytest.mark.parametrize(
    ("mode", "asks"),
    [
        ("none", []),
        ("once", ["missing"]),
        ("new_episodes", ["stale", "missing"]),
        ("all", ["found", "stale", "missing"]),
    ],
)
def test_what_each_record_mode_asks(tmp_path: Path, mode: str, asks: list[str]) -> None:
    recorded(tmp_path, line_cell(trials=1))
    tape = Tape(tmp_path, mode)
    assert [tape.status(place) for place in (ONE, CHANGED, TWO) if tape.asks_request(place)] == asks


def test_both_wordings_of_a_trial_are_kept(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "new_episodes")
    tape.record(ONE, answer("first"), AT, 0)
    tape.record(CHANGED, answer("second"), LATER, 0)
    assert [said(Tape(tmp_path), place) for place in (ONE, CHANGED)] == ["first", "second"]


def test_a_request_is_compared_with_the_recording_of_its_prompt_set(tmp_path: Path) -> None:
    """With the latest recording if its prompt set has none."""
    tape = Tape(tmp_path, "new_episodes")
    changed = dataclasses.replace(CHANGED, parts="system=2")
    tape.record(dataclasses.replace(ONE, parts="system=1"), answer("first"), AT, 0)
    tape.record(changed, answer("second"), LATER, 0)
    for prompt_set, of, parts in (
        ("protocol", "protocol", "system=1"),
        ("other", "other", "system=2"),
        ("new", "other", "system=2"),
    ):
        place = dataclasses.replace(ONE, sha256="3", prompt_set=prompt_set)
        assert Tape(tmp_path).recorded_wording(place)["prompt_set"] == of
        assert Tape(tmp_path).recorded_parts(place) == parts


def test_the_newest_episode_wins(tmp_path: Path) -> None:
    for text, at in (("old", AT), ("new", LATER)):
        tape = Tape(tmp_path, "all")
        tape.record(ONE, answer(text), at, 0)
    assert said(tape, ONE) == said(Tape(tmp_path), ONE) == "new"


def test_of_two_in_the_same_second_the_later_wins(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "all")
    for text in ("first", "second"):
        tape.record(ONE, answer(text), AT, 0)
    assert said(tape, ONE) == said(Tape(tmp_path), ONE) == "second"


@given(st.permutations(range(4)), st.lists(st.integers(0, 3)))
def test_files_merged_by_union_say_the_same_in_any_order(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], twice: list[int]
) -> None:
    """git may reorder and repeat lines."""
    folder = tmp_path_factory.mktemp("tape")
    tape = Tape(folder, "all")
    for each, text, at in ((ONE, "old", AT), (ONE, "new", LATER), (TWO, "two", AT), (CHANGED, "changed", AT)):
        tape.record(each, answer(text), at, 0)
    file = folder / CELL.file
    lines = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(b"".join(lines[index] for index in [*order, *twice]))
    merged = Tape(folder)
    assert [said(merged, place) for place in (ONE, TWO, CHANGED)] == ["new", "two", "changed"]
    assert merged.recorded_wording(ONE)["prompt_set"] == "protocol"


def test_a_file_cut_short_at_any_byte_loses_only_its_last_answer(tmp_path: Path) -> None:
    """After kill -9 in the middle of a line, the lost answer is asked again and appended, and nothing else is lost."""
    tape = Tape(tmp_path / "whole", "once")
    tape.record(ONE, answer("one \u2028 \U0001f642"), AT, 0)
    tape.record(TWO, answer("two \u2028 \U0001f642"), AT, 0)
    whole = (tmp_path / "whole" / CELL.file).read_bytes()
    first, last = whole.splitlines(keepends=True)
    file = tmp_path / "cut" / CELL.file
    file.parent.mkdir(parents=True)
    for length in range(len(last)):
        file.write_bytes(first + last[:length])
        complete = length == len(last) - 1  # only its newline is missing
        tape = Tape(tmp_path / "cut", "once")
        assert [tape.asks_request(place) for place in (ONE, TWO)] == [False, not complete]
        assert tape.cut_short == (set() if complete or length == 0 else {file})
        assert file.read_bytes() == first + last[:length]
        tape.record(CHANGED, answer("changed"), AT, 0)
        again = Tape(tmp_path / "cut")
        assert [said(again, place) for place in (ONE, CHANGED)] == ["one \u2028 \U0001f642", "changed"]
        assert (again.status(TWO) == "found") == complete
        assert not again.cut_short


def test_a_long_last_line_that_was_cut_short_is_cut_off(tmp_path: Path) -> None:
    file = recorded(tmp_path, line_cell(trials=1))
    before = file.read_bytes()
    file.write_bytes(before + b'{"version":1' + b" " * 200_000)
    Tape(tmp_path, "once").record(TWO, answer("two"), AT, 0)
    assert file.read_bytes().startswith(before)
    assert file.read_bytes().count(b"\n") == 2
    assert said(Tape(tmp_path), TWO) == "two"


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "=======",
        "[" * 100_000,
        "[]",
        "null",
        "{}",
        '{"version":1,"interactions":[]}',
        '{"version":1,"interactions":[],"metadata":{"sent_again":[1],"replaced":[],"model":"","prompt_set":"",'
        '"wording":""}}',
        "\\ud800",
        '{"version":1,"interactions":[{"request":{},"response":{}}],"metadata":{}}',
    ],
)
def test_a_line_that_is_no_episode_is_named_and_left_alone(tmp_path: Path, line: str) -> None:
    file = recorded(tmp_path, CELL)
    first, second = file.read_bytes().splitlines(keepends=True)
    file.write_bytes(first + line.encode() + b"\n" + second)
    before = file.read_bytes()
    with refused("bad-episode", "lines-5.jsonl, line 2"):
        Tape(tmp_path).reply(TWO)
    with refused("bad-episode", "line 2"):
        Tape(tmp_path, "once").record(TWO, answer(), AT, 0)
    assert file.read_bytes() == before


def test_a_file_that_cannot_be_read_is_not_taken_for_its_first_lines(tmp_path: Path) -> None:
    """The cells of several prompt sets share a file, and each must report the damage."""
    file = recorded(tmp_path, CELL)
    file.write_bytes(file.read_bytes() + b"{}\n")
    tape = Tape(tmp_path)
    for _ in range(2):
        with refused("bad-episode", "line 3"):
            tape.reply(ONE)


PARTS = [
    "request",
    "response",
    "body",
    "string",
    "headers",
    "status",
    "code",
    "metadata",
    "trial",
    "model",
    "wording",
    "recorded_at",
    "latency_s",
    "run",
]


@pytest.mark.parametrize("part", PARTS)
@pytest.mark.parametrize("value", ["gone", None, 3, "text", [], {}])
def test_an_episode_with_a_wrong_part_is_an_error_or_is_unused(tmp_path: Path, part: str, value: object) -> None:
    """Any edit by hand leads to a UserError, no answer, or an answer, and never to another error."""

    def change(node: object) -> None:
        if isinstance(node, dict) and part in node:
            node[part] = value
            if value == "gone":
                del node[part]
        for inner in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
            change(inner)

    file = recorded(tmp_path, line_cell(trials=1))
    episode = json.loads(file.read_bytes())
    change(episode)
    file.write_text(json.dumps(episode) + "\n")
    tape = Tape(tmp_path)
    with contextlib.suppress(TapeError):
        assert said(tape, ONE) in (None, "42")
        tape.recorded_wording(ONE)


def test_an_empty_line_is_no_mistake(tmp_path: Path) -> None:
    file = recorded(tmp_path, CELL)
    file.write_bytes(b"\n" + file.read_bytes().replace(b"\n", b"\n\n"))
    assert said(Tape(tmp_path), TWO) == "42"


def test_windows_line_ends_are_no_mistake(tmp_path: Path) -> None:
    file = recorded(tmp_path, CELL)
    file.write_bytes(file.read_bytes().replace(b"\n", b"\r\n"))
    assert said(Tape(tmp_path), TWO) == "42"


texts = st.text(st.characters(exclude_categories=["Cs"]))


@given(st.lists(texts, min_size=1, max_size=4))
@example(["\n", "\r\n", "\u2028\u2029\x85", "\U0001f642", "\x00\x1c", '"}\\', "\ufeff"])
def test_any_text_is_replayed_to_the_letter(tmp_path_factory: pytest.TempPathFactory, replies: list[str]) -> None:
    folder = tmp_path_factory.mktemp("tape")
    bodies = [message(text) for text in replies]
    bodies += [json.dumps(json.loads(body), ensure_ascii=False, indent=1).encode() for body in bodies]
    tape = Tape(folder, "all")
    for index, body in enumerate(bodies):
        tape.record(dataclasses.replace(ONE, trial=str(index)), answer(body), AT, 0)
    again = Tape(folder)
    for index, (body, text) in enumerate(zip(bodies, [*replies, *replies], strict=True)):
        place = dataclasses.replace(ONE, trial=str(index))
        assert said(again, place) == text
        response = again.response(place)
        assert response is not None
        assert response["body"]["string"] == body
    assert (folder / CELL.file).read_bytes().count(b"\n") == len(bodies)


def test_each_line_is_a_cassette_of_vcrpys_own(tmp_path: Path) -> None:
    file = recorded(tmp_path, CELL)
    for line, each in zip(file.read_text().splitlines(), (ONE, TWO), strict=True):
        [request], [response], metadata = deserialize(line, jsonserializer)
        assert (request.method, request.uri, request.body) == (
            "POST",
            "/v1/messages",
            b"sha256:" + each.sha256.encode(),
        )
        assert response["body"]["string"] == message("42")
        assert metadata["trial"] == each.trial


def test_answers_may_be_written_elsewhere(tmp_path: Path) -> None:
    """With LONGCTX_TEXT=0 new answers go to a folder of their own, and are found beside the earlier ones."""
    kept, private = tmp_path / "cassettes", tmp_path / "private"
    before = recorded(kept, line_cell(trials=1)).read_bytes()
    Tape(kept, "all", "run", private).record(ONE, answer("new"), LATER, 0)
    Tape(kept, "all", "run", private).record(TWO, answer("two"), LATER, 0)
    assert [said(Tape(kept, "none", "run", private), place) for place in (ONE, TWO)] == ["new", "two"]
    assert [said(Tape(kept), place) for place in (ONE, TWO)] == ["42", None]
    assert (kept / CELL.file).read_bytes() == before


def test_repeats_are_answers_of_their_own(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "once")
    for repeat in (0, 1):
        trial = Trial(CELL, 0, repeat)
        tape.record(Place.of(trial, trial.build()), answer(f"repeat {repeat}"), AT, 0)
    repeats = [Place.of(trial, trial.build()) for trial in (Trial(CELL, 0, 0), Trial(CELL, 0, 1))]
    assert repeats[0].sha256 == repeats[1].sha256
    assert [said(Tape(tmp_path), place) for place in repeats] == ["repeat 0", "repeat 1"]


def test_an_answer_of_a_batch_has_no_latency_and_says_so(tmp_path: Path) -> None:
    Tape(tmp_path, "once").record(ONE, answer(), AT, None, "msgbatch_1")
    reply = Tape(tmp_path).reply(ONE)
    assert reply is not None
    assert (reply.latency_s, reply.batched) == (None, True)
    [line] = next(iter(tmp_path.rglob("*.jsonl"))).read_text().splitlines()
    assert json.loads(line)["metadata"]["batch"] == "msgbatch_1"


def test_whether_it_was_recorded_since(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "once")
    assert not tape.recorded_since(ONE, AT)
    tape.record(ONE, answer(), AT, 0.5)
    assert [tape.recorded_since(ONE, at) for at in (AT, LATER)] == [True, False]


def numbered(sha256: str, number: int = 0, same: int = 0, after: str = "") -> Place:
    """Return a request of a trial that asks several times."""
    return dataclasses.replace(ONE, sha256=sha256 * 64, number=number, same=same, after=after)


def test_equal_requests_of_a_trial_have_answers_of_their_own(tmp_path: Path) -> None:
    tape = Tape(tmp_path, "once")
    for same in range(3):
        tape.record(numbered("a", same, same, "x" * same), answer(str(same)), AT, 1.0)
    for read in (tape, Tape(tmp_path)):
        replies = [read.reply(numbered("a", same, same)) for same in range(3)]
        assert [reply.text for reply in replies if reply] == ["0", "1", "2"]
        assert read.status(numbered("a", 3, 3)) == "missing"


@pytest.mark.parametrize(
    ("sha256", "number", "after", "status"),
    [
        ("a", 0, "", "found"),
        ("a", 5, "elsewhere", "found"),  # an answer belongs to its request, wherever it is asked
        ("b", 0, "", "stale"),
        ("b", 1, "first", "stale"),
        ("b", 1, "other", "missing"),
        ("b", 2, "first", "missing"),
    ],
)
def test_a_changed_request_is_stale_after_the_same_reply_and_missing_after_another(
    tmp_path: Path, sha256: str, number: int, after: str, status: str
) -> None:
    tape = Tape(tmp_path, "once")
    tape.record(numbered("a"), answer("1"), AT, 1.0)
    tape.record(numbered("c", 1, after="first"), answer("2"), AT, 1.0)
    asked = numbered(sha256, number, after=after)
    assert Tape(tmp_path).status(asked) == status
    for mode, wants in {
        "none": False,
        "once": status == "missing",
        "new_episodes": status != "found",
        "all": True,
    }.items():
        assert Tape(tmp_path, mode).asks_request(asked) == wants


def test_all_plays_what_its_own_run_recorded_and_nothing_else(tmp_path: Path) -> None:
    request = numbered("a")
    Tape(tmp_path, "once", run="earlier").record(request, answer("1"), LATER, 1.0)
    tape = Tape(tmp_path, "all", run="now")
    assert not tape.uses_recording(request)
    tape.record(request, answer("2"), AT, 1.0)  # the clock of the earlier run was ahead
    assert tape.uses_recording(request)
    reply = tape.reply(request)
    assert reply is not None
    assert (reply.text, reply.live) == ("2", True)


@given(st.permutations(range(5)), st.lists(st.integers(0, 4)))
def test_what_a_run_set_out_to_send_again_has_no_earlier_answer_in_any_order_of_lines(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], twice: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("tape")
    first = Tape(folder, "once", run="first")
    for each in (ONE, TWO, CHANGED):
        first.record(each, answer("old"), LATER, 0)  # the clock of the first run was ahead
    again = Tape(folder, "all", run="again")
    again.set_out_to_send([CELL])
    assert said(Tape(folder), TWO) == "old", "nothing was answered yet"
    again.record(ONE, answer("new"), AT, 0)
    file = folder / CELL.file
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 5
    file.write_bytes(b"".join(lines[index] for index in [*order, *twice]))
    merged = Tape(folder, "once", run="later")
    assert [said(merged, each) for each in (ONE, TWO, CHANGED)] == ["new", None, "old"]
    assert (merged.status(TWO), merged.asks_request(TWO), merged.was_not_sent_again(TWO)) == ("missing", True, True)
    assert not merged.was_not_sent_again(ONE)
    merged.record(TWO, answer("sent again"), AT, 0)
    assert said(Tape(folder), TWO) == "sent again"


@given(st.permutations(range(4)), st.lists(st.integers(0, 3)))
def test_what_a_gate_was_settled_without_is_left_out_until_it_is_sent_again_in_any_order_of_lines(
    tmp_path_factory: pytest.TempPathFactory, order: list[int], twice: list[int]
) -> None:
    folder = tmp_path_factory.mktemp("tape")
    one, two = CELL.each_trial()
    gate = Tape(folder, "once", run="gate")
    gate.record(ONE, answer("old"), AT, 0)
    gate.leave_out([two])
    assert not Tape(folder).left_out(two), "it was not asked in looks"
    gate.looks = "few"
    gate.leave_out([two])
    assert [Tape(folder).left_out(trial) for trial in (one, two)] == [False, True]
    again = Tape(folder, "all", run="again")
    again.looks = "few"
    again.set_out_to_send([CELL])
    again.record(ONE, answer("new"), AT, 0)
    assert not Tape(folder).left_out(two), "the run may be killed"
    again.leave_out([two])
    file = folder / CELL.file
    lines = file.read_bytes().splitlines(keepends=True)
    assert len(lines) == 5
    file.write_bytes(b"".join(lines[index] for index in [*order, *twice]))
    assert not Tape(folder).left_out(two)
    file.write_bytes(b"".join(lines[index] for index in [4, *order, *twice]))
    assert Tape(folder).left_out(two)


@pytest.mark.parametrize("mode", ["once", "new_episodes"])
def test_other_modes_replace_nothing(tmp_path: Path, mode: str) -> None:
    Tape(tmp_path, "once", run="first").record(ONE, answer("old"), AT, 0)
    later = Tape(tmp_path, mode, run="later")
    later.set_out_to_send([CELL])
    later.record(TWO, answer(), AT, 0)
    assert said(Tape(tmp_path), ONE) == "old"


@pytest.mark.parametrize("content", [b"", b"[]", b'{"input_tokens": true}', b"[" * 10_000])
def test_a_count_that_cannot_be_used_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    request = dataclasses.replace(numbered("a"), counts=True)
    tape = Tape(tmp_path, "once")
    tape.record(request, answer(content), AT, None)
    with pytest.raises(TapeError, match=r"cannot be used: .* Delete its line"):
        tape.count(request)


HOLD = """
import os, sys, pathlib
import pytest

from longctx.recording.tape import only_writer
with only_writer(pathlib.Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.readline()
"""


def test_a_second_run_is_refused_until_the_first_ends_or_is_killed(tmp_path: Path) -> None:
    first = subprocess.Popen(
        [sys.executable, "-c", HOLD, tmp_path / "c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert first.stdout is not None
    assert first.stdout.readline() == "held\n"
    with refused("recording-locked", tmp_path / "c"), only_writer(tmp_path / "c"):
        pass
    first.kill()
    first.communicate()
    with only_writer(tmp_path / "c"):
        pass
    with only_writer(tmp_path / "c"):
        pass


def test_a_folder_that_cannot_be_written_to_is_no_matter_yet(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with only_writer(tmp_path / "file" / "c"):
        pass


def _link(lock: Path) -> None:
    lock.symlink_to(lock.with_name("elsewhere"))


@pytest.mark.parametrize("spoil", [_link, os.mkdir])
def test_a_folder_that_cannot_be_locked_is_refused_unless_the_user_goes_without(
    tmp_path: Path, spoil: Callable[[Path], object]
) -> None:
    spoil(tmp_path / ".lock")
    with refused("not-lockable", tmp_path / ".lock", "two runs could pay", "lock = false"), only_writer(tmp_path):
        pass
    assert not (tmp_path / "elsewhere").exists()
    with only_writer(tmp_path, lock=False):
        pass
