"""Measures of a model are written to its profile's file, beside what a person wrote there."""

import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from longctx.config.file_names import file_name
from longctx.config.keeping import keep_default_profile, keep_probed, keep_token_counts
from longctx.config.models import ModelProfile, load_model, read_profile
from longctx.config.profiles import profile_path
from longctx.workspace import Workspace, packaged
from tests.config.examples import MEASURED, SHIPPED
from tests.refusals import refused


def file_of(mine: Workspace, name: str) -> Path:
    return mine.own("models", f"{name}.toml")


def test_a_measure_makes_the_profile_of_a_model_that_has_none(mine: Workspace) -> None:
    assert keep_token_counts(mine, "org/new:1", MEASURED) == mine.own("models", f"{file_name('org/new:1')}.toml")
    assert load_model(mine, "org/new:1") == ModelProfile(model="org/new:1", measured=(MEASURED,))


def test_a_measure_is_not_kept_with_another_model_whose_name_is_cleaned_alike(mine: Workspace) -> None:
    before = 'model = "org/new"\nwindow = 10\n'
    mine.own("models", "org_new.toml").write_text(before)
    keep_token_counts(mine, "org:new", MEASURED)
    assert mine.own("models", "org_new.toml").read_text() == before
    assert keep_token_counts(mine, "org/new", MEASURED) == mine.own("models", "org_new.toml")
    assert [load_model(mine, name).token_counts for name in ("org:new", "org_new")] == [(MEASURED,)] * 2


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_measure_is_appended_to_a_profile(mine: Workspace, end: str) -> None:
    before = f"# A note.\nwindow = 10\n[tokens]\nline = 17{end}"
    file_of(mine, "m").write_text(before, encoding="utf-8")
    keep_token_counts(mine, "m", MEASURED)
    assert file_of(mine, "m").read_text(encoding="utf-8").startswith(before)
    profile = load_model(mine, "m")
    assert (profile.model, profile.window, profile.tokens.line) == ("m", 10, 17)
    assert profile.token_counts == (MEASURED,)


def test_measures_are_added_to_measures(mine: Workspace) -> None:
    later = MEASURED.model_copy(update={"values": {"filler": 25.0}})
    keep_token_counts(mine, "m", MEASURED)
    keep_token_counts(mine, "m", later)
    profile = load_model(mine, "m")
    assert profile.token_counts == (MEASURED, later)
    assert profile.token_values("passkey", MEASURED.wording) == {"filler": 25.0}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_measure_can_be_kept_in_what_is_shipped(mine: Workspace, name: str) -> None:
    keep_token_counts(mine, name, MEASURED)
    assert load_model(mine, name).token_values("passkey", MEASURED.wording) == MEASURED.values


def test_a_model_name_may_hold_quotes(mine: Workspace) -> None:
    keep_token_counts(mine, 'some "new" model', MEASURED)
    assert load_model(mine, 'some "new" model').model == 'some "new" model'


@settings(max_examples=20)  # each writes and reads files
@given(st.dictionaries(st.text(max_size=5), st.floats(allow_nan=False, allow_infinity=False), max_size=3))
def test_a_measure_keeps_all_its_digits(tmp_path_factory: pytest.TempPathFactory, values: dict[str, float]) -> None:
    mine = Workspace(tmp_path_factory.mktemp("project"))
    keep_token_counts(mine, "m", MEASURED.model_copy(update={"values": values}))
    assert load_model(mine, "m").token_counts[0].values == values


def test_a_measure_is_kept_as_a_person_would_write_it(mine: Workspace) -> None:
    keep_token_counts(mine, "m", MEASURED)
    assert file_of(mine, "m").read_text() == (
        'model = "m"\n\n[[measured]]\ntest = "passkey"\nwording = "0123456789ab"\non = 2026-11-21\n'
        "values = {filler = 24.0167, fixed = 94, after_key = 15}\n"
    )


