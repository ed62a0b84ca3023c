"""Prompt sets: the protocol's wording to the letter, digests, and what a folder of templates must hold."""

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from longctx.authoring.writing import Writing
from longctx.config.prompts import PromptSet
from longctx.registry import known_protocols
from longctx.vocabulary.point import Point
from longctx.workspace import Workspace
from tests.given import contents
from tests.here import HERE
from tests.protocols import Collage, Control, LineRetrieval, Passkey
from tests.refusals import refused

TESTS = [test.cell for test in known_protocols(HERE).values()]
TEMPLATES = [(test, template) for test in TESTS for template in test.declared.templates]


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return shutil.copytree(HERE.own("prompts", "protocol"), tmp_path_factory.mktemp("prompts") / "mine")


@pytest.fixture
def folder(copied: Path) -> Iterator[Path]:
    """A user's copy of the protocol's prompt set. What a test wrote or deleted is undone."""
    before = contents(copied)
    yield copied
    after = contents(copied)
    for path in before.keys() | after.keys():
        if path not in before:
            (copied / path).unlink()
        elif after.get(path) != before[path]:
            (copied / path).write_bytes(before[path])


def test_line_retrieval_is_worded_as_in_its_seed() -> None:
    assert PromptSet.open(HERE, "protocol").wording(LineRetrieval).templates == {
        "system": "",
        "header": "Testing Long Context",
        "line": "line {line}: REGISTER_CONTENT is <{value}>",
        "instruction": "[EXECUTE THIS]: Go to line {line} and report only REGISTER_CONTENT, without any context or "
        "additional text, just the number, then EXIT",
    }


def test_passkey_is_worded_as_in_its_seed() -> None:
    assert PromptSet.open(HERE, "protocol").wording(Passkey).templates == {
        "system": "",
        "opening": "There is an important info hidden inside a lot of irrelevant text. Find it and memorize them. "
        "I will quiz you about the important information there.",
        "filler": "The grass is green. The sky is blue. The sun is yellow. Here we go. There and back again.",
        "needle": "The pass key is {key}. Remember it. {key} is the pass key.",
        "question": "What is the pass key? The pass key is",
    }


# A changed digest makes every recording stale.
@pytest.mark.parametrize(
    ("prompts", "test", "digest"),
    [
        ("protocol", LineRetrieval, "018c5f6aef59"),
        ("protocol", Passkey, "158a5495d6b3"),
        ("protocol", Collage, "b63569f18345"),
        ("protocol", Writing, "cd5a77017cbd"),
        ("tagged", Collage, "a2eec61745e0"),
        ("tagged", Control, "29fb16a5bea7"),
    ],
)
def test_the_digests_are_those_on_record(prompts: str, test: type[Point], digest: str) -> None:
    assert PromptSet.open(HERE, prompts).wording(test).digest == digest


def test_documents_are_called_what_their_corpus_calls_them() -> None:
    protocol = PromptSet.open(HERE, "protocol")
    for test in (Collage, Control, Writing):
        own, plain = protocol.wording(test, "staff handbook"), protocol.wording(test)
        assert own.digest != plain.digest
        assert (own.document, plain.document) == ("staff handbook", None)
        assert not any("government" in text for name, text in own.templates.items() if not name.startswith("passage"))
    control = protocol.wording(Control, "staff handbook").templates
    assert "the following staff handbook closely" in control["record"]
    assert "<Staff Handbook>\n{record}\n</Staff Handbook>" in control["record"]
    assert control["prefill"] == "Based on the staff handbook provided, the correct answer to the question is:"
    writing = protocol.wording(Writing, "staff handbook").templates["prompt"]
    assert "Here is a section from the staff handbook. Please" in writing
    assert protocol.wording(Passkey, "staff handbook") == protocol.wording(Passkey)


def test_a_prompt_set_is_named_by_its_folder(folder: Path) -> None:
    mine, protocol = PromptSet.open(HERE, str(folder)), PromptSet.open(HERE, "protocol")
    assert (mine.name, protocol.name) == ("mine", "protocol")
    assert mine.wording(Passkey).prompt_set == "mine"
    assert mine.wording(Passkey).digest == protocol.wording(Passkey).digest


