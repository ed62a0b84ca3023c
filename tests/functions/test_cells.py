"""The cells of a test function: from its marker, a profile's table, and a file of cases."""

from __future__ import annotations

import dataclasses
import enum
import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from longctx.cells.cell import Cell
from longctx.config.models import TokenCounts
from longctx.config.prompts import Wording
from longctx.errors import UserError
from longctx.functions.cells import CASE_ID, NAME, CaseItem, Function, load_cases, named_values, wording_of
from longctx.vocabulary.counts import Counts
from longctx.workspace import Workspace
from tests.functions.examples import MODEL, cell_of
from tests.given import json_lines
from tests.refusals import refused

WORDING = Wording("protocol", "none", {})


def function(folder: Path, table: dict[str, Any] | None = None, **marked: Any) -> Function:
    return Function.of("test_it", marked, table, folder, Workspace(folder))


@pytest.mark.parametrize(
    ("lines", "code", "says"),
    [
        (["{"], "bad-case", "it is not JSON"),
        (['{"id": }'], "bad-case", "line 1 is not JSON"),
        (['{"id": "a"}', "[" * 100_000], "bad-case", "line 2 is not JSON"),
        (['{"id": 1' + "0" * 10_000 + "}"], "bad-case", "line 1"),
        ([[1]], "bad-case", "entry 1 is no JSON object"),
        ([[{"id": "a"}, {"name": "b"}]], "case-without-id", "entry 2 has no valid id.*'_id'. Its fields are: name"),
        ([{"index": 0, "input": "?"}], "case-without-id", "id_field='index'. Its fields are: index, input"),
        (["id,text", "a"], "bad-case", "line 2 has 1 cells, and the first line 2"),
        ([{"question": "?"}], "case-without-id", "line 1"),
        ([{"id": None}], "case-without-id", "line 1"),
        ([{"id": "half", "question": "\ud83d?"}], "half-a-character", "line 1, the case 'half', contains half of a"),
        ([{"id": True}], "case-without-id", "line 1"),
        ([{"id": {"a": 1}}], "case-without-id", "line 1"),
        ([{"id": ""}], "case-without-id", "line 1"),
        ([{"id": "../../etc/passwd"}], "case-without-id", "line 1"),
        ([{"id": "a\n"}], "case-without-id", "line 1"),
        ([{"id": " a"}], "case-without-id", "line 1"),
        ([{"id": "a\x1b[2J"}], "case-without-id", "line 1"),
        ([{"id": "a" * 200}], "case-without-id", "line 1"),
        ([{"id": "a"}, {"id": "b"}, {"id": "a"}], "duplicate-case-id", "line 3 has the id 'a'"),
        ([{"id": 1}, {"id": "1"}], "duplicate-case-id", "line 2"),
        (["", "  "], "no-cases", "contains no case"),
    ],
)
def test_a_file_of_cases_that_cannot_be_used(tmp_path: Path, lines: list[object], code: str, says: str) -> None:
    with pytest.raises(UserError, match=says) as caught:
        load_cases(json_lines(tmp_path / "cases.jsonl", *lines), None)
    assert caught.value.code == code


@pytest.mark.parametrize("value", [None, "", [1], {"a": 1}, True])
def test_a_cluster_must_be_a_name(tmp_path: Path, value: object) -> None:
    path = json_lines(tmp_path / "cases.jsonl", {"id": "a", "contract": "c"}, {"id": "b", "contract": value})
    with pytest.raises(UserError, match="line 2 has no text or number in the field 'contract'"):
        load_cases(path, "contract")


