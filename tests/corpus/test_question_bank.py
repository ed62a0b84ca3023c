"""Questions files: read, checked, and told apart by a digest."""

import datetime
import json
from pathlib import Path

import pytest

from longctx.corpus.documents import Corpus
from longctx.corpus.question_bank import QuestionSet, Reviewed, dump, load_questions
from tests.corpus.examples import corpus, question, section
from tests.given import written
from tests.here import HERE
from tests.refusals import refused

REGISTER = HERE.own("questions", "register.jsonl")


def write(folder: Path, *lines: str) -> Path:
    return written(folder / "mine.jsonl", "".join(f"{line}\n" for line in lines))


def test_what_is_written_is_read_again(tmp_path: Path) -> None:
    asked = (question("q1"), question("q2", right="Köln", numerical=True, fact="port", provenance="by hand"))
    loaded = load_questions(write(tmp_path, *dump(asked).splitlines(), ""), corpus())
    assert loaded.name == "mine"
    assert loaded.questions == asked
    assert loaded.questions[0].answers[0] == loaded.questions[0].right


def test_a_question_may_hold_what_ends_a_line_elsewhere(tmp_path: Path) -> None:
    asked = (question("q1", right="one\u2028two\x85three"),)
    assert load_questions(write(tmp_path, *dump(asked).split("\n"))).questions == asked


def test_the_digest_is_of_what_is_asked_and_not_of_how_it_is_written(tmp_path: Path) -> None:
    line = dump([question()]).strip()
    turned = json.dumps(dict(reversed(json.loads(line).items())), indent=None)
    digest = load_questions(write(tmp_path, line)).digest
    assert load_questions(write(tmp_path, turned)).digest == digest
    assert load_questions(write(tmp_path, line.replace("Where", "At which quay"))).digest != digest


def test_the_shipped_questions_are_the_same_for_ever() -> None:
    assert load_questions(REGISTER).digest == "15413bffd4435ac1a20d3d7e9206cae1a24207dda5f4c0ab02c06dacd8782de9"


def test_the_earlier_name_of_the_prompt_set_gives_the_same_digest() -> None:
    """What a model writes today is answered by what was recorded before the prompt set was renamed."""
    now, earlier = (question(provenance=f"written by m, prompts {name} (1a2b3c)") for name in ("protocol", "seed"))
    assert QuestionSet("q", (now,)).digest == QuestionSet("q", (earlier,)).digest


def test_a_wrong_answer_that_cannot_be_used_is_named_by_its_place(tmp_path: Path) -> None:
    line = json.loads(dump([question()]))
    line["wrong"][1] = 7
    with refused("bad-question", "wrong.1: "):
        load_questions(write(tmp_path, json.dumps(line)))


def test_a_review_changes_no_digest(tmp_path: Path) -> None:
    mark = Reviewed(decision="kept", by="Ann", on=datetime.date(2026, 11, 22))
    asked = question()
    kept = asked.model_copy(update={"reviewed": mark})
    assert QuestionSet("q", (kept,)).digest == QuestionSet("q", (asked,)).digest
    assert "reviewed" not in dump([asked])
    loaded = load_questions(write(tmp_path, dump([kept]).strip()))
    assert loaded.questions == (kept,)


def test_an_answer_may_hold_unicodes_ends_of_lines(tmp_path: Path) -> None:
    asked = question(right="to the\u2028quay\x85north")
    assert load_questions(write(tmp_path, dump([asked]).strip())).questions == (asked,)


@pytest.mark.parametrize(
    ("changed", "code", "name"),
    [
        ({"wrong": ["a", "b"]}, "bad-question", "line 1: wrong: "),
        ({"wrong": ["a", "b", "c", "d"]}, "bad-question", "line 1: wrong: "),
        ({"wrong": "a"}, "bad-question", "line 1: wrong: "),
        ({"right": " "}, "bad-question", "line 1: right: "),
        ({"question": "two\nlines"}, "bad-question", "line 1: question: "),
        ({"rihgt": "x"}, "bad-question", "line 1: rihgt: "),
        ({"remark": "x"}, "bad-question", "line 1: remark: "),
        ({"id": "q 1"}, "bad-question", "line 1: id: "),
        ({"wrong": ["a", "a", "b"]}, "duplicate-answers", "q1"),
        ({"wrong": ["At the northern quay ", "a", "b"]}, "duplicate-answers", "q1"),
        ({"section": "pier"}, "unusable-section", "'pier'"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named(
    tmp_path: Path, changed: dict[str, object], code: str, name: str
) -> None:
    line = json.dumps(json.loads(dump([question()])) | changed)
    with refused(code, name):
        load_questions(write(tmp_path, line), corpus())


def test_a_misspelt_entry_is_named_rather_than_the_one_it_leaves_out(tmp_path: Path) -> None:
    line = dump([question()]).strip().replace('"right"', '"rigth"')
    with refused("bad-question", "line 1: rigth: ", "'right'"):
        load_questions(write(tmp_path, line))


def test_an_entry_that_is_left_out_is_named(tmp_path: Path) -> None:
    line = json.dumps({key: value for key, value in json.loads(dump([question()])).items() if key != "right"})
    with refused("bad-question", "line 1: right: "):
        load_questions(write(tmp_path, line))


@pytest.mark.parametrize(
    ("lines", "code", "name"),
    [
        ([], "no-questions", "mine.jsonl"),
        (["{"], "bad-question", "line 1: the line: "),
        ([dump([question()]).strip()] * 2, "duplicate-question-id", "'q1'"),
    ],
)
def test_a_file_that_cannot_be_used_is_explained(tmp_path: Path, lines: list[str], code: str, name: str) -> None:
    with refused(code, name):
        load_questions(write(tmp_path, *lines))


def test_a_missing_file_is_explained(tmp_path: Path) -> None:
    with refused("no-questions-file", "nowhere.jsonl"):
        load_questions(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("left_out", "4 tokens"),
        ("examples", "examples of two"),
    ],
)
def test_a_question_about_a_section_out_of_the_test_says_why(tmp_path: Path, place: str, why: str) -> None:
    out = (section("pier", "a very short text"),)
    documents = Corpus("two", "words", corpus().sections, **{place: out})
    with refused("unusable-section", why):
        load_questions(write(tmp_path, dump([question(section="pier")]).strip()), documents)


def test_a_section_that_moved_into_a_subfolder_is_suggested(tmp_path: Path) -> None:
    documents = Corpus("two", "words", (section("hr-leave", "a text"), section("hr-sick-leave", "a text")))
    with refused("unusable-section", "'leave'", "is it 'hr-leave' now?"):
        load_questions(write(tmp_path, dump([question(section="leave")]).strip()), documents)


def test_a_byte_order_mark_is_no_part_of_the_first_question(tmp_path: Path) -> None:
    plain = write(tmp_path, dump([question()]).strip())
    before = load_questions(plain)
    plain.write_bytes(b"\xef\xbb\xbf" + plain.read_bytes())
    assert load_questions(plain).questions == before.questions
