"""The description of a corpus as text."""

from pathlib import Path

from longctx.corpus.documents import load_corpus, read_settings
from longctx.protocols.reports.corpus_report import stats_text
from tests.corpus.examples import long_text, write_folder


def test_a_corpus_is_shown_in_two_tables(tmp_path: Path) -> None:
    files = {f"d{n}.txt": long_text(300 + 20 * n) for n in range(6)}
    files |= {"short.txt": "a b c", "long.txt": long_text(9000), "corpus.toml": 'examples = ["d5"]'}
    corpus = load_corpus(write_folder(tmp_path, files))
    text = stats_text(corpus, read_settings(tmp_path), [100, 900, 90_000])
    lines = text.splitlines()
    assert lines[0].split() == ["sections", "5"]
    assert lines[1].split()[:1] == ["tokens"]
    assert "of claude-2" in lines[1]
    assert lines[3].endswith("1 (short)")
    assert lines[4].endswith("1 (long)")
    assert lines[5].endswith("1 (d5)")
    assert lines[-3].split()[0] == "100"
    assert lines[-3].endswith("none: no section fits")
    assert "at least" in lines[-2]
    assert lines[-1].endswith("  120")
    assert "at least" not in lines[-1]
