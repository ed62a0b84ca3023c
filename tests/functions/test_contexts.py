"""What requests about one context share: marks for the prompt cache, and the cheapest way to ask them."""

from __future__ import annotations

import dataclasses
from typing import Any

import pytest

from longctx.config.models import Caching, ModelProfile
from longctx.functions.asking import TrialFilter
from longctx.functions.batches import Rounds
from longctx.functions.cells import FunctionPoint, FunctionTable, declaration_of
from longctx.functions.contexts import in_contexts, of_one_context, shared_requests
from longctx.functions.measure import Result, run
from longctx.functions.trial import FunctionTrial
from longctx.live.bounds import Terms
from longctx.live.cost.estimate import price_of
from longctx.live.cost.money import Budget
from longctx.live.display import Tally
from longctx.recording.request import Request
from longctx.recording.tape import Tape
from longctx.vocabulary.protocol_cell import Suspended
from tests.batch_server import BatchServer, errored
from tests.functions.examples import answer_to, body_of, cell_of, exchanged, trial_of
from tests.given import dollars

PRICES = dollars(2, 10, cache_read=0.1, cache_write=2.5, cache_write_1h=4, batch_discount=0.5)
CACHED = ModelProfile(model="toy", caching=Caching(min_tokens=100), prices=PRICES)
TEXT = "The fee is five crowns. " * 400


def requests(tape: Tape, number: int, model: ModelProfile = CACHED, room: int = 10, **changed: Any) -> list[Request]:
    """Return the first requests of trials about one context."""
    cell = cell_of(trials=number, model=model, of_one_context=number)
    made = []
    for index in range(number):
        trial = trial_of(cell, index, tape=tape)
        asked = {"role": "user", "content": f"{TEXT}Question {index}?"}
        body = {"model": "toy", "max_tokens": room, "messages": [asked]} | changed
        with pytest.raises(Suspended):
            exchanged(trial, body, model=model)
        made.append(trial.unanswered[0])
    return made


def test_trials_are_grouped_by_cluster_and_repeats_by_trial() -> None:
    cells = cell_of(trials=4, items=(("a", "one"), ("b", "two"), ("c", "one"), ("d", "")))
    groups = in_contexts(list(dataclasses.replace(cells, repeats=2).each_trial()))
    named = [[(trial.index, trial.repeat) for trial in group] for group in groups]
    assert named == [[(0, 0), (2, 0), (0, 1), (2, 1)], [(1, 0), (1, 1)], [(3, 0), (3, 1)]]


def test_the_first_writes_what_the_others_read(tape: Tape) -> None:
    first, second, third = shared_requests(requests(tape, 3))
    [asked] = second.body["messages"]
    assert asked["content"][0] == {"type": "text", "text": f"{TEXT}Question ", "cache_control": {"type": "ephemeral"}}
    assert asked["content"][1] == {"type": "text", "text": "1?"}
    assert (first.shared.read, first.shared.after) == (0, None)
    assert second.shared.after == third.shared.after == first.key
    assert second.shared.read_share > 0.9 < first.shared.write_share
    price = price_of([first, second, third], batches=False)
    assert price.cached < 0.6 * price.standard


def test_turns_that_all_share_are_marked_at_their_end(tape: Tape) -> None:
    asked = requests(tape, 2)
    with_turns = [
        dataclasses.replace(
            request,
            body=request.body
            | {
                "messages": [
                    {"role": "user", "content": TEXT},
                    {"role": "assistant", "content": "I see."},
                    {"role": "user", "content": f"Question {number}?"},
                ]
            },
        )
        for number, request in enumerate(asked)
    ]
    for request in shared_requests(with_turns):
        turns = request.body["messages"]
        assert turns[1]["content"] == [{"type": "text", "text": "I see.", "cache_control": {"type": "ephemeral"}}]
        assert turns[0]["content"] == TEXT


@pytest.mark.parametrize(
    "changed",
    [
        {"messages": [{"role": "user", "content": [{"type": "text", "text": TEXT, "cache_control": {}}]}]},
        {"messages": [{"role": "user", "content": [{"type": "document", "source": {"data": TEXT}}]}]},
        {"messages": [{"role": "user", "content": "short"}]},
    ],
    ids=["marked-by-the-code-under-test", "no-text", "too-short"],
)
def test_what_may_not_or_need_not_be_marked_stays_as_it_is(tape: Tape, changed: dict[str, Any]) -> None:
    asked = requests(tape, 2, **changed)
    assert shared_requests(asked) == asked
    other = dataclasses.replace(asked[1], body=asked[1].body | {"system": "Be brief."})
    assert shared_requests([asked[0], other]) == [asked[0], other]


