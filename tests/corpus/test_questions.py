"""Questions files: read, checked, and told apart by a digest."""

import datetime
import json
from pathlib import Path

import pytest

from longctx.corpus.documents import Corpus
from longctx.corpus.questions import QuestionSet, Reviewed, dump, load_questions
from longctx.errors import UserError
from tests.corpus.examples import corpus, question, section
from tests.here import HERE

REGISTER = HERE.own("questions", "register.jsonl")


def write(folder: Path, *lines: str) -> Path:
    path = folder / "mine.jsonl"
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


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
    ("changed", "message"),
    [
        ({"wrong": ["a", "b"]}, "line 1: wrong: a question has 3 wrong answers, and here are 2 (found ['a', 'b'])."),
        ({"wrong": ["a", "b", "c", "d"]}, "line 1: wrong: a question has 3 wrong answers, and here are 4"),
        ({"wrong": "a"}, "line 1: wrong: Input should be a valid array (found 'a')"),
        ({"right": " "}, "line 1: right: a question or an answer must be one line of text"),
        ({"question": "two\nlines"}, "must be one line of text"),
        ({"rihgt": "x"}, "line 1: rihgt: no such entry. Did you mean 'right'?"),
        ({"remark": "x"}, "line 1: remark: no such entry. There are: id, section, question, right, wrong, "),
        ({"id": "q 1"}, "line 1: id"),
        ({"wrong": ["a", "a", "b"]}, "question q1: two of its four answers are the same"),
        ({"wrong": ["At the northern quay ", "a", "b"]}, "two of its four answers are the same"),
        ({"section": "pier"}, "it is about 'pier', which is no section of two"),
    ],
)
def test_an_entry_that_cannot_be_used_is_named(tmp_path: Path, changed: dict[str, object], message: str) -> None:
    line = json.dumps(json.loads(dump([question()])) | changed)
    with pytest.raises(UserError) as error:
        load_questions(write(tmp_path, line), corpus())
    assert message in str(error.value)


def test_a_misspelt_entry_is_named_rather_than_the_one_it_leaves_out(tmp_path: Path) -> None:
    line = dump([question()]).strip().replace('"right"', '"rigth"')
    with pytest.raises(UserError, match=r"line 1: rigth: no such entry\. Did you mean 'right'\?$"):
        load_questions(write(tmp_path, line))


def test_an_entry_that_is_left_out_is_named(tmp_path: Path) -> None:
    line = json.dumps({key: one for key, one in json.loads(dump([question()])).items() if key != "right"})
    with pytest.raises(UserError, match=r"line 1: right: missing\.$"):
        load_questions(write(tmp_path, line))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        ([], "holds no questions"),
        (["{"], "line 1: the line: Invalid JSON"),
        ([dump([question()]).strip()] * 2, "two questions with the id 'q1'"),
    ],
)
def test_a_file_that_cannot_be_used_is_explained(tmp_path: Path, lines: list[str], message: str) -> None:
    with pytest.raises(UserError) as error:
        load_questions(write(tmp_path, *lines))
    assert message in str(error.value)


def test_a_missing_file_is_explained(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"No questions file .*nowhere\.jsonl"):
        load_questions(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize(
    ("place", "why"),
    [
        ("left_out", "its 4 tokens are out of bounds"),
        ("examples", "one of the examples of two and kept out of the test"),
    ],
)
def test_a_question_about_a_section_out_of_the_test_says_why(tmp_path: Path, place: str, why: str) -> None:
    out = (section("pier", "a very short text"),)
    documents = Corpus("two", "words", corpus().sections, **{place: out})
    with pytest.raises(UserError, match=why):
        load_questions(write(tmp_path, dump([question(section="pier")]).strip()), documents)
