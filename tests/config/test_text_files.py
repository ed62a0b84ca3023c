"""TOML files are checked, and every mistake is a sentence."""

import os
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from longctx.config.models import ModelProfile
from longctx.config.project_files import MOST_BYTES, read_text, read_toml
from tests.given import written
from tests.refusals import refused


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid")

    weight: float = 1.0


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid")

    name: str
    inner: Inner = Inner()


def test_a_file_is_read(tmp_path: Path) -> None:
    path = written(tmp_path / "some.toml", 'name = "ü"\n[inner]\nweight = 2\n')
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
    path = written(tmp_path / "some.toml", text)
    with refused("bad-entries", path, name):
        read_toml(path, Outer)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("[table]\nweight = 'much'", "\n  table.weight: "),
        ("[[table]]\n[[table]]\nweight = 'much'", "\n  table.1.weight: "),
    ],
)
def test_a_table_has_an_index_only_where_there_is_a_list(tmp_path: Path, text: str, name: str) -> None:
    class Config(BaseModel):
        table: Annotated[
            tuple[Inner, ...], BeforeValidator(lambda value: value if isinstance(value, list) else [value])
        ]

    with refused("bad-entries", name):
        read_toml(written(tmp_path / "some.toml", text), Config)


def test_what_follows_from_another_mistake_is_not_told(tmp_path: Path) -> None:
    class Config(BaseModel):
        window: int
        room: int = Field(default_factory=lambda entries: entries["window"])

    with refused("bad-entries", "window: ") as caught:
        read_toml(written(tmp_path / "some.toml", 'window = "big"'), Config)
    assert "room" not in str(caught.value)


def test_what_is_no_toml_is_called_that(tmp_path: Path) -> None:
    path = written(tmp_path / "some.toml", "name = ")
    with refused("not-toml", path):
        read_toml(path, Outer)


def test_all_mistakes_of_a_file_are_named_at_once(tmp_path: Path) -> None:
    with refused("bad-entries", "name: ", "inner.wieght: "):
        read_toml(written(tmp_path / "some.toml", "name = 1\n[inner]\nwieght = 1"), Outer)


def test_a_file_in_another_encoding_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "some.toml"
    path.write_bytes('name = "ü"'.encode("latin-1"))
    with refused("not-utf-8", path):
        read_toml(path, Outer)


def test_an_entry_in_the_wrong_table_is_not_suggested_as_itself(tmp_path: Path) -> None:
    with refused("bad-entries", "weight: ") as caught:
        read_toml(written(tmp_path / "some.toml", 'name = ""\nweight = 1'), Outer)
    assert "Did you mean 'weight'" not in str(caught.value)


DEEP = "a = " + "[" * 100_000


@pytest.mark.parametrize(
    ("text", "reason"), [(DEEP, "nested too deeply"), ("a = " + "1" * 5000, "integer string conversion")]
)
def test_toml_that_breaks_its_parser(tmp_path: Path, text: str, reason: str) -> None:
    """docs/security.md, deep-nesting."""
    path = written(tmp_path / "model.toml", text)
    with refused("not-toml", path, reason):
        read_toml(path, ModelProfile)


def test_a_folder_in_the_place_of_a_file(tmp_path: Path) -> None:
    with refused("not-readable", tmp_path):
        read_text(tmp_path)


def test_a_file_of_any_size_is_refused_unread(tmp_path: Path) -> None:
    """docs/security.md, file-size."""
    path = tmp_path / "large.jsonl"
    path.touch()
    os.truncate(path, MOST_BYTES + 1)  # takes no room
    with refused("file-too-large", path):
        read_text(path)


def test_a_device_is_refused() -> None:
    """docs/security.md, file-size."""
    with refused("file-is-device", "/dev/zero"):
        read_text(Path("/dev/zero"))
