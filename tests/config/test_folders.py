"""Names as files, and TOML files that are checked: every mistake is a sentence."""

from pathlib import Path

import pytest
from pydantic import BaseModel, ConfigDict

from longctx.config.folders import file_name, file_of, read_toml, slug
from tests.refusals import refused


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    weight: float = 1.0


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    inner: Inner = Inner()


def written(folder: Path, text: str) -> Path:
    path = folder / "some.toml"
    path.write_text(text, encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("name", "file_name"),
    [
        ("qwen2.5-coder-0.5b", "qwen2.5-coder-0.5b"),
        ("org/model:7b", "org_model_7b"),
        ("a // b", "a_b"),
        ("../up", ".._up"),
        ("claude@2026+x_y", "claude@2026+x_y"),
    ],
)
def test_a_name_is_made_a_file_name(name: str, file_name: str) -> None:
    assert slug(name) == file_name


COLLIDING = "org_model", "org/model", "org:model", "org//model", "org model", "x_", "x\xe9", "x\xe8", "x\udce9"


def test_no_two_names_have_one_file() -> None:
    assert len({file_name(name) for name in COLLIDING}) == len(COLLIDING)


def test_a_name_that_can_be_a_file_name_is_one() -> None:
    """The names of all folders in cassettes/ stay as they are."""
    for name in ("qwen2.5-coder-0.5b", "claude@2026+x_y"):
        assert file_name(name) == name
    assert file_name("org/model:7b") == "org_model_7b-a0975b6b"


def test_the_file_that_a_name_had_before_is_its_own_unless_it_is_about_another(tmp_path: Path) -> None:
    def of(name: str) -> str:
        return file_of(tmp_path, name, ".txt", lambda path: path.read_text() or None).name

    assert of("org/model").startswith("org_model-")
    (tmp_path / "org_model.txt").write_text("org/model")
    assert [of("org/model"), of("org_model")] == ["org_model.txt"] * 2
    assert of("org:model").startswith("org_model-")
    (tmp_path / "org_model.txt").write_text("")
    assert of("org:model") == "org_model.txt"
    (tmp_path / f"{file_name('org:model')}.txt").touch()
    assert of("org:model") == f"{file_name('org:model')}.txt"


def test_a_file_is_read(tmp_path: Path) -> None:
    path = written(tmp_path, 'name = "ü"\n[inner]\nweight = 2\n')
    assert read_toml(path, Outer) == Outer(name="ü", inner=Inner(weight=2))


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("name = 1", "\n  name: "),
        ("", "\n  name: "),
        (
            'name = ""\n[inner]\nweight = "much"',
            "\n  inner.weight: ",
        ),
        ('name = ""\nnmae = ""', "\n  nmae: no such entry. Did you mean 'name'?"),
        ('name = ""\n[inner]\nwieght = 1', "\n  inner.wieght: no such entry. Did you mean 'weight'?"),
        ('name = ""\nzzz = 1', "\n  zzz: no such entry. There are: name, inner"),
    ],
)
def test_a_mistake_is_named_with_its_file(tmp_path: Path, text: str, name: str) -> None:
    path = written(tmp_path, text)
    with refused("bad-entries", path, name):
        read_toml(path, Outer)


def test_what_is_no_toml_is_called_that(tmp_path: Path) -> None:
    path = written(tmp_path, "name = ")
    with refused("not-toml", path):
        read_toml(path, Outer)


def test_all_mistakes_of_a_file_are_named_at_once(tmp_path: Path) -> None:
    with refused("bad-entries", "name: ", "inner.wieght: "):
        read_toml(written(tmp_path, "name = 1\n[inner]\nwieght = 1"), Outer)


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_bytes('name = "ü"'.encode("latin-1"))
    with refused("not-utf-8", path):
        read_toml(path, Outer)


def test_an_entry_in_the_wrong_table_is_not_suggested_as_itself(tmp_path: Path) -> None:
    with refused("bad-entries", "weight: ") as caught:
        read_toml(written(tmp_path, 'name = ""\nweight = 1'), Outer)
    assert "Did you mean 'weight'" not in str(caught.value)