@pytest.mark.parametrize(("test", "template"), TEMPLATES)
def test_a_digest_changes_with_every_template_of_its_test_alone(folder: Path, test: type[Point], template: str) -> None:
    prompts = PromptSet.open(HERE, str(folder))
    before = {other: prompts.wording(other).digest for other in TESTS}
    path = folder / test.declared.name / f"{template}.txt"
    path.write_text(path.read_text(encoding="utf-8") + "more", encoding="utf-8")
    after = {other: prompts.wording(other).digest for other in TESTS}
    assert {other for other in before if before[other] != after[other]} == {test}


def test_a_digest_does_not_change_with_other_files(folder: Path) -> None:
    prompts = PromptSet.open(HERE, str(folder))
    before = prompts.wording(Passkey).digest
    (folder / "passkey" / "notes.md").write_text("mine", encoding="utf-8")
    assert prompts.wording(Passkey).digest == before


def test_a_template_that_the_test_does_not_use_is_refused(folder: Path) -> None:
    prompts = PromptSet.open(HERE, str(folder))
    (folder / "passkey" / "systme.txt").write_text("Answer in one word.", encoding="utf-8")
    with refused("unknown-template", "systme.txt", "Did you mean 'system.txt'?"):
        prompts.wording(Passkey)
    assert prompts.wording(LineRetrieval).prompt_set == "mine"


def test_a_byte_order_mark_is_not_sent(folder: Path) -> None:
    prompts = PromptSet.open(HERE, str(folder))
    before, path = prompts.wording(Passkey), folder / "passkey" / "opening.txt"
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert prompts.wording(Passkey) == before


@pytest.mark.parametrize(("text", "read"), [("a", "a"), ("a\n", "a"), ("a\n\n", "a\n"), ("a\r\n", "a"), (" a ", " a ")])
def test_one_newline_at_the_end_belongs_to_the_file(folder: Path, text: str, read: str) -> None:
    (folder / "passkey" / "opening.txt").write_bytes(text.encode())
    assert PromptSet.open(HERE, str(folder)).wording(Passkey).templates["opening"] == read


def test_a_test_is_in_the_project_s_own_set_or_else_in_the_one_that_comes_with_longctx(tmp_path: Path) -> None:
    own = shutil.copytree(HERE.own("prompts", "protocol", "passkey"), tmp_path / "fixtures/prompts/protocol/passkey")
    (own / "opening.txt").write_text("Mine.", encoding="utf-8")
    protocol, here = PromptSet.open(Workspace(tmp_path), "protocol"), PromptSet.open(HERE, "protocol")
    assert (protocol.name, protocol.wording(Passkey).templates["opening"]) == ("protocol", "Mine.")
    assert protocol.wording(LineRetrieval) == here.wording(LineRetrieval)
    (own / "opening.txt").unlink()
    with refused("prompt-file-missing", own / "opening.txt", HERE.own("prompts", "protocol", "passkey")):
        protocol.wording(Passkey)


def test_an_unknown_prompt_set_is_told_what_there_is() -> None:
    with refused("unknown-prompt-set", "sead", "protocol"):
        PromptSet.open(HERE, "sead")


@pytest.mark.parametrize(("test", "template"), TEMPLATES)
def test_a_missing_template_is_named_with_where_to_copy_it_from(folder: Path, test: type[Point], template: str) -> None:
    path = folder / test.declared.name / f"{template}.txt"
    path.unlink()
    with refused("prompt-file-missing", path, HERE.own("prompts", "protocol", test.declared.name)):
        PromptSet.open(HERE, str(folder)).wording(test)


@pytest.mark.parametrize(
    ("test", "template", "placeholder"),
    [
        (test, template, placeholder)
        for test in TESTS
        for template, holds in test.declared.templates.items()
        for placeholder in holds
    ],
)
def test_a_missing_placeholder_is_named(folder: Path, test: type[Point], template: str, placeholder: str) -> None:
    path = folder / test.declared.name / f"{template}.txt"
    path.write_text(path.read_text(encoding="utf-8").replace(f"{{{placeholder}}}", "it"), encoding="utf-8")
    with refused("placeholder-missing", path, f"{{{placeholder}}}"):
        PromptSet.open(HERE, str(folder)).wording(test)


def test_a_template_in_another_encoding_is_refused(folder: Path) -> None:
    (folder / "passkey" / "opening.txt").write_bytes("Geheimnis für dich".encode("latin-1"))
    with refused("not-utf-8", "opening.txt"):
        PromptSet.open(HERE, str(folder)).wording(Passkey)
