"""The protocols' own sizes, each beside its floor in the same run, in processor time (user and system).

pytest -s benchmarks/test_sizes.py prints a line each. What a line is held against says its name.
"""

import asyncio
import hashlib
import itertools
import shutil
import statistics
from pathlib import Path

import pytest
import vcr

from benchmarks.ratios import in_turns, pytest_of, spent
from benchmarks.simulated import message, project, record
from benchmarks.test_replay import ask, client
from benchmarks.test_suite import EMPTY, cells
from longctx.cells.cell import Cell, Trial
from longctx.config.models import ModelProfile
from longctx.config.prompts import PromptSet
from longctx.corpus.question_bank import load_bank
from longctx.live.asking import ask_all
from longctx.live.bounds import Bounds
from longctx.recording.missing import missing
from longctx.recording.request import Place, request_body
from longctx.recording.tape import Tape
from longctx.recording.transport import TapeTransport
from longctx.report.charts import charts
from longctx.report.page.page import page_of
from longctx.report.run_report import RunReport
from longctx.report.svg import draw
from longctx.results.manifest import load_manifest
from longctx.results.store import load
from longctx.summary.summary import summarize
from tests.here import HERE
from tests.protocols import Collage, LineRetrieval, Passkey

MODEL = ModelProfile(model="simulated")
LOADING = """
def pytest_collection(session):
    if hasattr(session.config, "workerinput"):
        import numpy, pydantic
        from vcr.cassette import Cassette
"""


@pytest.fixture
def tell(capsys, benchmark):
    """Print measured lines and keep their ratios with the benchmark; the benchmark itself times nothing."""
    benchmark(lambda: None)

    def line(what: str, value: float, floor: float, of: str, unit: str = "s") -> None:
        benchmark.extra_info[what] = value / floor
        with capsys.disabled():
            print(f"\n{what}: {value:.3g} {unit}, {value / floor:.2f} times {of} ({floor:.3g} {unit})", end="")

    return line


@pytest.fixture
def empty(tmp_path: Path):
    def write(tests: int) -> Path:
        folder = tmp_path / f"empty-{tests}"
        folder.mkdir(exist_ok=True)
        (folder / "test_empty.py").write_text(EMPTY.format(count=tests))
        return folder

    return write


def test_estimate(tell, small):
    """The estimate of all of `paper`, for a model with a prompt cache, with nothing recorded."""
    options = "--ctx-profile", "smoke" if small else "paper", "--ctx-model", "claude-opus-5-5", "--ctx-estimate"
    whole = pytest_of("tests_longctx", *options)
    assert "Estimate only" in whole.output
    tell("estimate of paper", whole.cpu_s, spent("-c", "import anthropic, pytest").cpu_s, "the import of the SDK")


def test_collages(tell, tmp_path, small):
    """Replay and judgement of collages of 95,000 tokens with five examples, a new record each time."""
    bank = load_bank(HERE, None, None, "simulated")
    words = PromptSet.open(HERE, "protocol").wording(Collage)
    cell = Cell(MODEL, words, Collage(95_000, 5000, 50, "five", bank=lambda: bank), 0, 2 if small else 30)
    record(Tape(tmp_path, "once"), cell)
    tape, trials = Tape(tmp_path), itertools.cycle(cell.each_trial())
    built = Trial(cell, next(cell.each_trial()).index).build()
    body, text = request_body(built, MODEL), built.user.encode()
    sdk = client(_answering())

    def replay() -> None:
        trial = next(trials)
        built = trial.build()
        reply = tape.reply(Place.of(trial, built))
        assert reply is not None
        built.judge(reply)

    with asyncio.Runner() as runner:
        taken = in_turns(
            1 if small else 60,
            replay=replay,
            sdk=lambda: runner.run(ask(sdk, body)),
            sha=lambda: hashlib.sha256(text).digest(),
        )
    for place, name in enumerate(("shortest", "median")):
        replay, floor, sha = (1000 * taken[which][place] for which in ("replay", "sdk", "sha"))
        tell(f"a collage, {name}", replay, floor, "the SDK with a mock transport", "ms")
        tell(f"a collage, {name} ", replay, sha, "its SHA-256", "ms")