def test_a_measure_with_a_system_prompt_says_with_which(mine: Workspace) -> None:
    file_of(mine, "m").write_text('system = "Be terse."')
    measured = MEASURED.model_copy(update={"system": load_model(mine, "m").system_digest})
    keep_token_counts(mine, "m", measured)
    assert load_model(mine, "m").token_values("passkey", MEASURED.wording) == MEASURED.values


def test_the_profile_that_names_a_model_is_its_own(mine: Workspace) -> None:
    mine.own("models", "a-broken-one.toml").write_text("model = ")
    mine.own("models", "short.toml").write_text('model = "org/a-long-name"\n')
    keep_token_counts(mine, "org/a-long-name", MEASURED)
    assert load_model(mine, "short").token_counts == (MEASURED,)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_probe_adds_its_table_and_nothing_else(mine: Workspace, name: str) -> None:
    before = (packaged() / "models" / f"{name}.toml").read_text()
    file_of(mine, name).write_text(before)
    keep_probed(mine, name, "https://a.test", {"window": 4096, "thinking": ["adaptive"]})
    keep_probed(mine, name, "https://b.test", {"line": 20.5})
    text = file_of(mine, name).read_text()
    assert text.startswith(before)
    assert text.count("[probed]") == 1
    probed = read_profile(mine, name).probed
    assert probed is not None
    assert (probed.source, probed.window, probed.thinking, probed.line) == (
        "https://b.test",
        4096,
        ("adaptive",),
        20.5,
    )
    assert probed.on == datetime.datetime.now(datetime.UTC).date()


def test_a_comment_and_the_order_of_entries_stay(mine: Workspace) -> None:
    text = (
        "# Mine.\nprefill = false # not yet\n\nwindow = 9\n[probed] # by the command\non = 2026-01-01\n"
        'source = "x"\nline = 2.0 # low\n\n# The end.\n'
    )
    file_of(mine, "m").write_text(text)
    keep_probed(mine, "m", "y", {"line": 3.5})
    now = file_of(mine, "m").read_text()
    assert now.startswith("# Mine.\nprefill = false # not yet\n\nwindow = 9\n[probed] # by the command\n")
    assert "line = 3.5 # low\n\n# The end.\n" in now


def test_a_profile_that_cannot_be_written_is_a_sentence(mine: Workspace) -> None:
    mine.own("models").rmdir()
    mine.own("models").touch()
    with refused("not-writable", "m.toml", mine.own("models")):
        keep_token_counts(mine, "m", MEASURED)


PROFILE = '[passkey]\nmodels = ["m"]\nwindows = [256]\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (None, '[tool.longctx]\nprofile = "mine"\n'),
        ("[project]\nname = 'a' # b\n", "[project]\nname = 'a' # b\n\n[tool.longctx]\nprofile = \"mine\"\n"),
        ("[tool.longctx]\nalpha = 0.01\n", '[tool.longctx]\nalpha = 0.01\nprofile = "mine"\n'),
        ("[tool.ruff]\na = 1\n", '[tool.ruff]\na = 1\n\n[tool.longctx]\nprofile = "mine"\n'),
    ],
)
def test_the_default_profile_stays_the_default(mine: Workspace, before: str | None, after: str) -> None:
    settings = mine.root / "pyproject.toml"
    if before is not None:
        settings.write_text(before)
    mine.own("profiles", "mine.toml").write_text(PROFILE)
    assert keep_default_profile(mine) == settings
    assert settings.read_text() == after
    mine.own("profiles", "later.toml").write_text(PROFILE)
    assert profile_path(mine, None).stem == "mine"
    assert keep_default_profile(mine) is None


@pytest.mark.parametrize("names", [[], ["a", "b"], ["recorded"], ["recorded", "a"]])
def test_a_default_that_no_further_profile_changes_or_none_is_not_written(mine: Workspace, names: list[str]) -> None:
    for name in names:
        mine.own("profiles", f"{name}.toml").write_text(PROFILE)
    assert keep_default_profile(mine) is None
    assert not (mine.root / "pyproject.toml").exists()
