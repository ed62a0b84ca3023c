"""Which families there are, for pytest and for the commands alike.

Those of longctx come first, which its package GROUP holds; then those of installed packages, which name them as entry
points of the group GROUP; then those that a project names in its own configuration of pytest:
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
from typing import TypeVar

from longctx.errors import UserError, did_you_mean
from longctx.vocabulary.account import Account
from longctx.vocabulary.family import Family
from longctx.workspace import Workspace

Kind = TypeVar("Kind")
GROUP = "longctx.families"
SETTING = "longctx_families"
"""In the project's configuration of pytest."""


@functools.lru_cache(maxsize=8)
def families(workspace: Workspace) -> Mapping[str, Family]:
    """Name -> family, in the order in which tables and reports show them. Raises UserError."""
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
    """The family of that name. Raises UserError where none is registered."""
    known = families(workspace)
    if name in known:
        return known[name]
    raise UserError(
        "unknown-family",
        f"There is no family {name!r}. {did_you_mean(name, list(known))} A family of your own is named in the "
        f"project's configuration of pytest: {SETTING} = MODULE:FAMILY.",
    )


@functools.cache
def shipped() -> Mapping[str, Family]:
    """Those of longctx alone: each folder of the package says FAMILIES, and its ORDER among the folders."""
    modules = pkgutil.iter_modules(importlib.import_module(GROUP).__path__)
    folders = [importlib.import_module(f"{GROUP}.{module.name}") for module in modules if module.ispkg]
    return {
        family.name: family for folder in sorted(folders, key=lambda folder: folder.ORDER) for family in folder.FAMILIES
    }


def in_order(names: Sequence[str], known: Collection[str] | None = None) -> list[int]:
    """The places of families' names in the order of the families, then of others as they come; equals as they stand."""
    named = dict.fromkeys((*(shipped() if known is None else known), *names))
    ranks = {name: rank for rank, name in enumerate(named)}
    return sorted(range(len(names)), key=lambda place: ranks[names[place]])


def account_of(family: Family) -> Account:
    """What is measured of a family and how it is shown, loaded when first needed. Raises UserError."""
    try:
        made: object = _loaded(family.account, type)()
    except Exception as error:
        raise _unusable(f"The family {family.name!r}", family.account, error) from error
    if not isinstance(made, Account):
        raise UserError(
            "not-an-account",
            f"The family {family.name!r} names {family.account}, which is not a subclass of Account: make it one.",
        )
    return made


def _named(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Who names a family that is not longctx's own, and which: MODULE:ATTRIBUTE."""
    for point in importlib.metadata.entry_points(group=GROUP):
        yield f"The installed package {point.dist.name if point.dist else point.name}", point.value
    own = workspace.setting(SETTING)
    if own and str(workspace.root) not in sys.path:
        sys.path.insert(0, str(workspace.root))  # to stay: an account is loaded later
    for name in own:
        yield f"{workspace.root}: {SETTING}", name


def _load(where: str, name: str) -> Family:
    """Raises UserError."""
    try:
        family = _loaded(name, Family)
        _find_account(family)
    except Exception as error:
        raise _unusable(where, name, error) from error
    return family


def _find_account(family: Family) -> None:
    """Raises AttributeError or ModuleNotFoundError where there is none: now, and not when a run has asked all it
    wanted. What is not imported yet may be heavy, and is not."""
    module, _, attribute = family.account.partition(":")
    if importlib.util.find_spec(module) is None:
        raise ModuleNotFoundError(f"its account is {family.account}, and there is no such module")
    if module in sys.modules and not hasattr(sys.modules[module], attribute):
        raise AttributeError(f"its account is {family.account}, and the module has no {attribute!r}")


def _unusable(where: str, name: str, error: Exception) -> UserError:
    return UserError(
        "family-not-usable", f"{where} names {name}, which cannot be used: {type(error).__name__}: {error}."
    )


def _loaded(name: str, kind: type[Kind]) -> Kind:
    """What MODULE:ATTRIBUTE means. Raises what importing it raises, and TypeError where it is of another kind."""
    module, _, attribute = name.partition(":")
    loaded = getattr(importlib.import_module(module), attribute or "FAMILY")
    if not isinstance(loaded, kind):
        raise TypeError(f"it is no {kind.__name__} but a {type(loaded).__name__}")
    return loaded
