"""Objects of frozen dataclasses, made by the hundred thousand."""

from dataclasses import FrozenInstanceError, dataclass, field, replace

import pytest

from longctx.results.making import maker_of


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    score: float = 0.5
    id: str
    notes: list[str] = field(default_factory=list)


def test_what_is_made_is_what_the_class_itself_makes() -> None:
    make = maker_of(Result)
    made = make(id="a", score=1.0)
    assert type(made) is Result
    assert made == Result(id="a", score=1.0)
    assert replace(made, id="b") == Result(id="b", score=1.0)
    assert make(id="c").notes is not make(id="c").notes


def test_it_is_frozen() -> None:
    with pytest.raises(FrozenInstanceError):
        maker_of(Result)(id="a").id = "b"  # type: ignore[misc]


def test_a_field_without_a_default_must_be_given() -> None:
    with pytest.raises(TypeError, match="id"):
        maker_of(Result)(score=1.0)  # type: ignore[call-arg]
