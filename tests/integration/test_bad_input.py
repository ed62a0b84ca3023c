"""Each mistake is one sentence that says what to do, a non-zero exit, and nothing written over."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.integration.conftest import LINES, PASSKEY, Checkout, Result
from tests.servers import SimulatedServer, failing

NO_RETRIES = """\
import longctx.live.server.client, longctx.live.limiter

longctx.live.server.client.RETRIES = 0
longctx.live.attempts.ATTEMPTS = {}
"""
"""A pytest plugin that turns off retries, so that a server that is down fails at once."""


def content(checkout: Checkout) -> dict[Path, bytes]:
    """Return the content of all files of the checkout that runs should leave alone."""
    paths = (path for path in checkout.folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    return {
        path: path.read_bytes()
        for path in paths
        if path.name not in ("stdout", "stderr", ".lock") and "reports" not in path.parts
    }


def mistaken(checkout: Checkout, *arguments: str, profile: str | None = "tiny.toml") -> Result:
    """Run pytest, which must fail without a traceback and leave all files as they were; return its result."""
    before = content(checkout)
    result = checkout.pytest(*arguments, profile=profile)
    assert result.code != 0
    assert result.says(), result.out + result.err
    assert content(checkout) == before
    return result


OPTIONS = [
    ("--ctx-profile=tinny", "[unknown-profile]"),
    ("--ctx-profile=none.toml", "[unknown-profile]"),
    ("--ctx-record=sometimes", "argument --ctx-record: invalid choice: 'sometimes'"),
    ("--ctx-concurrency=0", "[bad-number]"),
    ("--ctx-prompts=sead", "[unknown-prompt-set]"),
    ("--ctx-report=tiny.toml", "[path-is-file]"),
    ("--ctx-report=tiny.toml/run", "[path-is-file]"),
    ("--ctx-modle=toy", "unrecognized arguments: --ctx-modle=toy"),
]


@pytest.mark.parametrize(("option", "sentence"), OPTIONS, ids=[option for option, _ in OPTIONS])
def test_an_option(checkout: Checkout, option: str, sentence: str) -> None:
    result = mistaken(checkout, option)
    assert result.code == 4
    assert result.says(sentence)


@pytest.mark.parametrize(
    ("profile", "sentence"),
    [
        (LINES.replace("trials", "trails"), "line_retrieval.trails: no such entry. Did you mean 'trials'?"),
        ("[line_retrieval\n", "[not-toml]"),
        ("[frequent_words]\ntrials = 2\nwindows = [1000]\nalphas = []\n", "[no-cell-left]"),
    ],
)
def test_a_profile(checkout: Checkout, profile: str, sentence: str) -> None:
    """tests/engine/test_plan.py has more of them."""
    checkout.profile(profile)
    result = mistaken(checkout)
    assert result.code == 4
    assert result.says(sentence)


def test_a_model_profile(checkout: Checkout) -> None:
    checkout.file("fixtures/models/toy.toml").write_text('windw = 9\nextra_body = "none"\n')
    result = mistaken(checkout)
    assert result.code == 4
    assert result.says("[bad-entries]", "toy.toml", " windw: ", " extra_body: ")


def test_neither_a_key_nor_a_cassette(checkout: Checkout) -> None:
    assert mistaken(checkout).says("2 of 2 trials have no recording", "run this again with --ctx-record once")
    result = mistaken(checkout, "--ctx-record=once")
    assert result.code == 4
    assert result.says("[no-api-key]")


@pytest.mark.parametrize("url", ["localhost:8080", "notaurl", "http://h:port"])
def test_a_base_url_that_is_none(checkout: Checkout, url: str) -> None:
    result = mistaken(checkout, "--ctx-record=once", f"--ctx-base-url={url}")
    assert result.code == 4
    assert result.says(f"'{url}'", "[bad-base-url]")


@pytest.mark.parametrize("tables", [LINES, PASSKEY], ids=["line_retrieval", "passkey"])
@pytest.mark.parametrize("workers", ["-n0", "-n1"])
def test_the_server_is_down(checkout: Checkout, tables: str, workers: str) -> None:
    checkout.profile(tables)
    checkout.file("no_retries.py").write_text(NO_RETRIES)
    with SimulatedServer() as server:
        down = server.url
    result = mistaken(checkout, "-p", "no_retries", "--ctx-record=once", f"--ctx-base-url={down}", workers)
    assert result.code == 4
    assert result.says(f"No connection to {down} (", "is the server running?")


def test_the_server_goes_down_on_the_way(checkout: Checkout, server: SimulatedServer) -> None:
    """The answered trials are kept and tested; the others say why they were not asked."""
    checkout.file("no_retries.py").write_text(NO_RETRIES)
    right = server.script
    server.script = lambda body: right(body) if len(server.asked) < 3 else failing(401, "key expired")(body)
    result = checkout.record(server, "-p", "no_retries", "--ctx-concurrency=1")
    assert result.code == 1
    assert result.says("Asked 2 of 4 trials: ", "answered 401: key expired. Check ANTHROPIC_API_KEY", "1 passed")
    assert checkout.episodes() == 2


@pytest.mark.parametrize(
    ("status", "sentence"), [(401, "Check ANTHROPIC_API_KEY, or"), (404, "Check --ctx-model and --ctx-base-url.")]
)
def test_the_server_refuses(checkout: Checkout, server: SimulatedServer, status: int, sentence: str) -> None:
    server.script = failing(status, "not you")
    result = mistaken(checkout, "--ctx-record=once", f"--ctx-base-url={server.url}")
    assert result.code == 4
    assert result.says(f"{server.url} answered {status}: not you. {sentence}")
    assert not checkout.file("reports").exists()


def test_an_answer_that_cannot_be_read(checkout: Checkout, server: SimulatedServer) -> None:
    """The answer nests deeper than Python reads; the other trials are measured."""
    checkout.file("no_retries.py").write_text(NO_RETRIES)
    deep = b"[" * 100_000 + b"]" * 100_000
    right = server.script
    server.script = lambda body: (200, {}, deep) if len(server.asked) == 1 else right(body)
    result = checkout.record(server, "-p", "no_retries", "--ctx-concurrency=1")
    assert result.code == 1
    assert result.says("Asked 3 of 4 trials", "is not a Messages API message (its JSON is nested too deeply)")
    assert not result.says("RecursionError")
    assert [row["error"] for row in checkout.rows() if row["error"]] == ["malformed_answer"]


def test_a_window_smaller_than_the_prompts_fixed_text(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.profile(PASSKEY)
    checkout.record(server)
    checkout.profile(PASSKEY.replace("256", "64"))
    for record in ("none", "once"):
        result = mistaken(checkout, f"--ctx-record={record}", f"--ctx-base-url={server.url}")
        assert result.says("64", "[cell-not-buildable]")


def test_a_models_window_smaller_than_the_cell(checkout: Checkout, server: SimulatedServer) -> None:
    checkout.file("fixtures/models/toy.toml").write_text("window = 150\n")
    for record in ("none", "once"):
        result = mistaken(checkout, f"--ctx-record={record}", f"--ctx-base-url={server.url}")
        assert result.says("175", "150", "[window-too-small]")
    assert not server.asked


def test_a_window_that_only_the_server_knows(checkout: Checkout, server: SimulatedServer) -> None:
    server.window = 150
    result = checkout.record(server)
    assert result.code == 1
    assert result.says("175", "150", "[window-too-small]")
    assert {row["outcome"] for row in checkout.rows()} == {"not_asked"}
    assert not server.asked
    assert "window = 150" in checkout.file("fixtures/models/toy.toml").read_text()


@pytest.mark.parametrize("record", ["none", "once"])
def test_a_corrupt_cassette(recorded: Checkout, server: SimulatedServer, record: str) -> None:
    file = recorded.file("cassettes/toy/line_retrieval/lines-3.jsonl")
    file.write_bytes(b"no episode\n" + file.read_bytes())
    result = mistaken(recorded, f"--ctx-record={record}", f"--ctx-base-url={server.url}")
    assert result.says("lines-3.jsonl, line 1", "[bad-episode]")


@pytest.mark.parametrize("record", ["none", "once"])
def test_cassettes_with_conflict_markers(recorded: Checkout, server: SimulatedServer, record: str) -> None:
    """All such cassettes are named at once, even if only one of them is measured; without the markers all replay."""
    files = [recorded.file(f"cassettes/toy/line_retrieval/lines-{lines}.jsonl") for lines in (3, 5)]
    for file in files:
        first, second = file.read_bytes().splitlines(keepends=True)
        file.write_bytes(
            b"<<<<<<< HEAD\n" + first + b"||||||| 1a2b\n" + first + b"=======\n" + second + b">>>>>>> mine\n"
        )
    result = mistaken(recorded, f"--ctx-record={record}", f"--ctx-base-url={server.url}", "-k", "lines-3")
    assert result.says(
        "cassettes/toy/line_retrieval/lines-3.jsonl, cassettes/toy/line_retrieval/lines-5.jsonl.",
        "[cassettes-in-conflict]",
    )
    for file in files:
        kept = [line for line in file.read_bytes().splitlines(keepends=True) if line.startswith(b"{")]
        file.write_bytes(b"".join(kept))
    assert recorded.pytest().code == 0
    assert not server.asked


@pytest.mark.parametrize("place", ["toy/line_retrieval/lines-3.jsonl", "toy"])
@pytest.mark.parametrize("record", ["none", "all"])
def test_something_else_in_a_cassettes_place(
    checkout: Checkout, server: SimulatedServer, record: str, place: str
) -> None:
    """The mistake is reported before anything is asked; the cassette is not taken for a missing one."""
    path = checkout.file(f"cassettes/{place}")
    path.parent.mkdir(parents=True)
    path.write_text("") if place == "toy" else path.mkdir()
    result = mistaken(checkout, f"--ctx-record={record}", f"--ctx-base-url={server.url}")
    assert result.says(place, "[path-is-file]" if place == "toy" else "[path-is-folder]")
    assert not result.says("no recording in cassettes/toy/line_retrieval/lines-3.jsonl")
    assert not server.asked


@pytest.mark.parametrize("table", [LINES.replace("toy", ".."), LINES.replace("toy", ""), "a = " + "[" * 100_000])
def test_a_profile_of_a_stranger(checkout: Checkout, table: str) -> None:
    """docs/security.md, names; docs/security.md, deep-nesting."""
    checkout.profile(table)
    result = checkout.pytest("-n1")
    assert result.code != 0
    assert result.says("[bad-name]") or result.says("[not-toml]")


def test_pytest_settings_that_are_nested_too_deeply(checkout: Checkout) -> None:
    """docs/security.md, deep-nesting."""
    checkout.file("pytest.ini").unlink()
    checkout.file("pyproject.toml").write_text("a = " + "[" * 100_000)
    assert checkout.longctx("models", "batches", "list").says("[bad-pytest-file]")
