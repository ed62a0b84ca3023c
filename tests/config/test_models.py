"""Model profiles: what is shipped loads, mistakes are sentences, and measures are kept."""

import datetime
from pathlib import Path

import pytest

from longctx.config import models
from longctx.config.models import MODELS, Measured, ModelProfile, keep_measured, load_model, profile_path
from longctx.errors import UserError

SHIPPED = [path.stem for path in sorted(MODELS.glob("*.toml"))]

MEASURED = Measured(
    family="passkey",
    wording="0123456789ab",
    on=datetime.date(2026, 11, 21),
    values={"filler": 24.0167, "fixed": 94, "after_key": 15},
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of model profiles."""
    monkeypatch.setattr(models, "MODELS", tmp_path)
    return tmp_path


@pytest.mark.parametrize("name", SHIPPED)
def test_what_is_shipped_loads(name: str) -> None:
    profile = load_model(name)
    assert profile.model == name
    assert profile.window
    assert profile.prices
    assert profile.prices.source


def test_a_model_without_a_profile_has_defaults(folder: Path) -> None:
    assert load_model("org/new:1") == ModelProfile(model="org/new:1")


def test_a_profile_may_name_another_model_id(folder: Path) -> None:
    (folder / "short.toml").write_text('model = "org/a-long-name"\nwindow = 10\n', encoding="utf-8")
    assert load_model("short") == ModelProfile(model="org/a-long-name", window=10)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("windw = 3", r"windw: no such entry\. Did you mean 'window'\?"),
        ("[tokens]\nlin = 3", r"tokens\.lin: no such entry\. Did you mean 'line'\?"),
        ('window = "large"', r"window: .*valid integer.*\(found 'large'\)"),
        ("window = 0", r"window: .*greater than 0"),
        ("[prices]\ninput = 1\noutput = 1", r"prices\.dated: missing"),
        ("[prices]\ninput = -1\noutput = 1\ndated = 2026-01-01", r"prices\.input: .*\(found -1\)"),
        ('[[measured]]\nfamily = "passkey"\nwording = "x"\non = 2026-01-01', r"measured\.0\.values: missing"),
        ("window", "is not valid TOML"),
    ],
)
def test_mistakes_are_sentences(folder: Path, text: str, message: str) -> None:
    (folder / "m.toml").write_text(text, encoding="utf-8")
    with pytest.raises(UserError, match=message) as caught:
        load_model("m")
    assert str(folder / "m.toml") in str(caught.value)


def test_the_latest_measure_of_a_wording_counts() -> None:
    first, other, last = (
        MEASURED.model_copy(update={"wording": wording, "values": {"filler": filler}})
        for wording, filler in (("a", 1.0), ("b", 2.0), ("a", 3.0))
    )
    profile = ModelProfile(measured=(first, other, last))
    assert profile.measures("passkey", "a") == {"filler": 3.0}
    assert profile.measures("passkey", "b") == {"filler": 2.0}
    assert profile.measures("passkey", "c") is None
    assert profile.measures("line_retrieval", "a") is None


def test_a_measure_makes_the_profile_of_a_model_that_has_none(folder: Path) -> None:
    assert keep_measured("org/new:1", MEASURED) == folder / "org_new_1.toml"
    assert load_model("org/new:1") == ModelProfile(model="org/new:1", measured=(MEASURED,))


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


def test_a_measure_keeps_all_its_digits(folder: Path) -> None:
    values = {"filler": 124.0167, "fixed": 1_234_567.0}
    keep_measured("m", MEASURED.model_copy(update={"values": values}))
    assert load_model("m").measured[0].values == values
