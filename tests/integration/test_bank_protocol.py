"""A protocol of the project's own that asks the questions of its own documents."""

from __future__ import annotations

import json
import re
from pathlib import Path

from tests.integration.conftest import Launcher, foreign_project
from tests.servers import Answer, Body, SimulatedServer, message, prompt_of

NOTICES = """
from longctx import BankAxes, Outcome, protocol


class NoticesAxes(BankAxes):
    max_tokens: int = 32

    def cells(self):
        yield {"longest": self.longest}


@protocol(
    axes=NoticesAxes,
    title="Notices",
    templates={"system": (), "question": ("notice", "question")},
    size=lambda cell, tokens: cell.longest * tokens["reference"],
)
def test_notices(ask, prompt, bank, trial, longest: int):
    item, section = bank.items[trial.index], bank.needle(trial.index)
    text = prompt("question", notice=section.text, question=item.question)
    reply = ask(text, expected=item.right, needle=section.text, documents=[section])
    return Outcome("correct" if item.right in reply.text else "wrong", reply.text)
"""


def fee(body: Body) -> Answer:
    """Answer from the notice, but for the gate of district 3."""
    [asked] = re.findall(r"What is the fee of gate (\d)\?", prompt_of(body))
    [crowns] = re.findall(rf"gate {asked} is (\d+) crowns", prompt_of(body))
    return 200, {}, message("unknown" if asked == "3" else f"{crowns} crowns", body)


def test_it_asks_about_the_documents_of_the_project(launcher: Launcher, tmp_path: Path) -> None:
    project = foreign_project(launcher, tmp_path)
    texts = {
        "pytest.ini": "[pytest]\npythonpath = .\ntestpaths = tests_longctx\nlongctx_protocols = notices\n",
        "notices.py": NOTICES,
        "tests_longctx/test_notices.py": "from notices import test_notices\n",
        "fixtures/prompts/protocol/notices/system.txt": "",
        "fixtures/prompts/protocol/notices/question.txt": "{notice}\n\n{question}\n",
        "fixtures/profiles/recorded.toml": '[notices]\nmodels = ["toy"]\nbank = "gates"\ntrials = 20\n',
        "fixtures/gates/corpus.toml": "min_tokens = 1\n",
    }
    questions = []
    for gate in range(5):
        texts[f"fixtures/gates/gate-{gate}.txt"] = f"The fee of gate {gate} is {7 + gate} crowns, day and night.\n"
        wrong = [f"{90 + each} crowns" for each in range(3)]
        asked = {"id": f"q{gate}", "section": f"gate-{gate}", "question": f"What is the fee of gate {gate}?"}
        questions.append(json.dumps({**asked, "right": f"{7 + gate} crowns", "wrong": wrong}))
    texts["fixtures/questions/gates.jsonl"] = "\n".join(questions) + "\n"
    for name, text in texts.items():
        project.file(name).parent.mkdir(parents=True, exist_ok=True)
        project.file(name).write_text(text)
    with SimulatedServer(fee) as server:
        result = project.record(server, profile=None)
    assert result.code == 0, result.out
    rows = {row["item"].partition("@")[0]: row for row in project.rows()}
    assert {item: row["outcome"] for item, row in rows.items()} == {
        **{f"q{gate}": "correct" for gate in (0, 1, 2, 4)},
        "q3": "wrong",
    }
    assert [rows[f"q{gate}"]["cluster"] for gate in range(5)] == [f"gate-{gate}" for gate in range(5)]
    assert len({row["documents"] for row in rows.values()}) == 5
    shown = project.longctx("show", "notices/longest-5000#q3", "--bank=gates")
    assert shown.says("# expected: 10 crowns", "The fee of gate 3 is 10 crowns, day and night."), shown.err
    with project.file("fixtures/gates/gate-4.txt").open("a") as document:
        document.write("Closed on Sundays.\n")
    edited = project.pytest(profile=None)
    assert edited.code != 0
    assert edited.says("4 replayed"), edited.out
