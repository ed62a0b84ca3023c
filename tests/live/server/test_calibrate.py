"""Calibration before asking: the model's window, and the tokens of each probe text."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from pathlib import Path

import pytest

from longctx.cells.cell import Cell
from longctx.config.file_names import file_name
from longctx.config.models import load_model
from longctx.config.prompts import PromptSet
from longctx.live.failure import Unasked
from longctx.live.server.counting import with_server_facts
from longctx.live.watch import Say
from longctx.recording.tape import Tape
from longctx.vocabulary.point import Point
from longctx.workspace import Workspace
from tests.here import HERE
from tests.live.clients import called
from tests.live.server.shapes import LITTLE_OF_MODELS, NO_COUNTS, NO_MODELS, ONE_COUNT
from tests.protocols import Coreference, FrequentWords, GraphWalks, MultipleNeedles, Passkey, VariableTracking
from tests.recording.examples import line_cell, passkey_cell
from tests.refusals import refused
from tests.servers import SimulatedServer, count_tokens, failing

NEED_A_COUNT: list[Point] = [
    Coreference(2, 4096),
    VariableTracking(4096, 1, 4),
    MultipleNeedles(4096, 8, 1, 4),
    FrequentWords(4096, 200),
    GraphWalks(4000, "parents"),
]

pytestmark = pytest.mark.usefixtures("without_retries")


@pytest.fixture(autouse=True)
def profiles(mine: Workspace) -> Path:
    """Return the folder in which token counts are kept."""
    return mine.own("models")


def calibration(url: str, *cells: Cell, tape: Path, say: Say = print) -> tuple[list[Cell], list[Unasked]]:
    project = Workspace(tape / "project")
    return called(url, lambda client: with_server_facts(project, client, cells, say), Tape(tape))


def calibrated(url: str, *cells: Cell, tape: Path) -> Sequence[Cell]:
    return calibration(url, *cells, tape=tape)[0]


def test_what_is_known_is_not_asked(tmp_path: Path, profiles: Path) -> None:
    cell = passkey_cell(window=4096)
    with SimulatedServer() as server:
        assert calibrated(server.url, cell, tape=tmp_path) == [cell]
    assert not server.received
    assert not list(profiles.iterdir())


def test_the_window_is_the_servers(tmp_path: Path) -> None:
    with SimulatedServer(window=4096) as server:
        cells = calibrated(server.url, line_cell(3), line_cell(5), tape=tmp_path)
    assert [cell.model.window for cell in cells] == [4096, 4096]
    assert [request.path for request in server.received] == ["/v1/models/toy"]


def test_a_server_need_not_list_its_models(tmp_path: Path) -> None:
    with SimulatedServer() as server:
        [calibrated_case] = calibrated(server.url, line_cell(), tape=tmp_path)
    assert calibrated_case.model.window is None


def test_tokens_are_counted_once_and_kept(tmp_path: Path, mine: Workspace, profiles: Path) -> None:
    cell = passkey_cell(measured=(), model="org/toy")
    with SimulatedServer() as server:
        cells = calibrated(server.url, cell, dataclasses.replace(cell, seed=1), tape=tmp_path)
    words = cell.wording.templates
    point = cells[0].fitted().point
    assert isinstance(point, Passkey)
    assert point.tokens is not None
    assert point.tokens["filler"] == count_tokens(words["filler"])
    assert point.tokens["after_key"] == count_tokens(f" is the pass key.\n{words['question']}")
    assert [request.path for request in server.received].count("/v1/messages/count_tokens") == len(
        Passkey.declared.counts.probes(words)
    )
    assert [path.name for path in profiles.iterdir()] == [f"{file_name('org/toy')}.toml"]
    assert load_model(mine, "org/toy").token_values("passkey", cell.wording.digest) == cells[1].token_values


def test_a_measure_is_added_to_a_profile_without_changing_it(tmp_path: Path, mine: Workspace, profiles: Path) -> None:
    (profiles / "toy.toml").write_text("window = 9000  # as its card says")
    cell = passkey_cell(measured=())
    with SimulatedServer() as server:
        calibrated(server.url, cell, tape=tmp_path)
    assert (profiles / "toy.toml").read_text().startswith("window = 9000  # as its card says\n")
    assert load_model(mine, "toy").window == 9000
    assert load_model(mine, "toy").token_values("passkey", cell.wording.digest)


def test_tokens_that_cannot_be_counted(tmp_path: Path, profiles: Path) -> None:
    with SimulatedServer() as server:
        url = server.url
    with refused("tokens-not-counted", "toy", "passkey", url):
        calibrated(url, passkey_cell(window=4096, measured=()), tape=tmp_path)
    assert not list(profiles.iterdir())


def test_a_server_that_is_not_there_ends_the_run_at_the_first_enquiry(tmp_path: Path) -> None:
    with SimulatedServer() as server:
        url = server.url
    with refused("nothing-answered", f"No connection to {url}", "is the server running?"):
        calibrated(url, passkey_cell(measured=()), tape=tmp_path)


def test_a_model_without_a_count_leaves_the_others_to_be_asked(tmp_path: Path, profiles: Path) -> None:
    """Two passkey tables need the same count, which is requested once."""
    lines, keys = line_cell(), [passkey_cell(k=k, measured=()) for k in (256, 512)]
    messages: list[str] = []
    with SimulatedServer() as server:
        server.counting = failing(404, "no such path")
        calibrated_cells, unasked = calibration(server.url, keys[0], lines, keys[1], tape=tmp_path, say=messages.append)
    assert calibrated_cells == [lines]
    assert [cell for cell, _ in unasked] == keys
    assert {(failure.cause, failure.fatal) for _, failure in unasked} == {("not_counted", True)}
    assert messages == [unasked[0][1].message]
    assert "answered 404: no such path. Check" in messages[0]
    assert messages[0].endswith(f": python -m longctx models probe toy --ask --base-url {server.url}")
    assert [request.path for request in server.received].count("/v1/messages/count_tokens") == 1
    assert not list(profiles.iterdir())


@pytest.mark.parametrize("shape", NO_COUNTS)
def test_no_wrong_count_is_kept(tmp_path: Path, profiles: Path, shape: str) -> None:
    with SimulatedServer() as server:
        server.counting = NO_COUNTS[shape]
        with refused("tokens-not-counted", "toy", "passkey", "--ask"):
            calibration(server.url, passkey_cell(measured=()), tape=tmp_path)
    assert not list(profiles.iterdir())


@pytest.mark.parametrize("point", NEED_A_COUNT, ids=lambda point: str(point.test))
@pytest.mark.parametrize("shape", ["not found", "html", "no input_tokens"])
def test_every_test_that_needs_a_count_says_how_to_get_one(
    tmp_path: Path, profiles: Path, point: Point, shape: str
) -> None:
    """The other models are asked."""
    cell = dataclasses.replace(line_cell(), point=point, wording=PromptSet.open(HERE, "protocol").wording(type(point)))
    lines, messages = line_cell(), list[str]()
    with SimulatedServer() as server:
        server.counting = NO_COUNTS[shape]
        calibrated_cells, unasked = calibration(server.url, cell, lines, tape=tmp_path, say=messages.append)
    assert calibrated_cells == [lines]
    [(_, failure)] = unasked
    assert failure.cause == "not_counted"
    assert failure.message.startswith(
        f"toy: {point.test} cannot build its prompts, because its tokens could not be counted"
    )
    assert failure.message.endswith(f": python -m longctx models probe toy --ask --base-url {server.url}")
    assert not list(profiles.iterdir())


def test_counts_that_contradict_each_other_are_not_kept(tmp_path: Path, profiles: Path) -> None:
    with SimulatedServer() as server:
        server.counting = ONE_COUNT
        with refused("tokens-not-counted", "0 tokens"):
            calibration(server.url, passkey_cell(measured=()), tape=tmp_path)
    assert not list(profiles.iterdir())


@pytest.mark.parametrize("shape", {**NO_MODELS, **LITTLE_OF_MODELS})
def test_a_window_that_is_not_told_right_is_not_known(tmp_path: Path, profiles: Path, shape: str) -> None:
    messages: list[str] = []
    with SimulatedServer() as server:
        server.telling = {**NO_MODELS, **LITTLE_OF_MODELS}[shape]
        [calibrated_case], _ = calibration(server.url, line_cell(), tape=tmp_path, say=messages.append)
    assert calibrated_case.model.window is None
    assert not list(profiles.iterdir())
    assert bool(messages) == (shape in NO_MODELS)
    assert all(sentence.startswith("The window of toy is not known, ") for sentence in messages)


@pytest.mark.parametrize(
    ("held", "what"), [("/v1/models", "describe toy"), ("/v1/messages/count_tokens", "count tokens")]
)
def test_a_silent_server_is_waited_for_aloud_and_not_for_long(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, held: str, what: str
) -> None:
    monkeypatch.setattr("longctx.live.watch.DELAY_S", 0)
    monkeypatch.setattr("longctx.live.server.calls.TIMEOUT_S", 0.5)
    messages: list[str] = []
    with SimulatedServer() as server:
        server.held = (held,)
        calibrated_cells, unasked = calibration(
            server.url, line_cell(), passkey_cell(measured=()), tape=tmp_path, say=messages.append
        )
    assert any(sentence.startswith(f"Waiting for {server.url} to {what}") for sentence in messages)
    assert any(f"{server.url} gave no answer within 0.5 seconds." in sentence for sentence in messages)
    assert (len(calibrated_cells), len(unasked)) == ((2, 0) if held == "/v1/models" else (1, 1))
