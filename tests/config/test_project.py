"""The settings of a project, [tool.longctx] in pyproject.toml, and shards: how names are dealt to them."""

from __future__ import annotations

from pathlib import Path

import pytest

from longctx.config.project import NO_SETTINGS, Shard, project_settings, shard_argument, shards_of
from longctx.errors import UserError
from tests.given import written
from tests.refusals import refused


def project(folder: Path, text: str) -> Path:
    return written(folder / "pyproject.toml", text).parent


def test_the_table_is_read(tmp_path: Path) -> None:
    entries = 'profile = "smoke"\nconcurrency = 2\ncorpus = "docs"\npage = false\nalpha = 0.01\n'
    settings = project_settings(project(tmp_path, f"[tool.longctx]\n{entries}"))
    assert (settings.profile, settings.concurrency, settings.corpus) == ("smoke", 2, Path("docs"))
    assert (settings.page, settings.text, settings.alpha, settings.trust) == (False, True, 0.01, None)


@pytest.mark.parametrize("text", [None, "", "[tool.other]\nx = 1\n", "[project]\nname = 'longctx'\n", "longctx = ["])
def test_a_project_without_the_table_has_no_settings(tmp_path: Path, text: str | None) -> None:
    if text is not None:
        project(tmp_path, text)
    assert project_settings(tmp_path) is NO_SETTINGS


@pytest.mark.parametrize(
    ("entry", "code", "says"),
    [
        ("concurency = 2", "unknown-project-setting", "Did you mean 'concurrency'?"),
        ("concurrency = 0", "bad-project-settings", "concurrency is 0: use a number 1 or more."),
        ("alpha = 1", "bad-project-settings", "alpha is 1.0: use a number between 0 and 1."),
        ('page = "perhaps"', "bad-project-settings", "page: "),
        ('trust = "none"', "bad-project-settings", "trust: "),
    ],
)
def test_a_mistake_is_named(tmp_path: Path, entry: str, code: str, says: str) -> None:
    with refused(code, says):
        project_settings(project(tmp_path, f"[tool.longctx]\n{entry}\n"))


def test_it_is_a_table(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="is not a table"):
        project_settings(project(tmp_path, "[tool]\nlongctx = 3\n"))


GRID = {f"lines-{lines}-{order}": 15 * lines + 100 for lines in range(500, 7000, 500) for order in range(5)}
"""A grid of 13 sizes in 5 orders, like the paper's."""
SHARDS = range(2, 9)


def test_a_shard_is_read() -> None:
    assert shard_argument("2/5") == Shard(2, 5)
    assert str(Shard(2, 5)) == "2/5"
    assert shard_argument("1/1") == Shard(1, 1)


@pytest.mark.parametrize("text", ["", "2", "0/5", "6/5", "2/0", "-1/5", "2/5/6", "a/b", "1/257", "1.0/2"])
def test_an_invalid_shard_is_refused(text: str) -> None:
    with refused("bad-shard"):
        shard_argument(text)


def test_the_same_names_always_go_to_the_same_shards() -> None:
    """Jobs of one matrix may run other versions of Python, and other orders of a dict."""
    names = {"a": 10, "b": 10, "c": 10, "d": 20}
    assert shards_of(names, 3) == {"d": 1, "a": 2, "b": 3, "c": 2}
    assert shards_of(dict(reversed(names.items())), 3) == shards_of(names, 3)


@pytest.mark.parametrize("of", SHARDS)
def test_every_shard_takes_about_the_same_number_of_tokens(of: int) -> None:
    dealt = shards_of(GRID, of)
    assert dealt.keys() == GRID.keys()
    taken = [sum(GRID[name] for name in GRID if dealt[name] == number) for number in range(1, of + 1)]
    assert max(taken) <= 1.05 * sum(taken) / of


def test_more_shards_than_names_leave_some_empty() -> None:
    assert len(set(shards_of({"a": 1, "b": 1}, 5).values())) == 2
    assert shards_of({}, 5) == {}
