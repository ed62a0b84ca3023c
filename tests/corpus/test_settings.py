"""corpus.toml: what a user may say of a folder of documents."""

from pathlib import Path

import pytest

from longctx.corpus.documents import bank_files, freeze, load_corpus, read_settings, word_for
from longctx.errors import UserError
from longctx.workspace import Workspace
from tests.corpus.examples import long_text, write_folder
from tests.here import HERE
from tests.refusals import refused


def test_the_word_for_the_documents_is_their_folders(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, {"a.txt": "text", "corpus.toml": 'document = "staff handbook"'})
    assert word_for(HERE, folder) == word_for(HERE, folder / "a.txt") == "staff handbook"
    assert word_for(HERE, write_folder(tmp_path / "other", {"a.txt": "text"})) is None
    assert word_for(HERE, None) is None, "the register's word is the protocols'"


def test_a_bank_is_a_folder_and_a_file_of_one_name(mine: Workspace) -> None:
    write_folder(mine.own("manuals"), {"a.txt": "text", "corpus.toml": 'document = "manual"'})
    write_folder(mine.own("questions"), {"manuals.jsonl": "{}", "lonely.jsonl": "{}"})
    assert bank_files(mine, "manuals") == (mine.own("manuals"), mine.own("questions", "manuals.jsonl"))
    assert word_for(mine, None, "manuals") == "manual"
    assert bank_files(mine, "register-gate")[0].name == "register-gate", "the one that comes with longctx"


@pytest.mark.parametrize(
    ("name", "advice"),
    [
        ("registers", "Did you mean 'register'?"),
        ("lonely", "There are: handbook, register, register-gate, register-meaning."),
        ("models", "There are: handbook, register, register-gate, register-meaning."),
        ("../register", "Did you mean 'register'?"),
    ],
)
def test_an_unknown_bank_is_a_sentence(mine: Workspace, name: str, advice: str) -> None:
    write_folder(mine.own("questions"), {"lonely.jsonl": "{}"})
    with refused("unknown-bank", repr(name), advice):
        bank_files(mine, name)


@pytest.mark.parametrize("word", ["", " ", "a <b", "{record}", "two\\nlines", " handbook"])
def test_a_word_that_would_break_a_prompt_is_refused(tmp_path: Path, word: str) -> None:
    folder = write_folder(tmp_path, {"corpus.toml": f'document = "{word}"'})
    with refused("bad-entries", "corpus.toml", "\n  document: "):
        read_settings(folder)


def test_a_bank_may_have_the_documents_of_another_folder(tmp_path: Path) -> None:
    write_folder(tmp_path / "rules", {"a.txt": long_text(300), "corpus.toml": 'document = "rule"'})
    write_folder(tmp_path / "more", {"corpus.toml": 'documents = "rules"\nrounds = true'})
    write_folder(tmp_path / "shipped", {"corpus.toml": 'documents = "register"'})
    assert load_corpus(tmp_path / "more").digest == load_corpus(tmp_path / "rules").digest
    assert load_corpus(tmp_path / "more").name == "more"
    assert len(load_corpus(tmp_path / "shipped").sections) == 86
    with pytest.raises(UserError, match="freeze that folder"):
        freeze(tmp_path / "more")


@pytest.mark.parametrize("name", ["nowhere", "more", "chain"])
def test_documents_that_are_nowhere_are_refused(tmp_path: Path, name: str) -> None:
    write_folder(tmp_path / "more", {"corpus.toml": f'documents = "{name}"'})
    write_folder(tmp_path / "chain", {"corpus.toml": 'documents = "more"'})
    with pytest.raises(UserError, match="is not a folder of documents"):
        load_corpus(tmp_path / "more")


@pytest.mark.parametrize("name", ["../rules", "/etc", "a/b", ".hidden", ""])
def test_documents_are_named_and_no_path(tmp_path: Path, name: str) -> None:
    write_folder(tmp_path / "more", {"corpus.toml": f'documents = "{name}"'})
    with pytest.raises(UserError, match="documents"):
        load_corpus(tmp_path / "more")