@given(st.text())
def test_separators_within_a_text_do_not_end_a_line(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    text = text.encode("utf-8", "ignore").decode()
    line = json.dumps({"id": "a", "text": text}, ensure_ascii=False)
    path = json_lines(tmp_path_factory.mktemp("cases") / "cases.jsonl", line)
    assert load_cases(path, None) == (CaseItem(id="a", text=text),)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("cases.json", b'[{"id": "Fee 1", "text": "a, b"}, {"id": "fee-2", "text": "c"}]'),
        ("cases.csv", b'\xef\xbb\xbfid,text\r\nFee 1,"a, b"\r\nfee-2,c\r\n'),
        ("cases.tsv", b"text\tid\na, b\tFee 1\n\nc\tfee-2"),
        ("cases.jsonl.gz", gzip.compress(b'{"id": "Fee 1", "text": "a, b"}\n{"id": "fee-2", "text": "c"}', mtime=0)),
    ],
    ids=["an array", "CSV", "TSV", "gzip"],
)
def test_cases_are_read_in_any_form(tmp_path: Path, name: str, content: bytes) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert [(case.id, case.text) for case in load_cases(path, None)] == [("Fee 1", "a, b"), ("fee-2", "c")]


def test_a_case_keeps_its_identity_when_others_are_added(tmp_path: Path) -> None:
    json_lines(tmp_path / "cases.jsonl", {"id": "a"}, {"id": "b"})
    before = function(tmp_path, cases="cases.jsonl").cell({}, MODEL, WORDING, 0)
    json_lines(tmp_path / "cases.jsonl", {"id": "new"}, {"id": "a"}, {"id": "b"})
    after = function(tmp_path, cases="cases.jsonl").cell({}, MODEL, WORDING, 0)
    assert {str(q.identity) for q in before.each_trial()} < {str(q.identity) for q in after.each_trial()}
    assert (before.size, after.size) == (2, 3)


def test_clusters_are_what_items_share(tmp_path: Path) -> None:
    json_lines(tmp_path / "cases.jsonl", *({"id": n, "contract": n // 2} for n in range(4)))
    cell = function(tmp_path, cases="cases.jsonl", cluster="contract").cell({}, MODEL, WORDING, 0)
    assert cell.clusters() == ["0", "0", "1", "1"]
    drawn = function(tmp_path, trials=3).cell({}, MODEL, WORDING, 0)
    assert len(set(drawn.clusters())) == 3


def test_drawn_items_share_a_context(tmp_path: Path) -> None:
    cell = function(tmp_path, trials=5, share=2).cell({"tokens": 100}, MODEL, WORDING, 0)
    assert cell.clusters() == ["context-0", "context-0", "context-1", "context-1", "context-2"]
    assert cell.point.slug == "tokens-100"
    assert cell.point.questions_per_context == 2


def test_trials_take_the_first_cases_and_options_replace_them(tmp_path: Path) -> None:
    json_lines(tmp_path / "cases.jsonl", *({"id": n} for n in range(4)))
    made = function(tmp_path, cases="cases.jsonl", trials=3, repeats=2)
    assert made.cell({}, MODEL, WORDING, 0).size == 6
    assert made.cell({}, MODEL, WORDING, 0, trials=9).size == 8
    assert made.cell({}, MODEL, WORDING, 0, trials=1).size == 2


@pytest.mark.parametrize(
    ("marked", "code"),
    [
        ({}, "neither-trials-nor-cases"),
        ({"trials": 0}, "bad-marker"),
        ({"trials": -1}, "bad-marker"),
        ({"trials": 2, "repeats": 0}, "bad-marker"),
        ({"trials": 2, "min_rate": 2}, "bad-marker"),
        ({"trials": 2, "trails": 2}, "bad-marker"),
        ({"trials": 2, "cluster": "a"}, "cluster-without-cases"),
        ({"cases": "none.jsonl", "share": 2}, "share-with-cases"),
        ({"trials": 2, "share": 0}, "bad-marker"),
        ({"cases": "none.jsonl"}, "no-cases-file"),
        ({"cases": "../outside.jsonl"}, "leads-outside"),
        ({"cases": "/etc/passwd"}, "leads-outside"),
        ({"cases": "."}, "not-readable"),
    ],
)
def test_a_marker_that_cannot_be_used(tmp_path: Path, marked: dict[str, Any], code: str) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "outside.jsonl").write_text('{"id": "secret"}')
    with refused(code) as caught:
        function(tmp_path / "project", **marked)
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    ("marked", "told"),
    [
        ({"trials": "2"}, "test_it: trials of its marker or of its table in the profile: trials are a number that"),
        ({"trials": 2, "models": "toy"}, "Input should be a valid list."),
    ],
)
def test_a_marker_is_faulted_in_the_words_of_a_file(tmp_path: Path, marked: dict[str, Any], told: str) -> None:
    with refused("bad-marker", told):
        function(tmp_path, **marked)


def test_a_link_of_a_stranger_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "project").mkdir()
    (tmp_path / "secret.jsonl").write_text('{"id": "a"}')
    (tmp_path / "project/cases.jsonl").symlink_to(tmp_path / "secret.jsonl")
    with pytest.raises(UserError, match="leads to"):
        function(tmp_path / "project", cases="cases.jsonl")