@pytest.mark.parametrize("trials", [2400, 24_000])
def test_small_trials(tell, empty, tmp_path, trials, small):
    if small and trials > 2400:
        pytest.skip("as the smaller one")
    trials, workers = (400, "0") if small else (trials, "2")
    folder = project(tmp_path / "project", trials)
    floor = pytest_of("-n", workers, cwd=empty(trials // 50))
    for page in [True] if small else [False, True]:
        options = "--ctx-profile=many", "--ctx-model=simulated", f"--ctx-report={tmp_path / str(page)}"
        run = pytest_of("-n", workers, *options, cwd=folder, page=page)
        assert f"{trials // 50} passed" in run.output, run.output[-3000:]
        what = f"{trials:,} small trials, {'with' if page else 'without'} page"
        tell(what, run.cpu_s, floor.cpu_s, f"as many empty tests, -n {workers}")
        tell(f"{what}, memory of its largest process", run.peak_mb, floor.peak_mb, "the same", "MB")
    record, manifest = load(tmp_path / "True"), load_manifest(tmp_path / "True")
    summary = summarize(record.rows)
    taken = in_turns(
        1,
        page=lambda: page_of(RunReport(record, summary, manifest)),
        charts=lambda: [draw(chart) for chart in charts(summary)],
    )
    tell(f"the page of {trials:,} small trials", taken["page"][0], taken["charts"][0], "what V8 takes for its charts")


@pytest.mark.parametrize("workers", [0, 2, 8])
def test_recorded(tell, empty, tmp_path, workers, small):
    tests = "tests_longctx/test_graph_walks.py" if small else "tests_longctx"
    if small and workers:
        pytest.skip("as without workers")
    run = pytest_of("-n", str(workers), tests, "--ctx-report", str(tmp_path / "run"))
    floor = pytest_of("-n", str(workers), cwd=empty(cells(tests)))
    tell(f"recorded suite, -n {workers}", run.cpu_s, floor.cpu_s, "as many empty tests")


def test_worker(tell, empty, tmp_path, small):
    """What one more worker costs: longctx, nothing, and the libraries that the recordings and the protocols rest on."""
    project(tmp_path / "longctx", 400)
    bare, loading = empty(8), tmp_path / "loading"
    shutil.copytree(bare, loading)
    (loading / "conftest.py").write_text(LOADING)
    if small:
        assert "8 passed" in pytest_of("-n", "1", cwd=loading).output
        return
    options = "--ctx-profile=many", "--ctx-model=simulated"
    few, many = 1, 5
    costs: dict[str, list[float]] = {"longctx": [], "empty-8": [], "loading": []}
    for _ in range(3):
        for name, taken in costs.items():
            given = options if name == "longctx" else ()
            each = [
                pytest_of("-n", str(number), *given, cwd=tmp_path / name, page=False).cpu_s for number in (few, many)
            ]
            taken.append((each[1] - each[0]) / (many - few))
    worker, nothing, libraries = map(statistics.median, costs.values())
    tell("a worker", worker, nothing, "one without tests to speak of")
    tell("a worker that only imports numpy, pydantic and vcrpy", libraries, nothing, "the same")


def test_import(tell, small):
    times = range(1 if small else 5)
    costs = [min(spent("-c", code).cpu_s for _ in times) for code in ("import pytest, longctx.plugin", "import pytest")]
    tell("import longctx.plugin", *costs, "pytest's own import")


def test_recording(tell, tmp_path, small):
    """Small trials whose answers come at once, from a transport in place of the network on both sides."""
    words = PromptSet.open(HERE, "protocol").wording(Passkey)
    cell = Cell(
        MODEL, words, Passkey(300, 150, tokens={"filler": 24, "fixed": 69, "after_key": 16}), 0, 10 if small else 400
    )
    folders = (tmp_path / str(number) for number in itertools.count())
    bodies = [request_body(trial.build(), MODEL) for trial in cell.each_trial()]

    async def suite() -> None:
        tape = Tape(next(folders), "once")
        asked = client(TapeTransport(tape, _answering()))
        await ask_all(asked, tape, missing(tape, [cell]), Bounds.of(4), _Silent())
        assert tape.recorded == cell.size

    async def sdk() -> None:
        left, asked = iter(bodies), client(_answering())

        async def worker() -> None:
            for body in left:
                await ask(asked, body)

        await asyncio.gather(*(worker() for _ in range(4)))

    def vcrpy() -> None:
        """vcrpy alone, looking for no earlier answer: it writes all answers when the last has come."""
        recorder = vcr.VCR(serializer="json", record_mode="all", match_on=("method",))
        with recorder.use_cassette(str(next(folders))):
            asyncio.run(sdk())

    taken = in_turns(1 if small else 5, suite=lambda: asyncio.run(suite()), sdk=lambda: asyncio.run(sdk()), vcrpy=vcrpy)
    recorded, floor, bare = (1000 * taken[name][0] / cell.size for name in ("suite", "sdk", "vcrpy"))
    tell("a small trial recorded", recorded, floor, "the SDK's own cost of asking it", "ms")
    tell("a small trial recorded by vcrpy alone", bare, floor, "the SDK's own cost of asking it", "ms")


@pytest.mark.parametrize("lines", [6200, 62_000])
def test_lines(tell, lines):
    words = PromptSet.open(HERE, "protocol").wording(LineRetrieval).templates
    cell = LineRetrieval(lines, 100)
    stream, text = cell.stream(0, 0), cell.build(words, 0, 0).user.encode()
    taken = in_turns(
        30,
        built=lambda: cell.build(words, 0, 0),
        drawn=lambda: stream.permutation(max(50_000, 2 * lines)),
        sha=lambda: hashlib.sha256(text).digest(),
    )
    built, drawn, sha = (1000 * taken[name][0] for name in ("built", "drawn", "sha"))
    tell(f"{lines:,} lines built", built, drawn + sha, "its frozen permutation and its SHA-256", "ms")


class _Silent:
    def in_flight(self, number: int, note: str = "") -> None: ...

    def waiting(self, silent_s: float, what: str) -> None: ...

    def ended(self, *arguments: object) -> None: ...


def _answering():
    import httpx2

    return httpx2.MockTransport(lambda request: httpx2.Response(200, content=message("1")))
