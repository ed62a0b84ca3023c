"""`corpus` and `questions` of [tool.longctx]: a user's own documents, through controls, filter and collage."""

from __future__ import annotations

import json
import re
import shutil

import pytest

from tests.given import served
from tests.integration.conftest import RECORD_ONLY, Checkout
from tests.integration.harbor import harbors, notice, reader
from tests.servers import SimulatedServer, prompt_of, saying

QA = """
[control]
models = ["toy"]
longest = 200
trials = 6
max_tokens = 50

[collage]
models = ["toy"]
budgets = [200]
longest = 200
depths = ["beginning", "end"]
variants = ["none", "none_scratchpad", "two_scratchpad"]
trials = 6
max_tokens = 50
"""


@pytest.fixture
def own(checkout: Checkout) -> Checkout:
    """Return a checkout with six documents of a user and questions about them."""
    checkout.take("tests_longctx/test_collage.py", "tests_longctx/test_control.py")
    harbors(checkout, range(6))
    checkout.profile(QA)
    checkout.settings(corpus="documents", questions="questions.jsonl")
    return checkout


server = served(reader)


def test_from_documents_to_tables(own: Checkout, server: SimulatedServer) -> None:
    controls = own.record(server, "-k", "control")
    assert controls.code == 0, controls.out
    assert controls.says("Controls of the questions", "record")
    rates = {row["params"]["record"]: 0 for row in own.rows()}
    for row in own.rows():
        rates[row["params"]["record"]] += row["outcome"] == "correct"
    assert rates["right"] >= 5 > rates["none"]

    filtered = own.longctx("data", "filter")
    kept = rates["right"]
    assert filtered.says(f"6 answered, {kept} kept")

    collages = own.record(server, "-k", "collage")
    assert collages.code == 0, collages.out
    assert collages.says(
        "Long-context QA, toy", "Effect of examples and scratchpad", "a scratchpad", "Quotes in scratchpads"
    )
    rows = own.rows()
    assert len(rows) == 3 * 2 * kept
    assert {row["outcome"] for row in rows} == {"correct"}
    assert {row["trace"].get("in_needle") for row in rows if "scratchpad" in row["params"]["variant"]} == {1}
    assert not any("filter_kept" in row["params"] for row in rows)
    facts = told_once(own)
    assert len(facts) == 3 * 2
    assert all(counts == {"filter_asked": 6, "filter_kept": kept} for counts in facts.values())

    replayed = own.pytest("-k", "collage", "-n1")
    assert replayed.code == 0, replayed.out
    assert [row["prompt_sha256"] for row in own.rows()] == [row["prompt_sha256"] for row in rows]
    assert replayed.says(f"6 questions asked alone, {kept} kept")
    assert told_once(own) == facts


def told_once(own: Checkout) -> dict[str, dict[str, int]]:
    """Return the facts that the manifest of the latest run states about its cells."""
    facts: dict[str, dict[str, int]] = own.read("reports/latest/run.json")["facts"]
    return facts


def test_a_table_asks_the_questions_of_the_bank_that_it_names(own: Checkout) -> None:
    """Here with a file of questions and a folder that a user gave one name."""
    shutil.move(own.folder / "documents", own.folder / "fixtures" / "harbors")
    (own.folder / "fixtures" / "questions").mkdir(exist_ok=True)
    shutil.move(own.folder / "questions.jsonl", own.folder / "fixtures" / "questions" / "harbors.jsonl")
    control = '[control]\nmodels = ["toy"]\ntrials = 1\nbank = '
    own.profile(control + '"harbors"\n')
    own.settings()
    with SimulatedServer(saying("<Answer>A</Answer>")) as server:
        assert own.record(server, "-k", "right").code == 0
        [row] = own.rows()
    assert row["item"].startswith("q")
    own.profile(control + '"harbor"\n')
    mistaken = own.pytest()
    assert (mistaken.code, mistaken.says("'harbors'", "[unknown-bank]")) == (4, True)


