"""What a reply's list of nodes is worth: right as a set, and if not, which nodes are missing and which are invented."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

from longctx.families.graph_walks.graph import Walk

THIRDS = "beginning", "middle", "end"
"""The parts of the list of edges."""
ORIGINS = {
    "nearer": "nearer to the given node, or that node itself",
    "backwards": "found by walking edges backwards",
    "elsewhere": "elsewhere in the graph",
    "unknown": "in no edge at all",
}
"""The kind of a node that was invented -> what it is called."""


def given_nodes(text: str) -> list[str] | None:
    """The nodes of the last list that is called the final answer, each once; None where there is no whole list.

    The source reads the last line only; other harnesses found that many models write on after their answer.
    """
    lists = re.findall(r"final answer\W*?\[([^\[\]]*)\]", text, re.IGNORECASE)
    if not lists:
        return None
    names = (name.strip(" \t\r\n'\"`*") for name in lists[-1].split(","))
    return list(dict.fromkeys(name for name in names if name))


def f1(asked: int, given: int, right: int) -> float:
    """The harmonic mean of precision and recall, 2 x right / (asked + given); 1 where nothing was asked nor given."""
    return 2 * right / (asked + given) if asked + given else 1.0


def compared(walk: Walk, given: Sequence[str]) -> tuple[bool, str, dict[str, int]]:
    """Whether the set is exact, a sentence, and the numbers: how many nodes were asked for, given and right; of those
    in each third of the list of edges how many were asked for and found; and the invented ones by their origin."""
    names = walk.graph.names
    asked = {names[node]: int(node) for node in walk.answer()}
    numbers = {name: number for number, name in enumerate(names)}
    right = asked.keys() & set(given)
    invented = [name for name in given if name not in asked]
    known = [numbers[name] for name in invented if name in numbers]
    origins = Counter[str](walk.origins(known))
    origins["unknown"] = len(invented) - len(known)
    trace = {"asked": len(asked), "given": len(given), "right": len(right)}
    for node, third in _thirds(walk).items():
        trace[f"asked_{third}"] = trace.get(f"asked_{third}", 0) + 1
        trace[f"right_{third}"] = trace.get(f"right_{third}", 0) + (names[node] in right)
    trace |= {origin: origins[origin] for origin in ORIGINS if origins[origin]}
    missing = len(asked) - len(right)
    told = [f"{len(right)} of {len(asked)} nodes are given"]
    told += [f"{len(invented)} invented ({_listed(origins)})"] if invented else []
    return not missing and not invented, ", ".join(told), trace


def _listed(origins: Counter[str]) -> str:
    return ", ".join(f"{origins[origin]} {called}" for origin, called in ORIGINS.items() if origins[origin])


def _thirds(walk: Walk) -> dict[int, str]:
    """The third of the list in which the first edge that leads to a node stands, for each node asked for."""
    places, nodes = walk.last_edges()
    thirds = 3 * places // len(walk.graph.order)
    return {int(node): THIRDS[third] for node, third in reversed(list(zip(nodes, thirds, strict=True)))}
