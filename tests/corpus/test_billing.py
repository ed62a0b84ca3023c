"""Billing codes: which text belongs to which document."""

import pytest

from longctx.corpus.billing import Reading, documents


@pytest.mark.parametrize(
    ("text", "as_documents", "as_notebook"),
    [
        ("a", ["a"], ["a"]),
        ("", [""], [""]),
        ("a\nBILLING CODE 1\n", ["a\nBILLING CODE 1"], ["a\n", " 1\n"]),
        ("a\nBILLING CODE 1\n\n b\n", ["a\nBILLING CODE 1", "b\n"], ["a\n", " 1\n\n b\n"]),
        ("aBILLING CODE 1, BILLING CODE 2\n", ["aBILLING CODE 1, BILLING CODE 2"], ["a", " 1, ", " 2\n"]),
        ("Billing code 1\nb", ["Billing code 1\nb"], ["Billing code 1\nb"]),
    ],
    ids=["no code", "no text", "one", "text after", "two in a line", "presidential"],
)
def test_a_code_ends_its_document(text: str, as_documents: list[str], as_notebook: list[str]) -> None:
    readings: dict[Reading, list[str]] = {"documents": as_documents, "notebook": as_notebook}
    for reading, expected in readings.items():
        assert [text[place] for place in documents(text, reading)] == expected


def test_markup_says_where_a_code_ends() -> None:
    text = "contents, aBILLING CODE 1b"
    places = documents(text, "documents", begins=10, codes=[slice(11, 25)])
    assert [text[place] for place in places] == ["aBILLING CODE 1", "b"]