def test_documents_are_called_what_their_corpus_says(own: Checkout, server: SimulatedServer) -> None:
    assert own.record(server, "-k", "control").code == 0
    before = own.rows()
    own.file("documents/corpus.toml").write_text('min_tokens = 0\ndocument = "harbor rule"\n')
    stale = own.pytest("-k", "control")
    assert stale.code == 1
    assert stale.says("6 of 6 trials are stale", "which calls the documents 'harbor rule'.")
    asked = len(server.asked)
    again = own.record(server, "-k", "control", mode="new_episodes")
    assert again.code == 0, again.out
    prompts = [prompt_of(body) for body in server.asked[asked:]]
    assert len(prompts) == 12, "without a record there is nothing to call by a name"
    assert all("the following harbor rule closely" in prompt and "\n</Harbor Rule>\n" in prompt for prompt in prompts)
    assert not any("government" in prompt.lower() for prompt in prompts)
    after = own.rows()
    assert [row["item"] for row in after] == [row["item"] for row in before], "the same questions, paired"
    assert {row["prompt_digest"] for row in after}.isdisjoint(row["prompt_digest"] for row in before)
    shown = own.longctx("show", "control/longest-200-record-right")
    assert shown.says("the following harbor rule closely")
    server.script = saying("no questions")
    command = ("data", "questions", "write", "--corpus=documents", "--model=toy", "--out=mine.jsonl", "--record=once")
    own.longctx(*command, f"--base-url={server.url}")
    assert "Here is a section from the harbor rule." in prompt_of(server.asked[-1])


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"corpus": "nowhere"}, "[no-documents-folder]"),
        ({"questions": "nowhere.jsonl"}, "[no-questions-file]"),
    ],
)
def test_a_missing_file_is_a_sentence(own: Checkout, given: dict[str, str], code: str) -> None:
    own.settings(**given)
    result = own.pytest("-k", "control")
    assert result.code == 4
    assert result.says(code)


def test_a_run_without_any_question_is_no_success(own: Checkout, server: SimulatedServer) -> None:
    own.profile(QA.replace("longest = 200", "longest = 10"))
    whole = own.record(server, "-k", "control")
    assert whole.code == 1, whole.out
    why = "none of the 6 questions is about a section of at most 10 tokens"
    assert whole.says(f"3 cells have no question: {why}.", f"invalid: it has no question: {why}.", "3 failed")
    assert not own.runs()
    asked = own.record(server, "-k", "control", env=RECORD_ONLY)
    assert asked.code == 1
    assert asked.says(f"3 cells have no question: {why}.")
    assert not server.asked


def test_a_filter_that_leaves_a_collage_no_question_is_named(own: Checkout, server: SimulatedServer) -> None:
    assert own.record(server, "-k", "control").code == 0
    assert own.longctx("data", "filter").code == 0
    [path] = own.file("fixtures/questions/filters").glob("toy-*.json")
    written = json.loads(path.read_text())
    path.write_text(json.dumps(written | {"kept": [], "dropped": [*written["kept"], *written["dropped"]]}))
    empty = own.record(server, "-k", "collage")
    assert empty.code == 1, empty.out
    assert empty.says("invalid: it has no question: the model's filter keeps none of its 6 questions")


def test_single_notices_of_the_federal_register_are_a_section_each(own: Checkout) -> None:
    """federalregister.gov serves notices without white space at page breaks and with a billing code at the end."""
    folder = own.file("notices")
    folder.mkdir()
    (folder / "corpus.toml").write_text("min_tokens = 0\n")
    for number in range(2):
        text = notice(number).replace("crowns a", 'crowns<PRTPAGE P="77855"/>a')
        code = f"<BILCOD>BILLING CODE 4810-AM-{number}</BILCOD>"
        (folder / f"n{number}.xml").write_text(f"<RULE>\n<P>{text}</P>\n{code}\n</RULE>\n")
    stats = own.longctx("data", "corpus", "stats", "notices", "--budget", 200)
    assert stats.code == 0, stats.err
    assert stats.says("sections 2", "left out: 0 tokens or fewer none")
    shown = own.longctx("show", "control/longest-200-record-right", "--corpus=notices", "--questions=questions.jsonl")
    assert shown.says("'n2'", "[unusable-section]")
    lines = own.file("questions.jsonl").read_text().splitlines(keepends=True)
    own.file("two.jsonl").write_text("".join(lines[:2]))
    shown = own.longctx("show", "control/longest-200-record-right", "--corpus=notices", "--questions=two.jsonl")
    assert re.search(r"collects \d crowns a barge at its gates\.\nBILLING CODE 4810-AM-\d\n", shown.out), shown.out