def test_the_profiles_table_replaces_what_the_marker_says(tmp_path: Path) -> None:
    made = function(tmp_path, {"trials": 7, "models": ["other"]}, trials=3, min_rate=0.5)
    assert (made.table.trials, made.table.models, made.table.min_rate) == (7, ("other",), 0.5)


def test_bands_are_of_the_first_length(tmp_path: Path) -> None:
    made = function(tmp_path, trials={"short": 5, "long": 9}, bands={"short": 100, "long": 1_000})
    short = made.cell({"tokens": 100, "k": 7}, MODEL, WORDING, 0)
    long = made.cell({"tokens": 101}, MODEL, WORDING, 0)
    assert [(cell.band, cell.trials) for cell in (short, long)] == [("short", 5), ("long", 9)]
    with pytest.raises(UserError, match="longer than every band: 1001 against 1000"):
        made.cell({"tokens": 1_001}, MODEL, WORDING, 0)
    assert made.cell({"context": 500}, MODEL, WORDING, 0).band == "long"


class Tone(enum.Enum):
    CALM = 1


def test_parameters_are_parts_of_names() -> None:
    given = {"tokens": 5, "share": 0.5, "on": True, "tone": Tone.CALM, "call": max, "none": None, "word": "a-b"}
    values = named_values("test_it", given)
    assert values == {**given, "on": "True", "tone": "CALM", "call": "max"}
    assert cell_of(**values).point.slug == ("tokens-5-share-0.5-on-True-tone-CALM-call-max-word-a-b")


@pytest.mark.parametrize("value", [[1], object(), lambda: 0, {"a": 1}])
def test_a_parameter_without_a_name(value: object) -> None:
    with pytest.raises(UserError, match="test_it: the parameter text has the value") as caught:
        named_values("test_it", {"text": value})
    assert caught.value.code == "parameter-is-no-name"
    assert named_values("test_it", {"text": value}, {"text": "text0"}) == {"text": "text0"}
    assert named_values("test_it", {"text": "a"}, {"text": "other"}) == {"text": "a"}


TEXTS = "org/model", "org_model", "org:model", "français", "", "a b", "x" * 81, "x" * 82, "..\\..", "a\n", "a", "\ud83d"


def test_a_text_that_cannot_be_a_name_gets_its_digest() -> None:
    values = [str(named_values("test_it", {"text": text})["text"]) for text in TEXTS]
    assert all(NAME.fullmatch(value) for value in values)
    assert len({*values}) == len(TEXTS)
    assert values[0] == "org_model-c87c0c64"
    assert (values[1], values[-2]) == ("org_model", "a")


@given(st.text(max_size=150))
def test_ids_hold_nothing_that_a_file_a_terminal_or_a_page_takes_for_more(text: str) -> None:
    if CASE_ID.fullmatch(text):
        assert not set(text) & set("/\\\n\r\t\x1b<>&\"'`|$()*?")
        assert text == text.strip()


