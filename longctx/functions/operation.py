"""A made-up history of an agent at work, with facts of known kinds to ask for afterwards.

The agent answers for the relief depot of a valley that does not exist: it looks stock up, books shipments and writes
files. The idea of asking what survives, kind by kind, is that of LOCA-bench (MIT) and of the probes by which factory.ai
compares ways to compress an agent's context; wording and generator are longctx's own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from longctx.functions.strategies import Messages, tokens_of
from longctx.functions.transcript import Probe, Transcript

KINDS = ("identifier", "file", "number", "rule", "correction", "superseded", "decision", "open_task")
PLACES = (
    *("Ambry", "Belcast", "Corrin", "Dunmere", "Eskel", "Farrow", "Garth", "Hollin", "Ister", "Jarrow", "Kestle"),
    *("Lorn", "Marden", "Norrick", "Oxley", "Penhale", "Quarren", "Rusk", "Selwick", "Tarn", "Ulver", "Wendle"),
)
PEOPLE = ("Adler", "Brandt", "Costa", "Dorn", "Ekberg", "Falk", "Garrick", "Hale", "Ivers", "Jansen", "Kovac", "Lind")
GOODS = (
    *("blankets", "tarpaulins", "stoves", "water filters", "lanterns", "cots", "first-aid kits", "fuel cans", "ropes"),
    *("generators", "sandbags", "ration packs", "tents", "radios", "boots", "shovels", "pumps", "batteries"),
)
CARRIERS = ("Northway", "Brightline", "Stonebridge", "Halden Freight", "Merrow Lines", "Pinecrest")
REASONS = (
    ("it is the only carrier with cooled trucks", ("cooled", "cooling", "refrigerated")),
    ("its drivers are cleared for the tunnel", ("tunnel",)),
    ("it runs at night, when the bridge is open", ("night", "bridge")),
    ("its insurance covers flood damage", ("insurance", "flood")),
    ("its trucks have winches", ("winch", "winches")),
)
TASKS = (
    ("renew the forklift permit", "forklift"),
    ("order labels for the cold store", "labels"),
    ("call the roof inspector", "roof"),
    ("return the borrowed pallet jack", "pallet jack"),
    ("update the night roster", "roster"),
    ("replace the fire hose", "fire hose"),
)
DAYS = ("Mondays", "Tuesdays", "Wednesdays", "Thursdays", "Fridays")
GATES = ("north gate", "south gate", "east gate", "west gate", "river gate")
SYSTEM = "You are the agent of the relief depot. You look things up, book shipments, and keep to what you were told."


def _tool(name: str, description: str, argument: str) -> dict[str, Any]:
    schema = {"type": "object", "properties": {argument: {"type": "string"}}, "required": [argument]}
    return {"name": name, "description": description, "input_schema": schema}


TOOLS = (
    _tool("look_up", "Looks up stock and shipments of a place.", "place"),
    _tool("write_file", "Writes a file, and returns its name.", "title"),
    _tool("book", "Books a shipment.", "place"),
)


@dataclass(frozen=True, slots=True)
class Operation:
    """The history of an agent, and a probe for each kind of fact in it."""

    transcript: Transcript
    probes: dict[str, Probe]
    """By kind, as in KINDS."""


@dataclass(frozen=True, slots=True)
class _Event:
    """Some turns of the history, from one of the user to one of the agent, and where they come in it."""

    place: float
    turns: Messages


class _Dice:
    """Draws from one frozen stream."""

    def __init__(self, stream: np.random.RandomState) -> None:
        self._stream = stream

    def some(self, values: Sequence[Any], number: int) -> list[Any]:
        return [values[int(place)] for place in self._stream.permutation(len(values))[:number]]

    def integer(self, low: int, high: int) -> int:
        return low + int(self._stream.randint(high - low + 1))

    def between(self, low: float, high: float) -> float:
        return low + (high - low) * float(self._stream.random_sample())


def operation(facts: np.random.RandomState, others: np.random.RandomState, tokens: int) -> Operation:
    """Return a history of about so many tokens of the reference vocabulary, at least those of its facts.

    The facts are the same at every length. facts, others: frozen random streams for them, and for everyday work.
    """
    dice = _Dice(facts)
    places = dice.some(PLACES, 8)
    events, probes = _facts(dice, places)
    routine = _Dice(others)
    elsewhere = [place for place in PLACES if place not in places]
    size = sum(tokens_of(event.turns) for event in events)
    while True:
        more = _routine(routine, elsewhere)
        size += tokens_of(more.turns)
        if size > tokens:
            break
        events.append(more)
    ordered = sorted(events, key=lambda event: event.place)
    messages = [turn for event in ordered for turn in event.turns]
    return Operation(Transcript(_numbered(messages), SYSTEM, TOOLS), probes)


def _facts(dice: _Dice, places: Sequence[str]) -> tuple[list[_Event], dict[str, Probe]]:
    code, file = f"QX-{dice.integer(10_000, 99_999)}", f"manifest_{dice.integer(100, 999)}.csv"
    number = dice.integer(201, 989)
    [day], [gate] = dice.some(DAYS, 1), dice.some(GATES, 1)
    wrong, right = dice.some(PEOPLE, 2)
    [old, new] = dice.some(range(2, 29), 2)
    [carrier], [(reason, keywords)] = dice.some(CARRIERS, 1), dice.some(REASONS, 1)
    (task, key), (done, done_key) = dice.some(TASKS, 2)
    first_contact, first_date, first_task = (dice.between(0, 0.3) for _ in range(3))
    late = [dice.between(0.4, 0.95) for _ in range(3)]
    events = [
        _Event(
            dice.between(0, 0.08),
            _said(
                f"One rule for all of this work: no truck may leave by the {gate} on {day}.",
                f"Understood. No truck leaves by the {gate} on {day}.",
            ),
        ),
        _Event(
            dice.between(0.1, 0.95),
            _called(
                f"Book the shipment to {places[0]}.",
                "book",
                places[0],
                f"booked: {places[0]}, tracking code {code}, status waiting",
                "It is booked and waits for a truck.",
            ),
        ),
        _Event(
            dice.between(0.1, 0.95),
            _called(
                f"Write the manifest for {places[1]}.",
                "write_file",
                f"manifest of {places[1]}",
                f"written: {file}, 1 page, for {places[1]}",
                f"The manifest for {places[1]} is written.",
            ),
        ),
        _Event(
            dice.between(0.1, 0.95),
            _called(
                f"How many stoves are at {places[2]}?",
                "look_up",
                places[2],
                f"{places[2]}: stoves {number}, ropes {dice.integer(20, 190)}",
                f"There are {number} stoves at {places[2]}.",
            ),
        ),
        _Event(first_contact, _said(f"Our contact at {places[3]} is {wrong}.", f"Noted: {wrong} at {places[3]}.")),
        _Event(
            late[0],
            _said(
                f"I was wrong about {places[3]}: the contact there is {right}, not {wrong}.",
                "Thank you, I have corrected it.",
            ),
        ),
        _Event(
            first_date,
            _called(
                f"When does the road to {places[4]} close?",
                "look_up",
                places[4],
                f"{places[4]}: the road closes on day {old} of the month",
                f"It closes on day {old}.",
            ),
        ),
        _Event(
            late[1],
            _called(
                f"Look at {places[4]} again.",
                "look_up",
                places[4],
                f"{places[4]}: new date, the road closes on day {new} of the month",
                "The date has changed; I go by the new one.",
            ),
        ),
        _Event(
            dice.between(0.1, 0.95),
            _said(
                f"Who should drive to {places[5]}?", f"I have decided on {carrier} for {places[5]}, because {reason}."
            ),
        ),
        _Event(
            first_task,
            _said(f"Two things to do later: {task}, and {done}.", "Both are on my list."),
        ),
        _Event(
            late[2],
            _said(
                f"Is there news of the list? I know that somebody had to {done}.",
                f"That is done: {done}. The other is still open.",
            ),
        ),
    ]
    road = f"On which day of the month does the road to {places[4]} close?"
    probes = {
        "identifier": Probe(f"What is the tracking code of the shipment to {places[0]}?", (code,), evidence=code),
        "file": Probe(f"What is the name of the file with the manifest for {places[1]}?", (file,), evidence=file),
        "number": Probe(f"How many stoves are at {places[2]}?", (str(number),), evidence=f"stoves {number}"),
        "rule": Probe(
            f"By which gate may no truck leave on {day}?",
            (gate, gate.removesuffix(" gate")),
            evidence="One rule for all of this work",
        ),
        "correction": Probe(
            f"Who is our contact at {places[3]}?", (right,), (wrong,), evidence=f"I was wrong about {places[3]}"
        ),
        "superseded": Probe(road, (str(new),), (str(old),), evidence=f"{places[4]}: new date"),
        "decision": Probe(
            f"Why was {carrier} chosen for {places[5]}?", keywords, evidence=f"I have decided on {carrier}"
        ),
        "open_task": Probe(
            "Which of the two tasks on the list is still open?",
            (key,),
            (done_key,),
            evidence=f"Two things to do later: {task}",
        ),
    }
    return events, {kind: _of_kind(kind, probe) for kind, probe in probes.items()}


def _of_kind(kind: str, probe: Probe) -> Probe:
    return Probe(probe.question, probe.accept, probe.stale, kind, probe.evidence)


def _routine(dice: _Dice, places: Sequence[str]) -> _Event:
    """Return a turn of everyday work, which no probe asks for."""
    [place], goods = dice.some(places, 1), dice.some([each for each in GOODS if each != "stoves"], 6)
    listed = ", ".join(f"{each} {dice.integer(20, 190)}" for each in goods)
    return _Event(
        dice.between(0, 1),
        _called(
            f"What is in store at {place}?",
            "look_up",
            place,
            f"{place}: {listed}; shelf {dice.integer(1, 40)}, last count by team {dice.integer(1, 9)}",
            f"{place} has {goods[0]} and {goods[1]}, among others.",
        ),
    )


def _said(user: str, agent: str) -> Messages:
    return [{"role": "user", "content": user}, {"role": "assistant", "content": agent}]


def _called(user: str, tool: str, argument: str, result: str, agent: str) -> Messages:
    [name] = next(each for each in TOOLS if each["name"] == tool)["input_schema"]["required"]
    call = {"type": "tool_use", "id": "", "name": tool, "input": {name: argument}}
    return [
        {"role": "user", "content": user},
        {"role": "assistant", "content": [call]},
        {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "", "content": result}]},
        {"role": "assistant", "content": agent},
    ]


def _numbered(messages: Messages) -> Messages:
    """Return the turns with an id for each tool call and its result."""
    calls, found = 0, Messages()
    for message in messages:
        match message["content"]:
            case [{"type": "tool_use"} as use]:
                calls += 1
                found.append({"role": "assistant", "content": [use | {"id": f"toolu_{calls:04d}"}]})
            case [{"type": "tool_result"} as result]:
                found.append({"role": "user", "content": [result | {"tool_use_id": f"toolu_{calls:04d}"}]})
            case _:
                found.append(message)
    return found
