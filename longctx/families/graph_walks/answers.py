"""Judging a reply's list of nodes: whether it is right as a set, and which nodes are missing and which invented."""

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
"""Readable names of the kinds of invented nodes."""


def given_nodes(text: str) -> list[str] | None:
    """Return the different nodes of the last complete list that is called the final answer; None if there is none.

    The source reads the last line only, but many models write on after their answer, as other harnesses report.
    """
    lists = re.findall(r"final answer\W*?\[([^\[\]]*)\]", text, re.IGNORECASE)
    if not lists:
        return None
    names = (name.strip(" \t\r\n'\"`*") for name in lists[-1].split(","))
    return list(dict.fromkeys(name for name in names if name))


def f1(asked: int, given: int, right: int) -> float:
    """Return the harmonic mean of precision and recall, 2 x right / (asked + given); 1 if nothing is asked or given."""
    return 2 * right / (asked + given) if asked + given else 1.0


def compared(walk: Walk, given: Sequence[str]) -> tuple[bool, str, dict[str, int]]:
    """Return whether the set is exact, a sentence about it, and its counts.

    The counts are the nodes asked for, given and right; those asked for and found in each third of the list of edges;
    and the invented nodes by origin.
    """
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
    parts = [f"{len(right)} of {len(asked)} nodes are given"]
    parts += [f"{len(invented)} invented ({_listed(origins)})"] if invented else []
    return not missing and not invented, ", ".join(parts), trace


def _listed(origins: Counter[str]) -> str:
    return ", ".join(f"{origins[origin]} {called}" for origin, called in ORIGINS.items() if origins[origin])


def _thirds(walk: Walk) -> dict[int, str]:
    """Return, for each node asked for, the third of the list that contains the first edge leading to it."""
    places, nodes = walk.last_edges()
    thirds = 3 * places // len(walk.graph.order)
    return {int(node): THIRDS[third] for node, third in reversed(list(zip(nodes, thirds, strict=True)))}
