"""Profiles: what is shipped loads, what is written makes its grid, and mistakes are sentences."""

from pathlib import Path

import pytest

from longctx.config.models import TokensPerUnit
from longctx.config.profiles import Profile, load_profile, profile_type
from longctx.errors import UserError
from longctx.registry import known_protocols
from longctx.vocabulary.point import Point
from tests.given import written
from tests.here import HERE
from tests.protocols import LineRetrieval, Passkey
from tests.protocols.bank import no_bank
from tests.refusals import refused


def load(folder: Path, text: str) -> Profile:
    return load_profile(HERE, str(written(folder / "some.toml", text)))


def grid(profile: Profile, test: type[Point]) -> list[Point]:
    tables = (grid.sized(1_000_000, 0, TokensPerUnit().model_dump()) for grid in profile.grids(test.declared.name))
    return [cell for table in tables for cell in table.made_cells(no_bank)]


@pytest.mark.parametrize("name", [path.stem for path in HERE.list("profiles", "*.toml")])
def test_what_is_shipped_loads(name: str) -> None:
    profile = load_profile(HERE, name)
    assert profile.about
    assert profile.functions or any(grid(profile, test.cell) for test in known_protocols(HERE).values())


@pytest.mark.parametrize("name", ["about", "seed", "margin", "copy"])
def test_a_test_is_not_called_what_means_something_else_in_a_profile(name: str) -> None:
    with refused("reserved-test-name", name):
        profile_type({name: known_protocols(HERE)["passkey"]})


@pytest.mark.parametrize("name", ["recorded", "paper", "smoke", "frontier"])
def test_the_profiles_of_the_readme_run_the_tests(name: str) -> None:
    profile = load_profile(HERE, name)
    assert grid(profile, LineRetrieval)
    assert grid(profile, Passkey)


def test_a_reply_in_a_sentence_is_not_cut_off() -> None:
    """Chat models answer so, in up to 30 tokens; what smoke shows, the larger grids have paid room for."""
    rooms = {
        grid.max_tokens for name in ("smoke", "paper", "frontier") for grid in load_profile(HERE, name).line_retrieval
    }
    assert rooms == {64}


def test_the_papers_profile_has_the_papers_sizes() -> None:
    profile = load_profile(HERE, "paper")
    [lines], [passkey] = profile.line_retrieval, profile.passkey
    assert (lines.lines, lines.trials) == (tuple(range(500, 6501, 500)), 50)
    assert (passkey.windows, passkey.distances, passkey.trials) == ((8192, 16384, 32768), 32, 10)


@pytest.mark.parametrize("name", ["recorded", "lines"])
def test_what_is_recorded_has_the_room_that_it_was_recorded_with(name: str) -> None:
    tables = load_profile(HERE, name).line_retrieval
    assert {(grid.max_tokens, max(grid.lines) >= 500) for grid in tables} <= {(10, False), (64, True)}


def test_line_retrieval_is_every_number_of_lines_in_every_order(tmp_path: Path) -> None:
    profile = load(tmp_path, '[line_retrieval]\nlines = [3, 5]\norders = ["ordered", "shuffled", 2]\ntrials = 1')
    assert grid(profile, LineRetrieval) == [
        LineRetrieval(3),
        LineRetrieval(5),
        LineRetrieval(3, 1),
        LineRetrieval(5, 1),
        LineRetrieval(3, 2),
        LineRetrieval(5, 2),
    ]


def test_blocks_that_are_no_part_of_a_file_are_left_out(tmp_path: Path) -> None:
    profile = load(tmp_path, '[line_retrieval]\nlines = [1, 3, 5]\norders = ["shuffled", 3]\ntrials = 1')
    assert grid(profile, LineRetrieval) == [LineRetrieval(3, 1), LineRetrieval(5, 1), LineRetrieval(5, 3)]


def test_passkey_is_every_distance_of_every_window(tmp_path: Path) -> None:
    profile = load(tmp_path, "[passkey]\nwindows = [100, 1000]\ndistances = 2\ntrials = 1\nmax_tokens = 20")
    assert grid(profile, Passkey) == [
        Passkey(100, 50, max_tokens=20),
        Passkey(100, 100, max_tokens=20),
        Passkey(1000, 500, max_tokens=20),
        Passkey(1000, 1000, max_tokens=20),
    ]


def test_a_test_may_have_several_tables(tmp_path: Path) -> None:
    profile = load(
        tmp_path,
        '[[passkey]]\nmodels = ["a"]\nwindows = [10]\ndistances = 1\ntrials = 1\n'
        '[[passkey]]\nmodels = ["b"]\nwindows = [20]\ndistances = 1\ntrials = 2\nmin_rate = 0.5\n',
    )
    assert [(grid.models, grid.trials, grid.min_rate) for grid in profile.grids("passkey")] == [
        (("a",), 1, None),
        (("b",), 2, 0.5),
    ]


def test_a_test_may_be_left_out(tmp_path: Path) -> None:
    profile = load(tmp_path, 'about = "short"\nseed = 7\n[line_retrieval]\nlines = [5]\ntrials = 1')
    assert (profile.about, profile.seed) == ("short", 7)
    assert profile.grids("passkey") == profile.grids("a test of tomorrow") == ()


