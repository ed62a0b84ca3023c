"""GPO markup: text as BeautifulSoup's get_text() gives it, split as in the notebook; hostile XML is refused."""

import pytest

from longctx.corpus.federal_register import MAX_DEPTH, Chunk, read_issue
from longctx.errors import UserError
from tests.corpus.examples import ISSUE


@pytest.fixture
def chunks() -> list[Chunk]:
    return read_issue(ISSUE.encode(), "issue")


def test_a_chunk_ends_at_each_billing_code(chunks: list[Chunk]) -> None:
    assert [chunk.number for chunk in chunks] == [1, 2, 3]
    assert chunks[1].text.startswith(" 4910–13–P\n")
    assert chunks[2].text.strip() == "7710–12–P"


def test_the_first_chunk_begins_at_its_first_department_and_not_in_the_contents(chunks: list[Chunk]) -> None:
    assert chunks[0].text.startswith("DEPARTMENT OF TRANSPORTATION\nFederal Aviation Administration\n14 CFR Part 39")
    assert "Contents" not in chunks[0].text


def test_a_presidential_document_does_not_split_as_its_billing_code_is_written_small(chunks: list[Chunk]) -> None:
    assert "Billing code 3395–F3–P" in chunks[1].text
    assert "POSTAL SERVICE" in chunks[1].text


def test_chunks_are_named_by_their_first_agency_and_subject(chunks: list[Chunk]) -> None:
    assert (chunks[0].department, chunks[0].title) == (
        "DEPARTMENT OF TRANSPORTATION",
        "Airworthiness Directives; Gliders",
    )
    assert (chunks[1].department, chunks[1].title) == ("POSTAL SERVICE", "Product Change")
    assert (chunks[2].department, chunks[2].title) == ("", "")


def test_whitespace_within_text_stays_and_whitespace_alone_becomes_one_newline(chunks: list[Chunk]) -> None:
    """What BeautifulSoup(..., 'xml').get_text() gives, tried with bs4 4.15 on 3,000 random documents."""
    assert (
        "SUMMARY:\n\n                        The FAA corrects a document in the\n                        "
        "Federal Register\n                         of July 5, 2023.1\n\n\n1 88 FR 42870.\n\n\n\n"
    ) in chunks[0].text


def test_tables_extracts_entities_cdata_and_signatures_are_text(chunks: list[Chunk]) -> None:
    text = chunks[0].text
    assert "\nAT&T § 2 < 3 kg\n" in text
    assert "\nCosts\n\nAction\nCost\n\n\nInspection\n$85\n" in text
    assert "§ 39.13[Amended]" in text
    assert "Issued on July 7, 2023.Ross Landes,Deputy Director." in text
    assert "44668" not in text


def test_an_issue_without_any_department_begins_at_its_first_document() -> None:
    xml = b"<FEDREG><VOL>1</VOL><NOTICE><P>Only text.</P><BILCOD>BILLING CODE 1</BILCOD></NOTICE></FEDREG>"
    assert [chunk.text for chunk in read_issue(xml, "x")] == ["Only text.", " 1"]


def test_comments_and_instructions_part_text_without_being_text() -> None:
    xml = b"<FEDREG><NOTICE><P>a<!-- never -->\n \n<?page 3?> b</P></NOTICE></FEDREG>"
    assert read_issue(xml, "x")[0].text == "a\n b"


@pytest.mark.parametrize(
    "xml",
    [
        '<!DOCTYPE a [<!ENTITY b "x"><!ENTITY c "&b;&b;&b;&b;">]><FEDREG>&c;</FEDREG>',
        '<!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><FEDREG>&b;</FEDREG>',
        '<!DOCTYPE a SYSTEM "http://127.0.0.1/evil.dtd"><FEDREG/>',
        '<!DOCTYPE a [<!ENTITY % b SYSTEM "http://127.0.0.1/evil"> %b;]><FEDREG/>',
        "<!DOCTYPE FEDREG><FEDREG/>",
    ],
    ids=["entity bomb", "external entity", "external dtd", "parameter entity", "bare doctype"],
)
def test_declared_types_and_entities_are_refused(xml: str) -> None:
    with pytest.raises(UserError, match=r"evil\.xml is refused: it declares a document type or entities"):
        read_issue(xml.encode(), "evil.xml")


def test_bottomless_nesting_is_refused() -> None:
    with pytest.raises(UserError, match="more than 200 deep"):
        read_issue(b"<a>" * (MAX_DEPTH + 1), "deep.xml")


@pytest.mark.parametrize(
    "xml",
    [b"", b"<FEDREG>", b"<FEDREG>&nbsp;</FEDREG>", b"\xff\xfe<", b'<?xml version="1.0" encoding="klingon"?><a/>'],
    ids=["empty", "cut short", "undeclared entity", "no text", "unknown encoding"],
)
def test_what_is_not_well_formed_is_named(xml: bytes) -> None:
    with pytest.raises(UserError, match=r"cut\.xml is not well-formed XML: .* Was the download cut short\?"):
        read_issue(xml, "cut.xml")
