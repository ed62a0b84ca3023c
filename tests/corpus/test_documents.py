"""A folder is a corpus: which files and parts are sections, which are kept, and the digest of them all."""

from pathlib import Path

import pytest

from longctx.corpus.documents import Corpus, freeze, load_corpus, noticed
from tests.corpus.examples import ISSUE, long_text, section, write_folder
from tests.refusals import refused


def ids(corpus: Corpus) -> list[str]:
    return [section.id for section in corpus.sections]


def test_text_files_are_sections_named_by_their_path(tmp_path: Path) -> None:
    files = {"b.txt": long_text(300), "a/c.md": f"# The Harbor\n\n{long_text(300)}", "a/image.png": "no text"}
    corpus = load_corpus(write_folder(tmp_path / "mine", files))
    assert corpus.name == "mine"
    assert ids(corpus) == ["a-c", "b"]
    assert corpus.sections[0].title == "The Harbor"
    assert corpus.sections[0].text.startswith("# The Harbor")


def test_a_single_file_is_a_corpus_by_the_settings_of_its_folder(tmp_path: Path) -> None:
    settings = 'split_at = "%%"\nexamples = ["b"]'
    write_folder(
        tmp_path, {"README.md": f"{long_text(300)}%%{long_text(300)}", "b.txt": long_text(300), "corpus.toml": settings}
    )
    freeze(tmp_path)
    corpus = load_corpus(tmp_path / "README.md")
    assert [section.id for section in corpus.sections] == ["README-001", "README-002"]
    with refused("path-is-file", "b.txt"):
        freeze(tmp_path / "b.txt")


def test_readmes_and_hidden_files_are_no_documents(tmp_path: Path) -> None:
    files = {
        "a.txt": long_text(300),
        "README.md": long_text(300),
        ".notes/b.txt": long_text(300),
        ".c.txt": long_text(300),
    }
    assert ids(load_corpus(write_folder(tmp_path, files))) == ["a"]


def test_other_files_are_counted_and_named(tmp_path: Path) -> None:
    files = {"a.txt": long_text(300), "corpus.toml": "", "README.pdf": "-", ".git/x.pdf": "-", "questions.jsonl": "{}"}
    folder = write_folder(tmp_path, files)
    assert noticed(folder) == ""
    write_folder(folder, {"b/one.pdf": "-", "two.PDF": "-", "rates.csv": "-", "LICENSE": "-"})
    sentence = noticed(folder)
    assert "4 files are not read (2 .pdf, 1 no suffix, 1 .csv; the first: LICENSE)" in sentence
    (folder / "corpus.toml").write_text('ignore = ["*.pdf", "*.PDF", "LICENSE"]')
    assert "1 file is not read (1 .csv; the first: rates.csv)" in noticed(folder)
    assert 'ignore = ["*.csv"]' in noticed(folder)


def test_copies_are_named(tmp_path: Path) -> None:
    files = {"a.md": long_text(300), "b/c.md": long_text(300), "d.md": "x" + long_text(300), "e.pdf": "-", "f.pdf": "-"}
    folder = write_folder(tmp_path / "mine", files | {"corpus.toml": 'ignore = ["*.pdf"]'})
    assert noticed(folder).startswith(f"{folder}: a.md and b/c.md have the same text, so a question about one is")
    (folder / "z.md").symlink_to("d.md")
    assert "b/c.md have the same text, as in 1 more case, so" in noticed(folder)
    (folder / "corpus.toml").write_text('ignore = ["*.pdf", "b/*"]')
    assert noticed(folder).startswith(f"{folder}: d.md and z.md (a link) have the same text, so")


def test_links_that_are_not_read_are_named(tmp_path: Path) -> None:
    folder = write_folder(tmp_path / "mine", {"a.md": long_text(300), "b/c.md": "x" + long_text(300)})
    (folder / "more").symlink_to("b")
    assert noticed(folder) == f"{folder}: 1 link is not read (the first: more, to a folder): put files in its place."
    (folder / "gone.md").symlink_to("nowhere.md")
    assert "2 links are not read (the first: gone.md, to nothing): put files in their place." in noticed(folder)
    assert ids(load_corpus(folder)) == ["a", "b-c"]


@pytest.mark.parametrize(
    ("code", "headings"),
    [
        ("```sh\n## no heading\npip install x\n```", 0),
        ("~~~~\n~~~\n```\n## no heading\n~~~~", 0),
        ("``` `inline` ```\n## a heading\n```", 1),
        ("```\nx\n```\n## a heading\n```\n## no heading\n``` \r\n## a heading", 2),
        ("    ```\n## a heading\n", 1),
        ("```\n## no heading\n\n## no heading, since it has no end", 0),
    ],
)
def test_headings_within_code_are_no_sections(tmp_path: Path, code: str, headings: int) -> None:
    text = f"{long_text(300)}\n## One\n{code}\n"
    settings = 'min_tokens = 0\nsplit_at = "\\n## "'
    folder = write_folder(tmp_path, {"a.md": text, "b.txt": text, "corpus.toml": settings})
    sections = load_corpus(folder).sections
    of_markdown = [section.text for section in sections if section.id.startswith("a")]
    assert len(of_markdown) == 2 + headings
    assert "\n## ".join(of_markdown) == text
    assert len(sections) - len(of_markdown) == 1 + text.count("\n## ")


