"""Names of models and prompt sets as names of files."""

import contextlib

import pytest

from longctx.config.file_names import check_name, file_name, folder_of, servers_in, slug
from tests.refusals import refused


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


@pytest.mark.parametrize("name", ["", ".", "..", ".lock", "x" * 201])
def test_a_name_that_cannot_name_a_file(name: str) -> None:
    """docs/security.md, names."""
    with refused("bad-name"):
        check_name(name)
    with refused("bad-name") if name else contextlib.nullcontext():
        assert file_name(name) == ""


def test_a_server_with_a_name_has_its_own_folder_of_each_model() -> None:
    folders = [folder_of("toy"), folder_of("toy", "q4"), folder_of("toy-2", "f16"), folder_of("org/toy", "f16")]
    assert servers_in(folders, "toy") == ["", "q4"]
    assert servers_in(folders, "org/toy") == ["f16"]
    assert servers_in(folders, "toy,server=q4") == [], "no name of a model is a folder with a comma"
