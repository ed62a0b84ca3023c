"""Downloads from a server on this machine: whole, resumed, bounded, refused, cut."""

import hashlib
from pathlib import Path

import pytest

from longctx.corpus.fetch import fetch
from tests.corpus.govinfo import CONTENT, DAY, Govinfo, Handler, server
from tests.refusals import refused

__all__ = ["server"]


def test_an_issue_is_kept_beside_its_checksum(server: Govinfo, tmp_path: Path) -> None:
    got = fetch(DAY, tmp_path / "new", server.url)
    assert server.paths == [f"/content/pkg/FR-{DAY}/xml/FR-{DAY}.xml"]
    assert got.path.read_bytes() == CONTENT
    assert got.sha256 == hashlib.sha256(CONTENT).hexdigest()
    assert (tmp_path / "new" / f"FR-{DAY}.xml.sha256").read_text() == f"{got.sha256}  FR-{DAY}.xml\n"
    assert sorted(path.name for path in got.path.parent.iterdir()) == [f"FR-{DAY}.xml", f"FR-{DAY}.xml.sha256"]


def test_what_is_there_is_not_asked_for_again(server: Govinfo, tmp_path: Path) -> None:
    first = fetch(DAY, tmp_path, server.url)
    assert fetch(DAY, tmp_path, server.url) == first
    assert len(server.paths) == 1


def test_a_cut_download_says_so_and_goes_on_where_it_was_cut(server: Govinfo, tmp_path: Path) -> None:
    server.cut_after = 1000
    with refused("download-cut-short", "1,000", f"{len(CONTENT):,}"):
        fetch(DAY, tmp_path, server.url)
    server.cut_after = None
    assert fetch(DAY, tmp_path, server.url).path.read_bytes() == CONTENT
    assert server.ranges == [None, "bytes=1000-"]


def test_progress_counts_what_was_there_before(server: Govinfo, tmp_path: Path) -> None:
    server.cut_after = 1000
    with refused("download-cut-short"):
        fetch(DAY, tmp_path, server.url)
    server.cut_after = None
    seen: list[tuple[int, int | None]] = []
    fetch(DAY, tmp_path, server.url, progress=lambda have, of: seen.append((have, of)))
    assert seen[-1] == (len(CONTENT), len(CONTENT))


@pytest.mark.parametrize("change", ["another version", "no ranges", "no tag", "shorter"])
def test_a_part_that_cannot_be_gone_on_with_is_begun_again(server: Govinfo, tmp_path: Path, change: str) -> None:
    server.etag = None if change == "no tag" else '"v1"'
    server.cut_after = 2500
    with refused("download-cut-short"):
        fetch(DAY, tmp_path, server.url)
    server.cut_after = None
    match change:
        case "another version":
            server.etag, server.content = '"v2"', CONTENT.replace(b"133", b"134")
        case "no ranges":
            server.knows_ranges = False
        case "shorter":
            server.content = b"<FEDREG><NOTICE><P>a</P></NOTICE></FEDREG>"
    assert fetch(DAY, tmp_path, server.url).path.read_bytes() == server.content


@pytest.mark.parametrize("known", [True, False], ids=["announced", "not announced"])
def test_no_more_than_the_limit_is_kept(
    server: Govinfo, tmp_path: Path, known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not known:
        monkeypatch.setattr(Handler, "send_header", lambda self, name, value: None)
    with refused("download-too-large", "1,000"):
        fetch(DAY, tmp_path, server.url, limit=1000)
    assert not (tmp_path / f"FR-{DAY}.xml").exists()
    part = tmp_path / f"FR-{DAY}.xml.part"
    assert not part.exists() or part.stat().st_size <= 1000


@pytest.mark.parametrize(("status", "code"), [(404, "no-issue-on-day"), (503, "download-refused")])
def test_a_refusal_is_explained(server: Govinfo, tmp_path: Path, status: int, code: str) -> None:
    server.status = status
    with refused(code, server.url):
        fetch(DAY, tmp_path, server.url)


@pytest.mark.parametrize(
    ("content", "code"),
    [
        (b"<!DOCTYPE html><html><body>Page not found</body></html>", "not-an-issue"),
        (b"<FEDREG><NOTICE></FEDREG>", "xml-not-well-formed"),
        (b'<!DOCTYPE FEDREG [<!ENTITY a "b">]><FEDREG>&a;</FEDREG>', "xml-with-doctype"),
    ],
    ids=["a page", "broken", "hostile"],
)
def test_what_is_no_issue_is_not_kept(server: Govinfo, tmp_path: Path, content: bytes, code: str) -> None:
    server.content = content
    with refused(code):
        fetch(DAY, tmp_path, server.url)
    assert not list(tmp_path.glob("*.xml"))
    assert not list(tmp_path.glob("*.part"))


def test_offline_is_explained(tmp_path: Path) -> None:
    with refused("download-failed", "http://127.0.0.1:1/"):
        fetch(DAY, tmp_path, "http://127.0.0.1:1")


@pytest.mark.parametrize("day", ["yesterday", "2023-13-01", "13.7.2023"])
def test_a_bad_date_is_explained(tmp_path: Path, day: str) -> None:
    with refused("bad-date", day):
        fetch(day, tmp_path)


def test_only_web_addresses_are_fetched_from(tmp_path: Path) -> None:
    with refused("bad-fetch-address", "file:///etc"):
        fetch(DAY, tmp_path, "file:///etc")
