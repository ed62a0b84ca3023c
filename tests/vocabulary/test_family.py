"""A family that cannot be used is refused when it is created."""

from __future__ import annotations

from typing import Any, ClassVar

import pytest

from longctx.families.passkey.grid import PasskeyGrid
from longctx.families.passkey.protocol import Passkey
from longctx.vocabulary.family import Family
from longctx.vocabulary.grid import Grid
from longctx.vocabulary.scenario import Scenario


class Named(Passkey):
    family: ClassVar[str] = "Pass-Key"


class Misspelt(Passkey):
    identified_by: ClassVar[tuple[str, ...]] = ("windw", "k")


class Bare(Scenario):
    family: ClassVar[str] = "bare"


@pytest.mark.parametrize(
    ("scenario", "grid", "more", "says"),
    [
        (Bare, PasskeyGrid, {}, "Bare lacks version, identified_by, templates, build, judge, size_tokens"),
        (PasskeyGrid, Passkey, {}, "is not a subclass of Scenario"),
        (Passkey, Passkey, {}, "is not a subclass of Grid"),
        (Passkey, Grid, {}, "Grid lacks scenarios"),
        (Named, PasskeyGrid, {}, "'Pass-Key' is not a valid name of a family"),
        (Misspelt, PasskeyGrid, {}, "Misspelt has no field 'windw', which identified_by names"),
        (Passkey, PasskeyGrid, {"size": "windows"}, "its size is 'windows', which is none of its parameters window, k"),
        (Passkey, PasskeyGrid, {"guessing": 25}, "its rate of guessing is 25: give a share from 0 to below 1"),
        (Passkey, PasskeyGrid, {"variant": "depth"}, "its variant is 'depth', which is none of its parameters"),
    ],
)
def test_a_mistake_is_reported(scenario: Any, grid: Any, more: dict[str, str], says: str) -> None:
    with pytest.raises(TypeError, match=says):
        Family(scenario, grid, title="Mine", **more)
