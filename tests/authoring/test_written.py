"""Reading a model's questions: what is kept is well formed, and what is dropped has a reason."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.authoring.faults import check
from longctx.authoring.writing import Writing
from longctx.authoring.written import LONGEST, Written, dump_dropped, read_reply
from longctx.corpus.documents import Corpus, load_corpus
from longctx.corpus.question_bank import dump, load_questions
from tests.corpus.examples import section, write_folder
from tests.given import reply, words_of
from tests.here import HERE

RIGHT, WRONG = "At the quay", ("In the basin", "Off the pier", "By the lock")


def block(number: int = 1, question: str = "Where must ships moor?", answers: tuple[str, ...] = (RIGHT, *WRONG)) -> str:
    lines = "\n".join(f"{place}. {answer}" for place, answer in enumerate(answers, 1))
    return f"<Question {number}>\n{question}\n</Question {number}>\n<Answers {number}>\n{lines}\n</Answers {number}>\n"


def read(text: str, per_section: int = 5, stop_reason: str = "end_turn") -> Written:
    return read_reply("harbor", reply(text, stop_reason), per_section, "written by a test")


def test_a_tag_of_the_corpus_own_word_is_a_tag_of_the_prompt() -> None:
    answer = reply(block(question="Where do </Staff Handbook> ships moor?"))
    assert len(read_reply("harbor", answer, 1, "").questions) == 1
    [dropped] = read_reply("harbor", answer, 1, "", "staff handbook").dropped
    assert dropped.reason == "a tag of the prompt"


def reasons(text: str, **given: object) -> list[str]:
    return [dropped.reason for dropped in read(text, **given).dropped]  # type: ignore[arg-type]


def test_a_sound_question_is_kept() -> None:
    written = read(block(2))
    (question,) = written.questions
    assert (question.id, question.section, question.provenance) == ("harbor-q2", "harbor", "written by a test")
    assert (question.question, question.right, question.wrong) == ("Where must ships moor?", RIGHT, WRONG)
    assert not question.numerical
    assert (written.dropped, written.missing) == ((), 4)


def test_the_answer_tells_what_is_numerical() -> None:
    asked = ("12 meters", "14 meters", "31 meters", "7 meters")
    assert [question.numerical for question in read(block(1) + block(2, "How deep?", asked)).questions] == [False, True]


def test_text_over_lines_becomes_one() -> None:
    (question,) = read(block(question="Where must\u2028ships\n  moor?", answers=("At the\n quay", *WRONG))).questions
    assert (question.question, question.right) == ("Where must ships moor?", RIGHT)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("I cannot help with that.", "no questions in the reply"),
        (block(answers=(RIGHT, *WRONG[:2])), "not four answers"),
        (block(answers=(RIGHT, *WRONG, "On land")), "not four answers"),
        (block(answers=(RIGHT, "", *WRONG[:2])), "empty"),
        (block(answers=(RIGHT, "…", *WRONG[:2])), "empty"),
        (block(question=""), "empty"),
        (block(answers=(RIGHT, "at the quay.", *WRONG[:2])), "two answers alike"),
        (block(question="Where must ships moor? And until when?"), "more than one question"),
        (block(question="Where?\n1. At the quay\n2. In the basin"), "a list within the question"),
        (block(answers=("x" * 100_000, *WRONG)), "too long"),
        (block(answers=("(" * 100_000, *WRONG)), "too long"),
        (block(question="x" * (LONGEST + 1)), "too long"),
        (block(answers=(f"{RIGHT} </Answers 1> <Question 2>", *WRONG)), "not four answers"),
        (block(answers=(f"{RIGHT}</Government Record>", *WRONG)), "a tag of the prompt"),
        (block(answers=(f"<Answer A>{RIGHT}", *WRONG)), "a tag of the prompt"),
        (block(answers=("\u202ekeep out", *WRONG)), "hidden characters"),
        (block(answers=("At\x1b[31m", *WRONG)), "hidden characters"),
        (block(answers=("At \ud800", *WRONG)), "hidden characters"),
        (block(answers=(RIGHT, f"{WRONG[0]} (correct)", *WRONG[1:])), "the right answer is not the first"),
        (block(answers=(f"{RIGHT} (incorrect)", *WRONG)), "the right answer is not the first"),
        (block(0), "numbered beyond what was asked"),
        (block(6), "numbered beyond what was asked"),
        ("<Question 1>Where?</Question 1>", "a question without answers"),
        (block(1).partition("</Question 1>")[2], "answers without a question"),
    ],
)  # fmt: skip
def test_what_is_unsound_is_dropped_with_its_reason(text: str, reason: str) -> None:
    written = read(text)
    assert not written.questions
    assert written.dropped[0].reason == reason
    assert all(dropped.raw in text for dropped in written.dropped)


def test_of_two_with_one_number_the_first_is_kept() -> None:
    written = read(block(1) + block(1, "Who?"))
    assert [question.question for question in written.questions] == ["Where must ships moor?"]
    assert [dropped.reason for dropped in written.dropped] == ["a number used twice"]


def test_questions_without_numbers_are_counted() -> None:
    text = (block(1) + block(2)).replace(" 1>", ">").replace(" 2>", ">")
    assert [question.id for question in read(text).questions] == ["harbor-q1", "harbor-q2"]


def test_a_note_that_tells_the_right_answer_is_taken_off() -> None:
    (question,) = read(
        block(answers=(f"{RIGHT} (correct answer)", *(f"{answer} [incorrect]" for answer in WRONG)))
    ).questions
    assert question.answers == (RIGHT, *WRONG)


def test_a_reply_cut_short_loses_what_may_be_cut() -> None:
    cut = (block(1) + block(2)).removesuffix("</Answers 2>\n")
    assert [question.id for question in read(cut).questions] == ["harbor-q1", "harbor-q2"]
    assert [question.id for question in read(cut, stop_reason="max_tokens").questions] == ["harbor-q1"]
    assert reasons(cut, stop_reason="max_tokens") == ["cut off"]
    assert reasons("Let me think", stop_reason="max_tokens") == ["cut off"]
    assert reasons("", stop_reason="refusal") == ["refused"]


@pytest.mark.parametrize(
    ("question", "answers"),
    [
        ("船舶必须停泊在哪里\uff1f", ("北码头", "内港", "外港", "桥边")),
        ("کشتی‌ها کجا پهلو می‌گیرند؟", ("اسکله", "حوضچه", "لنگرگاه", "پل")),  # noqa: RUF001
        ("Where must 🚢 moor?", ("A & B", "</script>", "'; drop --", "<b>C</b>")),
    ],
)
def test_other_languages_and_signs_are_kept(question: str, answers: tuple[str, ...]) -> None:
    (kept,) = read(block(question=question, answers=answers)).questions
    assert (kept.question, kept.answers) == (question, answers)


TAGS = "<Question 1>", "</Question 1>", "<Answers 1>", "</Answers 1>", "<question>", "<Answer>", "</script>"
ENDS = "\n", "\u2028", "\x85", "\x1e", "\x00", "\ud800", "\u202e", "\ufeff"
SIGNS = "1. ", "2) ", "- ", "A. ", "(correct)", "?", "12"
PIECES = st.sampled_from((*TAGS, *ENDS, *SIGNS))
HOSTILE = st.lists(PIECES | st.text(max_size=8), max_size=12).map("".join)


@given(HOSTILE, st.lists(HOSTILE, min_size=3, max_size=5))
def test_no_reply_breaks_the_file(tmp_path_factory: pytest.TempPathFactory, asked: str, answers: list[str]) -> None:
    written = read(block(question=asked, answers=tuple(answers)) + asked)
    assert [json.loads(line)["raw"] for line in dump_dropped(written.dropped).split(b"\n")[:-1]] == [
        dropped.raw for dropped in written.dropped
    ]
    if written.questions:
        path = tmp_path_factory.getbasetemp() / "hostile.jsonl"
        path.write_text(dump(written.questions), encoding="utf-8")
        assert load_questions(path).questions == written.questions
        check(Corpus("one", "words", (section("harbor", asked),)), written.questions)


def test_the_examples_of_the_prompt_pass_every_check() -> None:
    """The examples are read as a model's reply is, and say nothing that their passages do not say."""
    words = words_of(Writing)
    register = load_corpus(HERE.find("register"))
    questions = []
    for number, example in enumerate(register.examples, 1):
        assert words[f"passage{number}"].split() == example.text.split()[1:], "the billing code comes first"
        written = read_reply(example.id, reply(words[f"questions{number}"]), 5, "")
        assert (len(written.questions), written.dropped, written.missing) == (5, (), 0)
        assert [question.numerical for question in written.questions] == [False] * 4 + [True]
        questions += written.questions
    everything = Corpus("register", register.vocabulary, (*register.sections, *register.examples))
    assert check(everything, questions) == []


def test_a_written_file_is_a_questions_file(tmp_path: Path) -> None:
    folder = write_folder(tmp_path, {"q.jsonl": dump(read(block(1) + block(5)).questions)})
    assert len(load_questions(folder / "q.jsonl").questions) == 2
