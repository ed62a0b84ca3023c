"""Links that lead out of a project: whatever reads or writes files refuses them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from longctx.config.keeping import keep_probed
from longctx.config.models import load_model
from longctx.config.profiles import load_profile
from longctx.config.prompts import PromptSet
from longctx.corpus.documents import load_corpus
from longctx.corpus.fetch import fetch
from longctx.corpus.filters import load_filter
from longctx.functions.strategies import Strategy
from longctx.functions.transcript import read_transcript
from longctx.links import TRUSTED_FOLDERS, inside
from longctx.live.batches.ledger import Ledger
from longctx.recording.tape import Tape
from longctx.results.run_folders import check_folder_has_no_run, find_run
from longctx.workspace import Workspace
from tests.here import HERE
from tests.protocols import LineRetrieval
from tests.recording.examples import line_cell, place
from tests.refusals import refused

CASSETTE = line_cell().file
TEMPLATE = "prompts/mine/line_retrieval/header.txt"
READERS: dict[str, Callable[[Workspace], object]] = {
    f"cassettes/{CASSETTE}": lambda mine: Tape(mine.cassettes).status(place(line_cell())),
    "cassettes/toy": lambda mine: Tape(mine.cassettes).status(place(line_cell())),
    "cassettes": lambda mine: mine.cassettes,
    "cassettes/batches": lambda mine: Ledger(mine.cassettes),
    "cassettes/batches/a.json": lambda mine: Ledger(mine.cassettes).open(),
    "reports": lambda mine: mine.reports,
    "reports/latest": lambda mine: find_run(mine.reports / "latest"),
    "reports/run/results.jsonl": lambda mine: find_run(mine.reports / "run"),
    f"fixtures/{TEMPLATE}": lambda mine: PromptSet.open(mine, "mine").wording(LineRetrieval),
    "fixtures/prompts/mine": lambda mine: PromptSet.open(mine, "mine").wording(LineRetrieval),
    "fixtures/profiles/mine.toml": lambda mine: load_profile(mine, "mine"),
    "fixtures/profiles": lambda mine: load_profile(mine, None),
    "fixtures/models/toy.toml": lambda mine: load_model(mine, "toy"),
    "fixtures/baselines/main.jsonl": lambda mine: mine.find_baseline("main"),
    "fixtures/baselines/other.jsonl": lambda mine: mine.baselines(),
    "fixtures/questions/mine.jsonl": lambda mine: mine.find("questions", "mine.jsonl"),
    "fixtures/questions/filters/toy-0123456789ab.json": lambda mine: load_filter(mine, "toy", "0123456789abcdef"),
    "tests_longctx/session.jsonl": lambda mine: read_transcript(
        mine.root / "tests_longctx/session.jsonl", caller=mine.root / "tests_longctx"
    ),
    "strategies/mine.py": lambda mine: Strategy.of("strategies/mine.py", mine),
    "strategies": lambda mine: Strategy.of("strategies/mine.py", mine),
    "fixtures/mine/a.txt": lambda mine: load_corpus(mine.find("mine")),
    "fixtures/mine/corpus.toml": lambda mine: load_corpus(mine.find("mine")),
    "fixtures/mine/sections.toml": lambda mine: load_corpus(mine.find("mine")),
}
WRITERS: dict[str, Callable[[Workspace], object]] = {
    "fixtures/models/toy.toml": lambda mine: keep_probed(mine, "toy", "http://server", {"window": 1}),
    "fixtures/models": lambda mine: keep_probed(mine, "toy", "http://server", {"window": 1}),
    "fixtures/fetched/FR-2026-01-02.xml.part": lambda mine: fetch("2026-01-02", mine.own("fetched"), "http://[::1]:9"),
}


@pytest.fixture
def linked(mine: Workspace, tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that puts a link out of the project in a place, and returns what it leads to."""

    def link(name: str) -> Path:
        for kind in ("cassettes", "reports", "fixtures/mine"):
            (mine.root / kind).mkdir(parents=True, exist_ok=True)
        shutil.copytree(HERE.find("prompts", "protocol"), mine.own("prompts", "mine"))
        (mine.own("mine") / "corpus.toml").touch()
        place, target = mine.root / name, tmp_path / "outside" / Path(name).name
        target.parent.mkdir()
        if place.suffix or name == "reports/latest":
            target.write_text("")
        else:
            target.mkdir()
        if place.is_dir() and not place.is_symlink():
            shutil.rmtree(place)
        place.unlink(missing_ok=True)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.symlink_to(target)
        return target

    return link