def test_in_batches_the_cheapest_way_is_taken(tape: Tape) -> None:
    short = shared_requests(requests(tape, 4), batch=True)
    assert all(request.shared.direct for request in short)
    long = shared_requests(requests(tape, 4, room=2000), batch=True)
    assert not any(request.shared.direct or request.shared.cuts for request in long), (
        "the discount on replies is worth more"
    )
    many = shared_requests(requests(tape, 12, room=2000), batch=True)
    assert {
        mark["ttl"] for request in many for mark in [request.body["messages"][0]["content"][0]["cache_control"]]
    } == {"1h"}
    assert price_of(many, batches=True).planned < price_of(requests(tape, 12, room=2000), batches=True).planned  # type: ignore[operator]


def test_a_round_asks_directly_what_is_cheaper_so(tape: Tape) -> None:
    messages: list[str] = []
    with BatchServer() as server:
        budget = Budget()
        rounds = Rounds(tape, Terms(base_url=server.url, batch=True), budget, messages.append, Tally(0), TrialFilter())
        rounds.ask(requests(tape, 4))
        assert len(server.asked) == 4
        assert not server.created
    assert tape.recorded == 4
    assert rounds.asked.failures == {}
    assert budget.spent > 0


def test_later_requests_of_a_trial_are_by_themselves(tape: Tape) -> None:
    asked = requests(tape, 2)
    later = dataclasses.replace(asked[1], place=dataclasses.replace(asked[1].place, number=1))
    assert list(of_one_context([asked[0], later])) == [[asked[0]], [later]]
    assert list(of_one_context(asked)) == [asked]
    twice = dataclasses.replace(asked[0], place=dataclasses.replace(asked[0].place, sha256="other"))
    assert len(list(of_one_context([asked[0], twice]))) == 2


def test_cases_of_one_cell_share_what_they_send_alike(tape: Tape) -> None:
    items = tuple((f"case-{number}", "") for number in range(4))
    declared = declaration_of("test_it", FunctionTable(same_context=True), items)
    point = FunctionPoint(declared, (("fill", 400),), max_tokens=1024)
    cell = dataclasses.replace(cell_of(model=CACHED), point=point, trials=4)
    assert [len(group) for group in in_contexts(list(cell.each_trial()))] == [4]
    call = {"type": "tool_use", "id": "t1", "name": "look", "input": {}}
    made = []
    for index in range(4):
        result = {"type": "tool_result", "tool_use_id": "t1", "content": TEXT}
        turns = [
            {"role": "user", "content": f"Context {index // 2}. {TEXT}"},
            {"role": "assistant", "content": [call]},
            {"role": "user", "content": [result, {"type": "text", "text": f"Question {index}?"}]},
        ]
        trial = trial_of(cell, index, tape=tape)
        with pytest.raises(Suspended):
            exchanged(trial, {"model": "toy", "max_tokens": 10, "messages": turns}, model=CACHED)
        made.append(trial.unanswered[0])
    groups = list(of_one_context(made))
    assert [[request.trial.index for request in group] for group in groups] == [[0, 1], [2, 3]]
    first, second = shared_requests(groups[0])
    marked = second.body["messages"][2]["content"]
    assert "cache_control" in marked[0]
    assert marked[1] == {"type": "text", "text": "Question 1?"}
    assert second.shared.after == first.key
    assert point.cluster(0) == "", "statistics take no notice"


def test_what_a_judge_was_not_answered_ends_the_trial_that_asked_it(tape: Tape) -> None:
    """Else it would be sent again in each round."""
    trial = trial_of(tape=tape)
    with pytest.raises(Suspended):
        exchanged(
            trial, body_of("Is it right?") | {"model": "referee"}, model=ModelProfile(model="referee"), role="judge"
        )
    with BatchServer() as server:
        server.result = errored("invalid_request_error", "no")
        rounds = Rounds(
            tape, Terms(base_url=server.url, batch=True), Budget(), lambda sentence: None, Tally(0), TrialFilter()
        )
        rounds.ask(trial.unanswered)
    assert rounds.asked.failures.keys() == {trial.trial.key}


def test_rounds_run_each_trial_until_it_has_ended_and_count_errors_once(tape: Tape) -> None:
    rounds = Rounds(tape, Terms(batch=True), Budget(), lambda sentence: None, Tally(0), TrialFilter())
    runs: list[str] = []

    def start(trial: FunctionTrial) -> Result:
        def test() -> None:
            runs.append(trial.item)
            if trial.item == "0":
                raise LookupError("no such case")
            exchanged(trial, body_of("What is it?"), model=CACHED)

        return run(trial, test)

    def round_of() -> list[Request]:
        return rounds.run(cell_of(trials=2).each_trial(), lambda trial: FunctionTrial(trial, tape), start)

    [request] = round_of()
    answer_to(request, tape)
    assert (round_of(), round_of()) == ([], [])
    assert runs == ["0", "1", "1"]
    assert rounds.asked.errors == {"LookupError: no such case": 1}
