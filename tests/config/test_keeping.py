"""What is learnt of a model is kept in its profile's file, beside what a person wrote there."""

import datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.config import models
from longctx.config.folders import file_name
from longctx.config.keeping import keep_measured, keep_probed, profile_of
from longctx.config.models import MODELS, ModelProfile, load_model, profile_path, read_profile
from longctx.errors import UserError
from tests.config.test_models import MEASURED, SHIPPED, folder

__all__ = ["folder"]


def test_a_measure_makes_the_profile_of_a_model_that_has_none(folder: Path) -> None:
    assert keep_measured("org/new:1", MEASURED) == folder / f"{file_name('org/new:1')}.toml"
    assert load_model("org/new:1") == ModelProfile(model="org/new:1", measured=(MEASURED,))


def test_a_measure_is_not_kept_with_another_model_whose_name_is_cleaned_alike(folder: Path) -> None:
    before = 'model = "org/new"\nwindow = 10\n'
    (folder / "org_new.toml").write_text(before)
    keep_measured("org:new", MEASURED)
    assert (folder / "org_new.toml").read_text() == before
    assert keep_measured("org/new", MEASURED) == folder / "org_new.toml"
    assert [load_model(name).measured for name in ("org:new", "org/new")] == [(MEASURED,)] * 2


@pytest.mark.parametrize("end", ["", "\n"])
def test_a_measure_is_appended_to_a_profile(folder: Path, end: str) -> None:
    before = f"# A note.\nwindow = 10\n[tokens]\nline = 17{end}"
    profile_path("m").write_text(before, encoding="utf-8")
    keep_measured("m", MEASURED)
    assert profile_path("m").read_text(encoding="utf-8").startswith(before)
    profile = load_model("m")
    assert (profile.model, profile.window, profile.tokens.line) == ("m", 10, 17)
    assert profile.measured == (MEASURED,)


def test_measures_are_added_to_measures(folder: Path) -> None:
    later = MEASURED.model_copy(update={"values": {"filler": 25.0}})
    keep_measured("m", MEASURED)
    keep_measured("m", later)
    profile = load_model("m")
    assert profile.measured == (MEASURED, later)
    assert profile.measures("passkey", MEASURED.wording) == {"filler": 25.0}


@pytest.mark.parametrize("name", SHIPPED)
def test_a_measure_can_be_kept_in_what_is_shipped(folder: Path, name: str) -> None:
    profile_path(name).write_bytes((MODELS / f"{name}.toml").read_bytes())
    keep_measured(name, MEASURED)
    assert load_model(name).measures("passkey", MEASURED.wording) == MEASURED.values


def test_a_model_name_may_hold_quotes(folder: Path) -> None:
    keep_measured('some "new" model', MEASURED)
    assert load_model('some "new" model').model == 'some "new" model'


@given(st.dictionaries(st.text(max_size=5), st.floats(allow_nan=False, allow_infinity=False), max_size=3))
def test_a_measure_keeps_all_its_digits(tmp_path_factory: pytest.TempPathFactory, values: dict[str, float]) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(models, "MODELS", tmp_path_factory.mktemp("models"))
        keep_measured("m", MEASURED.model_copy(update={"values": values}))
        assert load_model("m").measured[0].values == values


def test_a_measure_is_kept_as_a_person_would_write_it(folder: Path) -> None:
    keep_measured("m", MEASURED)
    assert profile_path("m").read_text() == (
        'model = "m"\n\n[[measured]]\nfamily = "passkey"\nwording = "0123456789ab"\non = 2026-11-21\n'
        "values = {filler = 24.0167, fixed = 94, after_key = 15}\n"
    )


def test_a_measure_with_a_system_prompt_says_with_which(folder: Path) -> None:
    profile_path("m").write_text('system = "Be terse."')
    measured = MEASURED.model_copy(update={"system": load_model("m").system_digest})
    keep_measured("m", measured)
    assert load_model("m").measures("passkey", MEASURED.wording) == MEASURED.values


def test_the_profile_that_names_a_model_is_its_own(folder: Path) -> None:
    (folder / "a-broken-one.toml").write_text("model = ")
    (folder / "short.toml").write_text('model = "org/a-long-name"\n')
    assert profile_of("org/a-long-name") == folder / "short.toml"
    keep_measured("org/a-long-name", MEASURED)
    assert load_model("short").measured == (MEASURED,)


@pytest.mark.parametrize("name", SHIPPED)
def test_a_probe_adds_its_table_and_nothing_else(folder: Path, name: str) -> None:
    before = (MODELS / f"{name}.toml").read_text()
    profile_path(name).write_text(before)
    keep_probed(name, "https://a.test", {"window": 4096, "thinking": ["adaptive"]})
    keep_probed(name, "https://b.test", {"line": 20.5})
    text = profile_path(name).read_text()
    assert text.startswith(before)
    assert text.count("[probed]") == 1
    probed = read_profile(name).probed
    assert probed is not None
    assert (probed.source, probed.window, probed.thinking, probed.line) == (
        "https://b.test",
        4096,
        ("adaptive",),
        20.5,
    )
    assert probed.on == datetime.datetime.now(datetime.UTC).date()


def test_a_comment_and_the_order_of_entries_stay(folder: Path) -> None:
    text = (
        "# Mine.\nprefill = false # not yet\n\nwindow = 9\n[probed] # by the command\non = 2026-01-01\n"
        'source = "x"\nline = 2.0 # low\n\n# The end.\n'
    )
    profile_path("m").write_text(text)
    keep_probed("m", "y", {"line": 3.5})
    now = profile_path("m").read_text()
    assert now.startswith("# Mine.\nprefill = false # not yet\n\nwindow = 9\n[probed] # by the command\n")
    assert "line = 3.5 # low\n\n# The end.\n" in now


def test_a_profile_that_cannot_be_written_is_a_sentence(folder: Path) -> None:
    folder.rmdir()
    with pytest.raises(UserError, match=r"m\.toml cannot be written: No such file"):
        keep_measured("m", MEASURED)