def test_many_fences_take_no_time(tmp_path: Path) -> None:
    text = "~~~a\n" * 100_000 + "~~~\n" + "```\nx\n```\n" * 50_000 + "\n## One\nlast words"
    write_folder(tmp_path, {"a.md": text, "corpus.toml": 'min_tokens = 0\nmax_tokens = 20\nsplit_at = "\\n## "'})
    assert [section.text for section in load_corpus(tmp_path).sections] == ["One\nlast words"]


def test_ignored_documents_are_not_read(tmp_path: Path) -> None:
    files = {"a.txt": long_text(300), "drafts/b.txt": long_text(300), "corpus.toml": 'ignore = ["drafts/*"]'}
    assert ids(load_corpus(write_folder(tmp_path, files))) == ["a"]
    freeze(tmp_path)
    assert ids(load_corpus(tmp_path)) == ["a"]


@pytest.mark.parametrize("name", ["a.txt", "a.md", "a.xml"])
def test_a_byte_order_mark_is_no_part_of_a_document(tmp_path: Path, name: str) -> None:
    text = f"<NOTICE><P>{long_text(300)}</P></NOTICE>" if name.endswith("xml") else long_text(300)
    plain = load_corpus(write_folder(tmp_path / "plain", {name: text}))
    marked = load_corpus(write_folder(tmp_path / "marked", {name: f"\ufeff{text}"}))
    assert marked.digest == plain.digest


def test_a_frozen_section_that_moved_is_suggested(tmp_path: Path) -> None:
    write_folder(tmp_path, {"leave.txt": long_text(300), "pay.txt": long_text(300)})
    freeze(tmp_path)
    (tmp_path / "hr").mkdir()
    (tmp_path / "leave.txt").rename(tmp_path / "hr" / "leave.txt")
    with refused("section-gone", "'leave'", "is it 'hr-leave' now?"):
        load_corpus(tmp_path)


def test_an_issue_of_the_federal_register_is_split(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, {"FR-2023-07-13.xml": ISSUE, "corpus.toml": "min_tokens = 20"})
    corpus = load_corpus(folder)
    assert ids(corpus) == ["FR-2023-07-13-001", "FR-2023-07-13-002"]
    assert not corpus.left_out
    assert corpus.sections[1].title == "Product Change"


@pytest.mark.parametrize("name", ["2014-30404.xml", "2014-30404.txt"])
def test_a_single_notice_is_one_section(tmp_path: Path, name: str) -> None:
    """federalregister.gov serves single notices marked up and as plain text."""
    text = f"POSTAL SERVICE\n{long_text(300)}\nBILLING CODE 7710–12–P\n"
    whole = f"<NOTICE><P>{text}</P></NOTICE>" if name.endswith("xml") else text
    corpus = load_corpus(write_folder(tmp_path, {name: whole}))
    assert ids(corpus) == ["2014-30404"]
    assert not corpus.left_out
    assert corpus.sections[0].text == text.rstrip()


def test_what_was_frozen_in_the_notebooks_reading_stays_as_it_was_read(tmp_path: Path) -> None:
    """Corpora that were fetched and frozen before there was another reading, with what was recorded about them."""
    settings = "min_tokens = 3\n"
    write_folder(tmp_path, {"FR.xml": ISSUE, "corpus.toml": f'{settings}reading = "notebook"'})
    freeze(tmp_path)
    before = load_corpus(tmp_path)
    assert [section.text.startswith(" 4910") for section in before.sections] == [False, True, False]
    assert "reading" not in (tmp_path / "sections.toml").read_text()
    (tmp_path / "corpus.toml").write_text(settings)
    assert load_corpus(tmp_path).digest == before.digest
    assert load_corpus(tmp_path / "FR.xml").digest == before.digest
    freeze(tmp_path)
    assert load_corpus(tmp_path).digest == before.digest
    (tmp_path / "corpus.toml").write_text(f'{settings}reading = "documents"')
    with refused("section-changed"):
        load_corpus(tmp_path)
    freeze(tmp_path)
    assert ids(load_corpus(tmp_path)) == ["FR-001", "FR-002"]
    (tmp_path / "corpus.toml").write_text(settings)
    assert ids(load_corpus(tmp_path)) == ["FR-001", "FR-002"]


