"""--ctx-prompts: another wording of the same questions, or several to compare."""

from __future__ import annotations

import shutil

from tests.integration.conftest import Checkout
from tests.servers import SimulatedServer

PROTOCOL = "fixtures/prompts/protocol"


def reworded(checkout: Checkout, name: str, header: str = "Read this.", system: str = "") -> str:
    """Copy the prompt set `protocol`, change its templates as a user would, and return the name of the copy."""
    shutil.copytree(checkout.file(PROTOCOL), checkout.file(name))
    checkout.file(f"{name}/line_retrieval/header.txt").write_text(header + "\n")
    checkout.file(f"{name}/line_retrieval/system.txt").write_text(system + "\n")
    return name


def test_several_are_compared_on_the_same_questions(checkout: Checkout, server: SimulatedServer) -> None:
    mine = reworded(checkout, "mine", system="Be brief.")
    both = ("--ctx-prompts=protocol", f"--ctx-prompts={mine}")
    assert checkout.record(server, "--ctx-concurrency=1", *both).code == 0
    assert [body.get("system") for body in server.asked] == ["Be brief."] * 4 + [None] * 4
    rows = checkout.rows()
    assert {row["prompt_set"] for row in rows} == {"protocol", "mine"}
    assert len({row["prompt_digest"] for row in rows}) == 2
    asked = {name: [row["expected"] for row in rows if row["prompt_set"] == name] for name in ("protocol", "mine")}
    assert asked["protocol"] == asked["mine"]
    assert checkout.pytest(*both).code == 0
    assert len(checkout.rows()) == 8


def test_one_is_found_by_name_among_the_fixtures(checkout: Checkout, server: SimulatedServer) -> None:
    reworded(checkout, "fixtures/prompts/short", header="Short.")
    assert checkout.record(server, "--ctx-prompts=short", "-k", "lines-3").code == 0
    assert {row["prompt_set"] for row in checkout.rows()} == {"short"}
    assert all(body["messages"][0]["content"].startswith("Short.\n") for body in server.asked)


def test_recordings_never_answer_another_wording(recorded: Checkout) -> None:
    result = recorded.pytest(f"--ctx-prompts={reworded(recorded, 'mine')}")
    assert result.code == 1
    assert result.says("2 of 2 trials are stale: the recorded prompt set is 'protocol' (", "this one is 'mine' (")
    assert {row["error"] for row in recorded.rows()} == {"stale"}


def test_a_wording_changed_in_place_is_stale_until_it_is_changed_back(recorded: Checkout) -> None:
    instruction = recorded.file(f"{PROTOCOL}/line_retrieval/instruction.txt")
    before = instruction.read_text()
    instruction.write_text(before.replace("report only", "report just"))
    assert recorded.pytest().says("2 of 2 trials are stale: the recorded prompt set is 'protocol' (")
    instruction.write_text(before)
    assert recorded.pytest().code == 0


def test_a_changed_wording_is_compared_with_the_recording_of_its_own_prompt_set(
    checkout: Checkout, server: SimulatedServer
) -> None:
    reworded(checkout, "fixtures/prompts/mine")
    for prompts in ("protocol", "mine"):
        assert checkout.record(server, f"--ctx-prompts={prompts}", mode="new_episodes").code == 0
    checkout.file(f"{PROTOCOL}/line_retrieval/header.txt").write_text("Changed.\n")
    result = checkout.pytest()
    assert result.says("the recorded prompt set is 'protocol' (", "-Testing Long Context +Changed.")


def test_a_change_to_one_test_leaves_the_others(recorded: Checkout) -> None:
    recorded.file(f"{PROTOCOL}/passkey/filler.txt").write_text("Another filler.\n")
    assert recorded.pytest().code == 0


def test_mistakes(checkout: Checkout) -> None:
    result = checkout.pytest("--ctx-prompts=sead")
    assert result.code == 4
    assert result.says("chatty, immediate, plain, protocol, question, session, tagged, terse", "[unknown-prompt-set]")
    reworded(checkout, "mine")
    checkout.file("mine/line_retrieval/line.txt").write_text("line {line}: nothing\n")
    result = checkout.pytest("--ctx-prompts=mine")
    assert result.code == 4
    assert result.says("line.txt", "{value}", "[placeholder-missing]")
    checkout.file("mine/line_retrieval/line.txt").unlink()
    result = checkout.pytest("--ctx-prompts=mine")
    assert result.code == 4
    assert result.says("mine/line_retrieval/line.txt", "[prompt-file-missing]")


def test_a_profile_names_those_of_a_table_unless_the_option_is_given(
    checkout: Checkout, server: SimulatedServer
) -> None:
    reworded(checkout, "fixtures/prompts/short", header="Short.")
    profile = checkout.file("two.toml")
    table = '[[line_retrieval]]\nmodels = ["toy"]\norders = ["ordered"]\ntrials = 1\n'
    profile.write_text(f'{table}lines = [3]\n{table}lines = [5]\nprompts = ["short"]\n')
    assert checkout.record(server, "--ctx-profile=two.toml").code == 0
    assert {row["cell"]: row["prompt_set"] for row in checkout.rows()} == {
        "lines-3": "protocol",
        "lines-5": "short",
    }
    again = checkout.record(server, "--ctx-profile=two.toml", "--ctx-prompts=short", mode="new_episodes")
    assert again.code == 0
    assert {row["prompt_set"] for row in checkout.rows()} == {"short"}


def test_a_prompt_set_of_a_profile_that_does_not_exist_is_named(checkout: Checkout) -> None:
    table = '[[line_retrieval]]\nmodels = ["toy"]\nlines = [3]\ntrials = 1\nprompts = ["shrt"]\n'
    checkout.file("one.toml").write_text(table)
    result = checkout.pytest("--ctx-profile=one.toml")
    assert result.code == 4
    assert result.says("'shrt'", "[unknown-prompt-set]")
