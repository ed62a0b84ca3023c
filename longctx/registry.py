"""The protocols that are known without pytest, for runs and for the commands.

Those of longctx, in its package GROUP, come first; then those of installed packages, which name modules as entry points
of the group GROUP; then those of the modules that the project names in its configuration of pytest:
`longctx_protocols = my_module`.
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
from typing import TYPE_CHECKING, TypeVar

from longctx.errors import UserError, did_you_mean
from longctx.workspace import Workspace

if TYPE_CHECKING:
    from longctx.vocabulary.declaration import Protocol

Kind = TypeVar("Kind")
GROUP = "longctx.protocols"
SETTING = "longctx_protocols"
"""The setting in the project's configuration of pytest that names the modules of its own protocols."""


@functools.lru_cache(maxsize=8)
def known_protocols(workspace: Workspace) -> Mapping[str, Protocol]:
    """Return all protocols by name, in the order of tables and reports. Raises UserError."""
    known = {**shipped()}
    for where, name in _named(workspace):
        for protocol in _load(where, name):
            if protocol.name in known:
                raise UserError(
                    "protocol-name-taken",
                    f"{where} names {name}, but there is a protocol {protocol.name!r} already: rename one of them.",
                )
            known[protocol.name] = protocol
    return known


def protocol_named(workspace: Workspace, name: str) -> Protocol:
    """Return the protocol with this name. Raises UserError if there is none."""
    known = known_protocols(workspace)
    if name in known:
        return known[name]
    raise UserError(
        "unknown-protocol",
        f"There is no protocol {name!r}. {did_you_mean(name, list(known))} Name the module of one of your own in the "
        f"project's pytest configuration: {SETTING} = MODULE.",
    )


def check_known(workspace: Workspace, protocol: Protocol, module: str) -> None:
    """Raise UserError unless this protocol, of that module, is the one with its name."""
    if protocol_named(workspace, protocol.name) is not protocol:
        raise UserError(
            "protocol-name-taken",
            f"There is another protocol {protocol.name!r} than that of {module}: rename one of them.",
        )


@functools.cache
def shipped() -> Mapping[str, Protocol]:
    """Return the protocols that longctx ships, in their order."""
    package = importlib.import_module(GROUP)
    found = [test for name in _modules(package) for test in protocols_in(importlib.import_module(name))]
    known = {test.name: test for test in found}
    return {name: known[name] for name in package.ORDER}


def protocols_in(module: ModuleType) -> list[Protocol]:
    """Return the protocols that a module defines."""
    from longctx.vocabulary.protocol import declared_of

    own = (each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__)
    return [test for each in own if (test := declared_of(each))]


def _modules(package: ModuleType) -> list[str]:
    return [f"{package.__name__}.{module.name}" for module in pkgutil.iter_modules(package.__path__)]


def in_order(names: Sequence[str], known: Collection[str] | None = None) -> list[int]:
    """Return the indices that sort test names: known tests in their order, then others. The sort is stable."""
    if len(set(names)) < 2:  # no test needs to be known, which imports all
        return [*range(len(names))]
    named = dict.fromkeys((*(shipped() if known is None else known), *names))
    ranks = {name: rank for rank, name in enumerate(named)}
    return sorted(range(len(names)), key=lambda place: ranks[names[place]])


def unusable(where: str, name: str, error: Exception) -> UserError:
    """Return the error for a module of protocols, or a report, that a name gives but that cannot be used."""
    return UserError(
        "protocol-not-usable", f"{where} names {name}, which cannot be used: {type(error).__name__}: {error}."
    )


def loaded(name: str, kind: type[Kind]) -> Kind:
    """Import MODULE:ATTRIBUTE. Raises any error of the import, and TypeError if it is not of this kind."""
    module, _, attribute = name.partition(":")
    found = getattr(importlib.import_module(module), attribute)
    if not isinstance(found, kind):
        raise TypeError(f"it is not a {kind.__name__} but a {type(found).__name__} (docs/new-protocol.md)")
    return found


def _named(workspace: Workspace) -> Iterator[tuple[str, str]]:
    """Yield the modules that are not longctx's own, with who names them."""
    for point in importlib.metadata.entry_points(group=GROUP):
        yield f"The installed package {point.dist.name if point.dist else point.name}", point.value
    own = workspace.setting(SETTING)
    if own and str(workspace.root) not in sys.path:
        sys.path.insert(0, str(workspace.root))  # stays there, because reports are loaded later
    for name in own:
        yield f"{workspace.root}: {SETTING}", name


def _load(where: str, name: str) -> list[Protocol]:
    """Return the protocols of a module, and find their reports. Raises UserError."""
    try:
        found = protocols_in(importlib.import_module(name))
        if not found:
            raise TypeError("it has no function that is declared by @longctx.protocol")
        for protocol in found:
            protocol.axes.model_rebuild()  # a table that pydantic cannot check is found here
            _find_report(protocol)
    except Exception as error:
        raise unusable(where, name, error) from error
    return found


def _find_report(test: Protocol) -> None:
    """Raise AttributeError or ModuleNotFoundError if a protocol's report is missing: now, not after a run has asked.

    Its module is not imported, because it may be heavy.
    """
    if not isinstance(test.report, str):
        return
    module, _, attribute = test.report.partition(":")
    if importlib.util.find_spec(module) is None:
        raise ModuleNotFoundError(f"its report is {test.report}, and there is no such module")
    if module in sys.modules and not hasattr(sys.modules[module], attribute):
        raise AttributeError(f"its report is {test.report}, and the module has no {attribute!r}")