@pytest.mark.parametrize("name", READERS)
def test_nothing_outside_is_read(mine: Workspace, linked: Callable[[str], Path], name: str) -> None:
    """docs/security.md, links-read."""
    linked(name)
    with refused("leads-outside", mine.root / name, "outside"):
        READERS[name](mine)


@pytest.mark.parametrize("name", WRITERS)
def test_nothing_outside_is_written(mine: Workspace, linked: Callable[[str], Path], name: str) -> None:
    """docs/security.md, links-written."""
    target = linked(name)
    with refused("leads-outside", mine.root / name):
        WRITERS[name](mine)
    assert target.is_dir() or target.read_text() == ""
    assert list(target.parent.rglob("*")) == [target]


def test_a_report_is_not_written_through_a_link_to_nothing(tmp_path: Path) -> None:
    """docs/security.md, links-written."""
    (tmp_path / "results.jsonl").symlink_to(tmp_path / "nowhere" / "x")
    with refused("report-exists", "results.jsonl"):
        check_folder_has_no_run(tmp_path)


@pytest.mark.parametrize("hidden", [".env", ".git/config"])
def test_nothing_hidden_is_read_through_a_link(mine: Workspace, hidden: str) -> None:
    """docs/security.md, links-hidden."""
    secret = mine.root / hidden
    secret.parent.mkdir(parents=True, exist_ok=True)
    secret.write_text("KEY=1")
    shutil.copytree(HERE.find("prompts", "protocol"), mine.own("prompts", "mine"))
    template = mine.own(*TEMPLATE.split("/"))
    template.unlink()
    template.symlink_to(secret)
    with refused("leads-outside", hidden):
        PromptSet.open(mine, "mine").wording(LineRetrieval)


def test_links_within_a_project_are_followed(mine: Workspace) -> None:
    shutil.copytree(HERE.find("prompts", "protocol"), mine.own("prompts", "mine"))
    test = mine.own("prompts", "other")
    test.mkdir()
    (test / "line_retrieval").symlink_to("../mine/line_retrieval")
    assert PromptSet.open(mine, "other").wording(LineRetrieval).templates


def test_a_project_may_be_reached_through_a_link(mine: Workspace, tmp_path: Path) -> None:
    """As in a temporary folder of macOS, whose path has a link."""
    link = tmp_path / "link"
    link.symlink_to(mine.root)
    through = Workspace(link)
    assert through.cassettes == link / "cassettes"
    assert inside(mine.root / "a" / ".hidden", link) == mine.root / "a" / ".hidden"
    assert inside(link / ".ci" / "a", link) == link / ".ci" / "a"


def test_a_folder_that_the_person_named_is_not_left(mine: Workspace, tmp_path: Path) -> None:
    named = tmp_path / "named"
    shutil.copytree(HERE.find("prompts", "protocol"), named)
    assert PromptSet.open(mine, str(named)).wording(LineRetrieval).templates
    (named / "line_retrieval" / "header.txt").unlink()
    (named / "line_retrieval" / "header.txt").symlink_to("/proc/self/environ")
    with refused("leads-outside", "/environ"):
        PromptSet.open(mine, str(named)).wording(LineRetrieval)


def test_a_file_names_no_folder_outside(mine: Workspace, tmp_path: Path) -> None:
    """docs/security.md, file-paths."""
    named = tmp_path / "named"
    shutil.copytree(HERE.find("prompts", "protocol"), named)
    with refused("leads-outside", named):
        PromptSet.open(mine, str(named), typed=False)


def test_the_person_may_trust_a_folder(
    mine: Workspace, linked: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    linked("cassettes")
    monkeypatch.setenv(TRUSTED_FOLDERS, os.pathsep.join(["", "/nowhere", str(tmp_path / "outside")]))
    assert mine.cassettes.is_dir()
    monkeypatch.setenv(TRUSTED_FOLDERS, os.pathsep)
    with refused("leads-outside"):
        _ = mine.cassettes
