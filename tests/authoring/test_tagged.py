"""Questions and answers between tags: found as the notebook finds them, and where models are sloppy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.authoring.tagged import bullets, find_tagged

FOUR = "1. In May\n2. In June\n3. In July\n4. In August"
SOUND = f"<Question 1>\nWhen?\n</Question 1>\n<Answers 1>\n{FOUR}\n</Answers 1>"


def found(reply: str) -> list[tuple[int | None, str | None, list[str] | None]]:
    return [
        (
            block.number,
            None if block.question is None else block.question.strip(),
            None if block.answers is None else bullets(block.answers),
        )
        for block in find_tagged(reply)
    ]


ANSWERS = ["In May", "In June", "In July", "In August"]


@pytest.mark.parametrize(
    "reply",
    [
        SOUND,
        f"Certainly! Here they are.\n\n{SOUND}\n\nI hope this helps.",
        SOUND.lower().replace("in ", "In ").replace("in", "In").replace("when", "When")
        .replace("may", "May").replace("ju", "Ju").replace("aug", "Aug"),
        SOUND.replace("</Question 1>", "").replace("</Answers 1>", ""),
        SOUND.replace(" 1>", "1>"),
        SOUND.replace("Answers", "Answer"),
        SOUND.replace("<Answers 1>", "<Answers>"),
        SOUND.replace("<Question 1>", "<question 1 >"),
    ],
    ids=["sound", "text around", "case", "never closed", "no space", "singular", "one number", "space"],
)  # fmt: skip
def test_one_question_is_found(reply: str) -> None:
    assert found(reply) == [(1, "When?", ANSWERS)]


def test_several_are_distinguished_where_nothing_is_closed() -> None:
    reply = f"<Question 1>When?\n<Answers 1>\n{FOUR}\n\n<Question 2>Where?\n<Answers 2>\n{FOUR}"
    assert found(reply) == [(1, "When?", ANSWERS), (2, "Where?", ANSWERS)]
    assert [block.closed for block in find_tagged(reply)] == [False, False]


def test_what_lacks_its_half_is_found_alone() -> None:
    reply = f"<Answers 1>{FOUR}</Answers 1><Question 2>Where?</Question 2><Question 3>Who?</Question 3><Answers 4>"
    assert found(reply) == [(1, None, ANSWERS), (2, "Where?", None), (3, "Who?", None), (4, None, [])]


def test_the_raw_text_has_both_halves() -> None:
    [block] = find_tagged(f"Yes. {SOUND} Bye.")
    assert block.raw == SOUND.removesuffix("</Answers 1>")
    assert block.closed


@pytest.mark.parametrize(
    "text",
    [
        FOUR,
        FOUR.replace(".", ")"),
        "(1) In May\n(2) In June\n(3) In July\n(4) In August",
        "A. In May\nB. In June\nC. In July\nD. In August",
        "- In May\n- In June\n- In July\n- In August",
        "* In May\n\n* In June\n\n* In July\n\n* In August",
        "In May\nIn June\nIn July\n\nIn August",
        f"```\n{FOUR}\n```",
        f"Here are four answers:\n{FOUR}\n\nThe right one comes first.",
        "1. In\nMay\n2. In June\n3. In\n  July\n4. In August",
        "\r\n".join(["", *FOUR.splitlines(), ""]),
    ],
)
def test_bullets_of_every_kind(text: str) -> None:
    assert bullets(text) == ANSWERS


def test_the_letter_that_is_for_a_number_is_no_number() -> None:
    assert found(SOUND.replace(" 1>", " N>")) == [(None, "When?", ANSWERS)]


def test_a_number_that_begins_a_line_is_no_bullet() -> None:
    assert bullets("1. The fee is\n25.5 crowns\n2. None") == ["The fee is 25.5 crowns", "None"]


def test_a_bullet_without_text_is_an_empty_answer() -> None:
    assert bullets("1. In May\n2.\n3. In July\n4. ") == ["In May", "", "In July", ""]


@given(st.text(st.sampled_from("<>/ #123\nQqAa.)-"), max_size=60) | st.text())
def test_no_text_is_too_odd(text: str) -> None:
    reply = f"<Question 1>{text}<Answers 1>{text}"
    assert all(block.raw in reply for block in find_tagged(reply))
    assert all("\n" not in bullet for bullet in bullets(text))


def test_a_long_hostile_reply_is_read_at_once() -> None:
    for text in ("<" * 100_000, "<" + " " * 100_000, "<Question " * 20_000, "1. " * 50_000, "(" * 100_000):
        assert len(list(find_tagged(f"<Question 1>{text}"))) >= 1
        assert len(bullets(text)) == 1