def test_a_field_of_a_case_is_an_attribute() -> None:
    case = CaseItem(id="a", question="?")
    assert case.question == case["question"] == "?"
    with pytest.raises(AttributeError, match=r"the case 'a' has no field 'anwser'. It has: id, question"):
        _ = case.anwser


def test_templates_are_those_of_the_prompt_set(tmp_path: Path) -> None:
    folder = tmp_path / "fixtures/prompts/short/test_it"
    folder.mkdir(parents=True)
    (folder / "first.txt").write_text("Say a.\n")
    wording = wording_of(Workspace(tmp_path), "test_it", "short")
    assert (wording.prompt_set, wording.templates) == ("short", {"first": "Say a."})
    assert wording.digest != wording_of(Workspace(tmp_path), "test_it", "protocol").digest


def test_a_prompt_set_that_does_not_exist_is_a_sentence(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(UserError, match="There is no prompt set 'shrot'"):
        wording_of(Workspace(tmp_path), "test_it", "shrot")
    elsewhere = tmp_path / "elsewhere/protocol/test_it"
    elsewhere.mkdir(parents=True)
    (elsewhere / "first.txt").write_text("of a stranger")
    monkeypatch.chdir(tmp_path / "elsewhere")
    project = tmp_path / "project"
    project.mkdir()
    assert wording_of(Workspace(project), "test_it", "protocol").templates == {}
    given = wording_of(Workspace(project), "test_it", str(elsewhere.parent), typed=True)
    assert given.templates == {"first": "of a stranger"}
    with pytest.raises(UserError, match="leads to"):
        wording_of(Workspace(project), "test_it", str(elsewhere.parent))


def test_a_trial_that_no_case_has() -> None:
    cell = cell_of(items=(("a", ""), ("b", "")))
    with pytest.raises(ValueError, match=r"no trial 2 \(--ctx-only\), since it has 2 cases"):
        cell.point.identity(0, 2, 0)


@pytest.mark.parametrize(
    ("name", "index"), [("b", 1), ("2", 0), ("1", 1)], ids=["its id", "an id of digits", "its place"]
)
def test_a_case_is_named_by_its_id(name: str, index: int) -> None:
    point = cell_of(items=(("2", ""), ("b", ""), ("c", ""))).point
    assert point.index_of(name) == index


def test_the_id_of_no_case() -> None:
    point = cell_of(items=(("contract-1", ""), ("contract-2", ""))).point
    with pytest.raises(ValueError, match=r"no case 'contarct-1': did you mean 'contract-1'\?"):
        point.index_of("contarct-1")
    with pytest.raises(ValueError, match="its trials are numbered from 0"):
        cell_of().point.index_of("contract-1")


def test_the_field_of_the_id_can_be_named(tmp_path: Path) -> None:
    path = tmp_path / "cases.jsonl"
    path.write_text('{"_id": "row-1", "input": "?"}\n{"_id": 7, "id": "other", "input": "?"}\n')
    assert [case.id for case in load_cases(path, None, "_id")] == ["row-1", 7]
    with pytest.raises(UserError, match="id_field"):
        load_cases(path, None)


def counted_by(probes: Any, values: Any = dict, needs: tuple[str, ...] = (), **given: Any) -> Counts:
    return Counts(lambda words: probes, values, needs, **given)


def counted(folder: Path, counts: Counts, words: dict[str, str] | None = None, **values: Any) -> Cell:
    made = function(folder, trials=2, counts=counts)
    return made.cell(values, MODEL, Wording("protocol", "none", words or {}), 0)


TEXTS_BY_NAME = st.dictionaries(st.text(max_size=5), st.text(min_size=1).filter(str.strip), min_size=1, max_size=3)


@given(one=TEXTS_BY_NAME, other=TEXTS_BY_NAME, system=st.text(max_size=3))
def test_counts_are_kept_under_what_was_counted(
    tmp_path_factory: pytest.TempPathFactory, one: dict[str, str], other: dict[str, str], system: str
) -> None:
    folder = tmp_path_factory.getbasetemp()
    before = counted(folder, counted_by(one)).counts_key
    assert counted(folder, counted_by(dict(reversed(one.items()))), {"question": "?"}).counts_key == before
    assert (counted(folder, counted_by(other)).counts_key == before) == (one == other)
    assert (counted(folder, counted_by(one), {"system": system}).counts_key == before) == (not system)


def test_values_are_made_of_what_is_kept(tmp_path: Path) -> None:
    counts = counted_by({"a": "x" * 50}, lambda counts: {"half": counts["a"] / 2}, ("half",))
    cell = counted(tmp_path, counts, tokens=100)
    assert cell.token_values is None
    with pytest.raises(UserError, match="whose tokens must be counted first") as caught:
        cell.fitted()
    assert caught.value.code == "prompt-set-not-measured"
    assert cell.point.declared.counts.kept({"a": 9}) == {"a": 9.0}
    kept = TokenCounts(test="test_it", wording=cell.counts_key, on="2026-11-26", values={"a": 9})
    known = dataclasses.replace(cell, model=MODEL.model_copy(update={"token_counts": (kept,)}))
    assert known.fitted().point.tokens == {"half": 4.5}
    assert function(tmp_path, trials=2).cell({}, MODEL, WORDING, 0).fitted().point.tokens is None


def test_a_cell_that_does_not_fit_its_model(tmp_path: Path) -> None:
    def fits(cell: Any) -> None:
        if cell.counted["a"] > cell.tokens:
            raise ValueError(f"{cell.tokens} tokens are too few")

    counts = counted_by({"a": "text"}, fits=fits)
    assert counted(tmp_path, counts, tokens=9).point.fit({"a": 9.0})
    with pytest.raises(ValueError, match="8 tokens are too few"):
        counted(tmp_path, counts, tokens=8).point.fit({"a": 9.0})


@pytest.mark.parametrize(
    ("values", "error", "says"),
    [
        (lambda counts: {"b": 1}, UserError, "values must return 'a', as needs requires"),
        (lambda counts: {"a": 0}, ValueError, "'a' would take 0 tokens"),
        (lambda counts: {"a": -1}, ValueError, "'a' would take -1 tokens"),
        (lambda counts: int("none"), ValueError, "invalid literal"),
        (lambda counts: {"a": counts["b"]}, UserError, "test_it: the counts of its marker: values fails with KeyError"),
        (lambda counts: {"a": "9"}, UserError, "values must return a dict of names and numbers"),
        (lambda counts: [("a", 9)], UserError, "values must return a dict, not list"),
    ],
)
def test_values_that_cannot_be_right(tmp_path: Path, values: Any, error: type[Exception], says: str) -> None:
    point = counted(tmp_path, counted_by({"a": "text"}, values, ("a",))).point
    for make in point.declared.counts.kept, point.fit:
        with pytest.raises(error, match=says):
            make({"a": 9})


@pytest.mark.parametrize("probes", [{}, {"a": ""}, {"a": " "}, {"a": 1}, ["a"], None])
def test_probes_that_are_none(tmp_path: Path, probes: object) -> None:
    with pytest.raises(UserError, match="test_it: the counts of its marker: probes must return") as caught:
        counted(tmp_path, counted_by(probes))
    assert caught.value.code == "bad-counts"


def test_counts_are_declared_by_the_marker_alone(tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"write counts=longctx.Counts\(probes, values, needs\)"):
        function(tmp_path, trials=2, counts={"a": "text"})
    with pytest.raises(TypeError, match=r"write needs=\('filler',\)"):
        counted_by({"a": "text"}, needs="filler")  # type: ignore[arg-type]
