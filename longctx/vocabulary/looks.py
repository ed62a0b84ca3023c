"""The names of the plans of looks, as in profiles, recordings and runs. stats/group_sequential.py has the plans."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

LooksPlan = Literal["once", "equal", "few", "early"]
"""What a name means never changes, since recorded gates are judged by the plan that they were asked by.

once: no look before the last. equal: up to five equal parts, the plan of versions that recorded no name. few: for a
fixed number of cases; it passes nearly as often as one look. early: for profiles whose numbers of trials are chosen for
it; it costs least, and needs a fifth more trials for the same errors.
"""
PLANS: tuple[LooksPlan, ...] = get_args(LooksPlan)
DEFAULT_LOOKS: LooksPlan = "few"


@dataclass(frozen=True, slots=True)
class RunLooks:
    """The plan by which a run looks at its tests: one, unless its two live passes took different ones."""

    declared: LooksPlan = "once"
    """The plan of tests with a declaration, whose trials are known without running them."""
    others: LooksPlan = "once"

    @classmethod
    def all(cls, plan: LooksPlan) -> RunLooks:
        return cls(plan, plan)


AT_ONCE = RunLooks()