@pytest.mark.parametrize(
    ("text", "entry"),
    [
        ("sede = 1", "sede"),
        ("[passkye]", "passkye"),
        ("[passkey]\nwindow = [5]\ntrials = 1", "passkey.window"),
        ("[passkey]\nwindows = [5]", "passkey.trials"),
        ("[passkey]\nwindows = 5\ntrials = 1", "passkey.windows"),
        ("[passkey]\nwindows = []\ntrials = 1", "passkey.windows"),
        ("passkey = 3", "passkey"),
        ("[line_retrieval]\nlines = [5]\ntrials = 0", "line_retrieval.trials"),
        ("[line_retrieval]\nlines = [5]\ntrials = { all = 0 }", "line_retrieval.trials"),
        ("[line_retrieval]\nlines = [5]\ntrials = { short = 1 }", "line_retrieval"),
        ("margin = 5", "margin"),
        ('[line_retrieval]\nlines = ["few"]\ntrials = 1', "line_retrieval.lines.0"),
        ("[line_retrieval]\nlines = [5, 0]\ntrials = 1", "line_retrieval.lines.1"),
        (
            '[line_retrieval]\nlines = [5]\norders = ["sorted"]\ntrials = 1',
            "line_retrieval.orders.0",
        ),
        ("[line_retrieval]\nlines = [5]\ntrials = 1\nmin_rate = 90", "line_retrieval.min_rate"),
        ("seed = -1", "seed"),
    ],
)
def test_mistakes_are_sentences(tmp_path: Path, text: str, entry: str) -> None:
    with refused("bad-entries", tmp_path / "some.toml", f"\n  {entry}: "):
        load(tmp_path, text)


def test_a_bad_value_is_told_once(tmp_path: Path) -> None:
    """pydantic would say of the list, too, that it is a tuple without items."""
    with pytest.raises(UserError) as caught:
        load(tmp_path, "[line_retrieval]\nlines = [0]\ntrials = 1")
    assert [line.split(":")[0] for line in str(caught.value).splitlines()[1:]] == ["  line_retrieval.lines.0"]


def test_a_table_that_makes_no_cell_is_named(tmp_path: Path) -> None:
    with refused("bad-profile-table", tmp_path / "some.toml", "[passkey]", "6 distances", "window of 5"):
        load(tmp_path, "[passkey]\nwindows = [50, 5]\ndistances = 6\ntrials = 1")


def test_a_mistyped_profile_is_suggested() -> None:
    with refused("unknown-profile", "papr", "paper"):
        load_profile(HERE, "papr")


def test_a_cell_is_in_the_shortest_band_that_holds_it(tmp_path: Path) -> None:
    table = "[line_retrieval]\nlines = [5, 20, 21, 80]\norders = ['ordered']\ntrials = 1\n"
    [bands] = load(tmp_path, f"{table}bands = {{ long = 80, short = 20 }}").line_retrieval
    assert [bands.band(cell) for cell in bands.made_cells(no_bank)] == ["short", "short", "long", "long"]
    [none] = load(tmp_path, table).line_retrieval
    assert {none.band(cell) for cell in none.made_cells(no_bank)} == {"all"}


def test_each_band_may_have_trials_of_its_own_and_others_are_left_out(tmp_path: Path) -> None:
    table = (
        "[line_retrieval]\nlines = [5, 20, 80]\norders = ['ordered']\nbands = { short = 5, middle = 20, long = 80 }\n"
    )
    [grid] = load(tmp_path, f"{table}trials = {{ long = 7, short = 3 }}").line_retrieval
    assert [grid.trials_of(cell) for cell in grid.made_cells(no_bank)] == [3, 0, 7]


def test_a_cell_that_no_band_holds_is_named(tmp_path: Path) -> None:
    table = "[line_retrieval]\nlines = [5, 80]\ntrials = 1\nbands = { short = 20 }"
    with refused("bad-profile-table", "[line_retrieval]", "lines-80"):
        load(tmp_path, table)


def test_bands_of_passkey_retrieval_go_by_distance_not_by_window(tmp_path: Path) -> None:
    table = "[passkey]\nwindows = [256, 512]\ndistances = 2\ntrials = 1\nbands = { near = 256, far = 512 }"
    [grid] = load(tmp_path, table).passkey
    assert [(cell.params["k"], grid.band(cell)) for cell in grid.made_cells(no_bank)] == [
        (128, "near"), (256, "near"), (256, "near"), (512, "far"),
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("entries", "stated"), [("run_margin = 0.1", "is not stated"), ("run_margin = 0.1\nmargin = 0.05", "is 0.05")]
)
def test_all_bands_together_have_no_larger_margin_than_one(tmp_path: Path, entries: str, stated: str) -> None:
    path = written(tmp_path / "mine.toml", f"{entries}\n[line_retrieval]\nlines = [3]\ntrials = 1\n")
    with refused("bad-entries", f"run_margin is 0.1, and margin {stated}: state a margin of at least"):
        load_profile(HERE, str(path))
