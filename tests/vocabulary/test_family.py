"""A family that cannot be used is refused when it is created."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from longctx.protocols.passkey import PasskeyAxes
from longctx.vocabulary.family import Family
from longctx.vocabulary.grid import Axes
from longctx.vocabulary.report import Report
from longctx.vocabulary.scenario import Scenario
from tests.protocols import Passkey


class Named(Passkey):
    family: ClassVar[str] = "Pass-Key"


class Misspelt(Passkey):
    identified_by: ClassVar[tuple[str, ...]] = ("windw", "k")


class Bare(Scenario):
    family: ClassVar[str] = "bare"


@pytest.mark.parametrize(
    ("scenario", "grid", "more", "says"),
    [
        (Bare, PasskeyAxes, {}, "Bare lacks version, identified_by, templates, run, size_tokens"),
        (PasskeyAxes, Passkey, {}, "is not a subclass of Scenario"),
        (Passkey, Passkey, {}, "is not a subclass of Axes"),
        (Passkey, Axes, {}, "Axes lacks cells"),
        (Named, PasskeyAxes, {}, "'Pass-Key' is not a valid name of a family"),
        (Misspelt, PasskeyAxes, {}, "Misspelt has no field 'windw', which identified_by names"),
        (Passkey, PasskeyAxes, {"size": "windows"}, "its size is 'windows', which is none of its parameters window, k"),
        (Passkey, PasskeyAxes, {"guessing": 25}, "its rate of guessing is 25: give a share from 0 to below 1"),
        (Passkey, PasskeyAxes, {"variant": "depth"}, "its variant is 'depth', which is none of its parameters"),
        (Passkey, PasskeyAxes, {"report": Report(x="depth")}, "its report's `x` is 'depth', which is none of"),
        (Passkey, PasskeyAxes, {"report": Report(by=("size",))}, "its report's `by` is 'size', which is none of"),
    ],
)
def test_a_mistake_is_reported(scenario: Any, grid: Any, more: dict[str, Any], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        Family(scenario, grid, title="Mine", **more)
