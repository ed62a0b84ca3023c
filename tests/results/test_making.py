"""Objects of frozen dataclasses, made by the hundred thousand."""

from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from longctx.results.making import maker_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    score: float = 0.5
    id: str
    tool: str = "none"
    notes: list[str] = field(default_factory=list)


def test_what_is_made_is_what_the_class_itself_makes() -> None:
    make = maker_of(Result, ("id", "score"), {"tool": "promptfoo"})
    made = make("a", 1.0)
    assert type(made) is Result
    assert made == Result(id="a", score=1.0, tool="promptfoo")
    assert replace(made, id="b") == Result(id="b", score=1.0, tool="promptfoo")
    assert make("c", 0.0).notes is not make("c", 0.0).notes


def test_it_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        maker_of(Result, ("id",))("a").id = "b"  # type: ignore[misc]


def test_every_field_has_a_value() -> None:
    with pytest.raises(TypeError, match="id"):
        maker_of(Result, ("id", "score"))()
    with pytest.raises(TypeError, match="id"):
        maker_of(Result, ("score",))(1.0)