def test_sections_keep_to_the_bounds_of_the_notebook(tmp_path: Path) -> None:
    """More than 200 tokens and at most 5000, as in its third cell."""
    sizes = {"short": 200, "least": 201, "most": 5000, "long": 5001}
    corpus = load_corpus(write_folder(tmp_path, {f"{name}.txt": " ".join(["the"] * n) for name, n in sizes.items()}))
    assert {section.id: section.tokens for section in corpus.sections} == {"least": 201, "most": 5000}
    assert {section.id: section.tokens for section in corpus.left_out} == {"short": 200, "long": 5001}
    assert corpus.tokens == 5201


def test_split_at_parts_long_text_files(tmp_path: Path) -> None:
    text = f"{long_text(300)}\n* * *\n{long_text(300)}"
    folder = write_folder(tmp_path, {"a.txt": text, "corpus.toml": 'split_at = "* * *"'})
    assert ids(load_corpus(folder)) == ["a-001", "a-002"]


def test_split_at_parts_the_documents_of_xml_further(tmp_path: Path) -> None:
    xml = f"<FEDREG><P>{long_text(300)}* * *{long_text(300)}BILLING CODE 1\n{long_text(300)}</P></FEDREG>"
    folder = write_folder(tmp_path, {"a.xml": xml, "corpus.toml": 'split_at = "* * *"'})
    assert ids(load_corpus(folder)) == ["a-001", "a-002", "a-003"]


def test_examples_are_kept_out_of_the_test(tmp_path: Path) -> None:
    files = {"a.txt": long_text(300), "b.txt": long_text(300), "corpus.toml": 'examples = ["b"]'}
    corpus = load_corpus(write_folder(tmp_path, files))
    assert ids(corpus) == ["a"]
    assert [section.id for section in corpus.examples] == ["b"]


def test_the_digest_changes_with_any_text_and_with_nothing_else(tmp_path: Path) -> None:
    corpus = load_corpus(write_folder(tmp_path / "one", {"a.txt": long_text(300)}))
    same = load_corpus(write_folder(tmp_path / "two", {"a.txt": long_text(300), "README.md": "about"}))
    other = load_corpus(write_folder(tmp_path / "three", {"a.txt": long_text(300) + "."}))
    assert corpus.digest == same.digest != other.digest
    assert Corpus("x", "words", (section("a", "b c"),)).digest != Corpus("x", "words", (section("ab", " c"),)).digest


@pytest.mark.parametrize(
    ("files", "code", "name"),
    [
        ({}, "no-documents", "no .xml, .txt or .md file"),
        ({"a.txt": "short"}, "no-section-of-size", "1 of other sizes"),
        ({"a.txt": long_text(300), "a.md": long_text(300)}, "duplicate-section-names", "'a'"),
        ({"a.txt": long_text(300), "corpus.toml": 'examples = ["z"]'}, "unknown-example-section", "'z'"),
        ({"a.txt": long_text(300), "corpus.toml": "mintokens = 2"}, "bad-entries", "'min_tokens'"),
        ({"a.xml": "<a>"}, "xml-not-well-formed", "a.xml"),
    ],
    ids=["empty", "short", "same name", "no such example", "misspelt entry", "broken xml"],
)
def test_a_folder_that_cannot_be_used_is_explained(tmp_path: Path, files: dict[str, str], code: str, name: str) -> None:
    with refused(code, name):
        load_corpus(write_folder(tmp_path, files))


def test_a_missing_folder_and_bytes_that_are_no_text_are_explained(tmp_path: Path) -> None:
    with refused("no-documents-folder", "nowhere"):
        load_corpus(tmp_path / "nowhere")
    (tmp_path / "latin.txt").write_bytes("für".encode("latin-1"))
    with refused("not-utf-8", "latin.txt"):
        load_corpus(tmp_path)


def test_frozen_counts_are_used_as_they_are(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, {"a.txt": long_text(300)})
    path = freeze(folder)
    counted = load_corpus(folder)
    path.write_text(path.read_text().replace(f"tokens = {counted.sections[0].tokens}", "tokens = 777"))
    assert load_corpus(folder).sections[0].tokens == 777


@pytest.mark.parametrize(
    ("name", "text", "code"),
    [
        ("a.txt", long_text(302), "section-changed"),
        ("b.txt", long_text(300), "section-changed"),
        ("a.txt", None, "section-gone"),
    ],
    ids=["changed", "added", "removed"],
)
def test_frozen_counts_that_do_not_fit_are_refused(tmp_path: Path, name: str, text: str | None, code: str) -> None:
    folder = write_folder(tmp_path, {"a.txt": long_text(300), "z.txt": long_text(300)})
    freeze(folder)
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(text)
    with refused(code, f"'{name[0]}'", folder):
        load_corpus(folder)


def test_titles_with_quotes_survive_freezing(tmp_path: Path) -> None:
    title = 'A "quoted" title \\ with \x7f'
    folder = write_folder(tmp_path, {"a.txt": f"{title}\n{long_text(300)}"})
    freeze(folder)
    assert load_corpus(folder).sections[0].title == title
