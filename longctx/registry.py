"""The known families, for pytest and for the commands.

The families of longctx, in its package GROUP, come first; then those of installed packages, which name them as entry
points of the group GROUP; then those that the project names in its configuration of pytest:
`longctx_families = my_module:MY_FAMILY`.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import importlib.util
import pkgutil
import sys
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import ModuleType
from typing import TypeVar

from longctx.errors import UserError, did_you_mean
from longctx.vocabulary.family import Family
from longctx.vocabulary.protocol import declared_family
from longctx.workspace import Workspace

Kind = TypeVar("Kind")
GROUP = "longctx.families"
PROTOCOLS = "longctx.protocols"
SETTING = "longctx_families"
"""The setting in the project's configuration of pytest that names its own families."""


@functools.lru_cache(maxsize=8)
def families(workspace: Workspace) -> Mapping[str, Family]:
    """Return all families by name, in the order of tables and reports. Raises UserError."""
    known = {**shipped()}
    for where, name in _named(workspace):
        family = _load(where, name)
        if family.name in known:
            raise UserError(
                "family-name-taken",
                f"{where} names {name}, but there is a family {family.name!r} already: rename one of them.",
            )
        known[family.name] = family
    return known


def family_of(workspace: Workspace, name: str) -> Family:
    """Return the family with this name. Raises UserError if there is none."""
    known = families(workspace)
    if name in known:
        return known[name]
    raise UserError(
        "unknown-family",
        f"There is no family {name!r}. {did_you_mean(name, list(known))} A family of your own is named in the "
        f"project's pytest configuration: {SETTING} = MODULE:FAMILY.",
    )


@functools.cache
def shipped() -> Mapping[str, Family]:
    """Return what longctx ships: the protocols, in their order, and the families that are none yet."""
    package = importlib.import_module(PROTOCOLS)
    found = [family for name in _modules(package) for family in protocols_in(importlib.import_module(name))]
    for name in _modules(importlib.import_module(GROUP)):
        found += getattr(importlib.import_module(name), "FAMILIES", ())
    known = {family.name: family for family in found}
    return {name: known[name] for name in package.ORDER}


def protocols_in(module: ModuleType) -> list[Family]:
    """Return the protocols that a module defines."""
    own = (each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__)
    return [family for each in own if (family := declared_family(each))]


def _modules(package: ModuleType) -> list[str]:
    return [f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]


def in_order(names: Sequence[str], known: Collection[str] | None = None) -> list[int]:
    """Return the indices that sort family names: known families in their order, then others. The sort is stable."""
    named = dict.fromkeys((*(shipped() if known is None else known), *names))
    ranks = {name: rank for rank, name in enumerate(named)}
    return sorted(range(len(names)), key=lambda place: ranks[names[place]])


def unusable(where: str, name: str, error: Exception) -> UserError:
    """Return the error for a family, or its account, that a name gives but that cannot be used."""
    return UserError(
        "family-not-usable", f"{where} names {name}, which cannot be used: {type(error).__name__}: {error}."
    )


def loaded(name: str, kind: type[Kind]) -> Kind:
    """Import MODULE:ATTRIBUTE. Raises any error of the import, and TypeError if it is not of this kind."""
    module, _, attribute = name.partition(":")
    found = getattr(importlib.import_module(module), attribute or "FAMILY")
    if not isinstance(found, kind):
        raise TypeError(f"it is not a {kind.__name__} but a {type(found).__name__}")
    return found


def _named(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Yield the families that are not longctx's own: who names them, and their MODULE:ATTRIBUTE."""
    for point in importlib.metadata.entry_points(group=GROUP):
        yield f"The installed package {point.dist.name if point.dist else point.name}", point.value
    own = workspace.setting(SETTING)
    if own and str(workspace.root) not in sys.path:
        sys.path.insert(0, str(workspace.root))  # stays there, because accounts are loaded later
    for name in own:
        yield f"{workspace.root}: {SETTING}", name


def _load(where: str, name: str) -> Family:
    """Load a family and find its account. Raises UserError."""
    try:
        family = loaded(name, Family)
        family.grid.model_rebuild()  # a table that pydantic cannot check is found here
        _find_account(family)
    except Exception as error:
        raise unusable(where, name, error) from error
    return family


def _find_account(family: Family) -> None:
    """Raise AttributeError or ModuleNotFoundError if a family has no account: now, and not after a run has asked.

    The account's module is not imported, because it may be heavy.
    """
    if not family.account:
        return
    module, _, attribute = family.account.partition(":")
    if importlib.util.find_spec(module) is None:
        raise ModuleNotFoundError(f"its account is {family.account}, and there is no such module")
    if module in sys.modules and not hasattr(sys.modules[module], attribute):
        raise AttributeError(f"its account is {family.account}, and the module has no {attribute!r}")
