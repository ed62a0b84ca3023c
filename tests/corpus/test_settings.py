"""corpus.toml: what a user may say of a folder of documents."""

from pathlib import Path

import pytest

from longctx.corpus.settings import read_settings, word_for
from longctx.errors import UserError
from tests.corpus.examples import write_folder
from tests.here import HERE


def test_the_word_for_the_documents_is_their_folders(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, {"a.txt": "text", "corpus.toml": 'document = "staff handbook"'})
    assert word_for(HERE, folder) == word_for(HERE, folder / "a.txt") == "staff handbook"
    assert word_for(HERE, write_folder(tmp_path / "other", {"a.txt": "text"})) is None
    assert word_for(HERE, None) is None, "the register's word is the protocols'"


@pytest.mark.parametrize("word", ["", " ", "a <b", "{record}", "two\\nlines", " handbook"])
def test_a_word_that_would_break_a_prompt_is_refused(tmp_path: Path, word: str) -> None:
    folder = write_folder(tmp_path, {"corpus.toml": f'document = "{word}"'})
    with pytest.raises(UserError, match=r"corpus\.toml .*\n  document: give what one document is called"):
        read_settings(folder)
