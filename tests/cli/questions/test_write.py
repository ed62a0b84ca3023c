"""`longctx data questions write`, in one process, with a simulated server that writes as models do."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from longctx.cli import main
from longctx.corpus.question_bank import load_questions
from longctx.workspace import Workspace
from tests.cli.questions.examples import district_of, notice, tagged, writer
from tests.corpus.examples import write_folder
from tests.given import served
from tests.servers import Body, SimulatedServer, message, saying

DISTRICTS = 4


def sloppy(body: Body) -> tuple[int, dict[str, str], bytes]:
    """Return the questions in lower case, with text around them, other bullets, and one that cannot be used."""
    status, headers, answer = writer(body)
    text = json.loads(answer)["content"][0]["text"].replace("Question", "question").replace("1. ", "1) ")
    text = text.replace("2. ", "2) ").replace("3. ", "3) ").replace("4. ", "4) ").replace("</Answers 1>", "")
    return status, headers, message(f"Sure!\n{text}<Question 2>Again?</Question 2>Done.", body)


@pytest.fixture
def documents(tmp_path: Path) -> Path:
    files = {f"d{n}.txt": notice(n) for n in range(1, DISTRICTS + 1)}
    return write_folder(tmp_path / "docs", {**files, "corpus.toml": "min_tokens = 0"})


@pytest.fixture
def cassettes(within_mine: Workspace) -> Path:
    return within_mine.cassettes / "toy" / "writing" / "per_section-2.jsonl"


server = served(writer)


def command(documents: Path, *more: object) -> list[str]:
    out = documents.parent / "mine.jsonl"
    given = {"--corpus": documents, "--model": "toy", "--out": out, "--per-section": 2}
    options = (part for name, value in given.items() if name not in more for part in (name, value))
    return ["data", "questions", "write", *map(str, (*options, *more))]


def record(documents: Path, server: SimulatedServer, *more: object, mode: str = "once") -> int:
    return main(command(documents, "--record", mode, "--base-url", server.url, *more))


def test_written_recorded_and_replayed_without_a_server(
    documents: Path, cassettes: Path, server: SimulatedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record(documents, server) == 0
    printed = capsys.readouterr().out
    assert "writing on toy: 4 of 4 trials need a request" in printed
    assert re.search(r"questions requested +8\n", printed)
    assert re.search(r"questions written +8 +\S+mine\.jsonl", printed)
    assert re.search(r"questions missing from the replies +0\n", printed)
    assert re.search(r"numerical +4\n", printed)
    assert printed.endswith(f"questions check {documents.parent / 'mine.jsonl'} --corpus {documents}\n")
    out = documents.parent / "mine.jsonl"
    asked = load_questions(out).questions
    assert [question.id for question in asked] == [f"d{n}-q{place}" for n in range(1, 5) for place in (1, 2)]
    assert re.fullmatch(r"written by toy, prompts protocol \(\w{12}\), recorded 20\d\d-\d\d-\d\d", asked[0].provenance)
    assert not out.with_name("mine.dropped.jsonl").exists()
    assert len({body["messages"][0]["content"].partition("<Passage>\nThe Harbor")[0] for body in server.asked}) == 1

    first, tape = out.read_bytes(), cassettes.read_bytes()
    out.unlink()
    assert main(command(documents)) == 0
    assert (out.read_bytes(), cassettes.read_bytes()) == (first, tape)
    assert len(server.asked) == DISTRICTS


def test_only_what_is_new_is_asked(documents: Path, cassettes: Path, server: SimulatedServer) -> None:
    """--limit, a new document before the others, and one that changed."""
    assert record(documents, server, "--limit", 2) == 0
    assert sorted(map(district_of, server.asked)) == [1, 2]
    (documents / "a.txt").write_text(notice(9))
    assert record(documents, server) == 0
    assert sorted(district_of(body) for body in server.asked[2:]) == [3, 4, 9]
    (documents / "d2.txt").write_text(notice(2) + "Dogs stay out.")
    assert record(documents, server, "--force") == 0
    assert len(server.asked) == 6
    assert len(load_questions(documents.parent / "mine.jsonl").questions) == 10


def test_sloppy_replies_are_read_and_what_is_dropped_is_kept(
    documents: Path, cassettes: Path, server: SimulatedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = sloppy
    assert record(documents, server) == 0
    assert re.search(
        r"parts of replies dropped +4 +\S+mine\.dropped\.jsonl\n +a number used twice +4\n", capsys.readouterr().out
    )
    assert len(load_questions(documents.parent / "mine.jsonl").questions) == 8
    lines = (documents.parent / "mine.dropped.jsonl").read_text().splitlines()
    assert json.loads(lines[0]) == {
        "section": "d1", "reason": "a number used twice", "raw": "<Question 2>Again?",
    }  # fmt: skip
    server.script = writer
    assert record(documents, server, "--force", mode="all") == 0
    assert not (documents.parent / "mine.dropped.jsonl").exists()


@pytest.mark.parametrize(
    "hostile",
    [
        "x" * 100_000,
        "</Answers 1></script><Question 9>",
        "\u202e\x1b[2J\ud800",
        "\u2028\x85\x1e",
    ],
    ids=["long", "tags", "hidden", "line ends"],
)
def test_hostile_replies_never_break_the_files(
    documents: Path, cassettes: Path, server: SimulatedServer, hostile: str, capsys: pytest.CaptureFixture[str]
) -> None:
    bad = tagged(1, "What?", hostile, f"{hostile} a", "b", "c") + hostile
    server.script = lambda body: saying(bad)(body) if district_of(body) == 1 else writer(body)
    assert record(documents, server) == 0
    loaded = load_questions(documents.parent / "mine.jsonl").questions
    assert {question.section for question in loaded} >= {"d2", "d3", "d4"}
    for line in (documents.parent / "mine.dropped.jsonl").read_bytes().splitlines():
        assert json.loads(line)["section"] == "d1"
    assert main(command(documents)) == 0, "and nothing is to force"
    assert "\x1b" not in capsys.readouterr().out


def test_without_any_usable_question_no_file_is_written(
    documents: Path, cassettes: Path, server: SimulatedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    server.script = saying("I would rather not.", stop_reason="refusal")
    assert record(documents, server) == 1
    printed = capsys.readouterr().out
    assert re.search(r"questions missing from the replies +8\n", printed)
    assert re.search(r"parts of replies dropped +4 .*\n +refused +4\n", printed)
    assert "faults found" not in printed, "nothing was checked"
    out, dropped = documents.parent / "mine.jsonl", documents.parent / "mine.dropped.jsonl"
    assert f"{out} was not written: no reply is usable. They are in {dropped}; the first: “I would" in printed
    assert "Fix: another model; another wording (--prompts DIR, with your own writing/). Record again" in printed
    assert "Next:" not in printed
    server.script = saying("<Question 1>Where do", stop_reason="max_tokens")
    assert record(documents, server, mode="all") == 1
    assert "Fix: a longer reply (--max-tokens, 1200 now); another model;" in capsys.readouterr().out
    assert not out.exists()
    assert len((documents.parent / "mine.dropped.jsonl").read_text().splitlines()) == DISTRICTS


def test_nothing_is_asked_unless_said(
    documents: Path, cassettes: Path, server: SimulatedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(command(documents, "--base-url", server.url)) == 2
    assert "[no-section-answered]" in capsys.readouterr().err
    assert main(command(documents, "--base-url", server.url, "--estimate")) == 0
    said = capsys.readouterr().out
    assert said.startswith("Price not known, for 4 trials; nothing was sent.")
    assert re.search(r"^writing +unknown +4 of 4 ", said, re.MULTILINE)
    assert not server.received
    assert record(documents, server, "--limit", 3) == 0
    assert main(command(documents)) == 1
    assert "1 of 4 sections have no answer. Record with --record once" in capsys.readouterr().out
    assert main(command(documents, "--max-tokens", 50, "--force")) == 2
    assert "changed since they were recorded: record again with --record new_episodes" in capsys.readouterr().err


def test_what_a_person_changed_is_not_written_over(
    documents: Path, cassettes: Path, server: SimulatedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert record(documents, server) == 0
    out, dropped = documents.parent / "mine.jsonl", documents.parent / "mine.dropped.jsonl"
    written = out.read_text()
    for change in (written.replace("moor", "anchor"), "".join(written.splitlines(keepends=True)[1:])):
        out.write_text(change)
        assert record(documents, server, mode="all") == 2
        assert "(d1-q1)" in (err := capsys.readouterr().err)
        assert "[questions-changed]" in err
        assert out.read_text() == change
    out.write_text("".join(written.splitlines(keepends=True)[2:]))
    dropped.write_text('{"section": "d1", "reason": "reviewer"}\n')
    assert main(command(documents)) == 2
    assert "(in mine.dropped.jsonl)" in capsys.readouterr().err
    assert len(server.asked) == DISTRICTS, "a mistake costs nothing"
    assert main(command(documents, "--force")) == 0
    assert out.read_text() == written


def test_a_cap_stops_it_and_the_rest_is_asked_later(
    documents: Path, cassettes: Path, mine: Workspace, server: SimulatedServer, capsys: pytest.CaptureFixture[str]
) -> None:
    mine.own("models", "toy.toml").write_text("[prices]\ninput=100\noutput=0\ndated=2026-01-01")
    assert record(documents, server, "--max-cost", "1.2", "--concurrency", 1) == 1
    printed = capsys.readouterr().out
    assert "the cap of $1.20 leaves no room for it" in printed
    have = len(server.asked)
    assert 0 < have < DISTRICTS
    assert len(load_questions(documents.parent / "mine.jsonl").questions) == 2 * have
    assert record(documents, server, "--max-cost", "9") == 0
    assert len(server.asked) == DISTRICTS


def test_a_window_that_is_too_small_is_reported(
    documents: Path, cassettes: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with SimulatedServer(writer, window=4096) as server:
        assert record(documents, server) == 2
        assert not server.asked
    printed = capsys.readouterr()
    assert "4 cannot be sent. The first: toy-protocol-per_section-2-d1 takes about" in printed.out
    assert "[window-too-small]" in printed.out


@pytest.mark.parametrize(
    ("more", "sentence"),
    [
        (("--per-section", 1), "[bad-number]"),
        (("--out", "mine.txt"), "[questions-not-jsonl]"),
        (("--out", "nowhere/mine.jsonl"), "[no-such-folder]"),
        (("--out", "/proc/mine.jsonl"), "[not-writable]"),
        (("--corpus", "nowhere"), "[no-documents-folder]"),
        (("--prompts", "chatty"), "[prompt-file-missing]"),
        (("--record", "once", "--base-url", "ftp:/x"), "[bad-base-url]"),
        (("--record", "once", "--max-cost", "1"), "[max-cost-without-prices]"),
    ],
)
def test_a_mistake_is_a_sentence(
    documents: Path, cassettes: Path, more: tuple[object, ...], sentence: str, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        code = main(command(documents, *more))
    except SystemExit as ended:
        code = ended.code
    assert code == 2
    assert sentence in capsys.readouterr().err
    assert not cassettes.exists()
