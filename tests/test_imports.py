"""No module of longctx imports itself by way of others, so it does not matter which of them a process imports first. No
test imports another.

The runs of the integration tests begin with all of them imported (see tests/integration/forking.py): they would not
tell.
"""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from graphlib import TopologicalSorter

from tests.here import HERE
from tests.sources import tree_of

PACKAGE = HERE.root / "longctx"


def imported(path: str, modules: set[str]) -> Iterator[str]:
    """Return the modules of longctx that this module imports when it is imported."""
    for statement in tree_of(PACKAGE.parent / path).body:
        if isinstance(statement, ast.Import):
            yield from (alias.name for alias in statement.names if alias.name in modules)
        if isinstance(statement, ast.ImportFrom) and statement.module in modules:
            for alias in statement.names:
                whole = f"{statement.module}.{alias.name}"
                yield from _with_packages(whole if whole in modules else statement.module, path)


def _with_packages(module: str, path: str) -> Iterator[str]:
    """Yield a module and the packages around it that do not hold the importing file, which are imported with it."""
    yield module
    for package in itertools.accumulate(module.split(".")[:-1], lambda outer, name: f"{outer}.{name}"):
        if not path.startswith(f"{package.replace('.', '/')}/"):
            yield package


def test_no_module_imports_itself() -> None:
    named = {
        path.relative_to(PACKAGE.parent).with_suffix("").as_posix().replace("/", ".").removesuffix(".__init__"): path
        for path in PACKAGE.rglob("*.py")
    }
    graph = {name: {*imported(path.relative_to(PACKAGE.parent).as_posix(), {*named})} for name, path in named.items()}
    assert len([*TopologicalSorter(graph).static_order()]) == len(named) > 100


def test_no_test_imports_another() -> None:
    """Code that several tests need has a module of its own beside them."""
    texts = {path: path.read_text(encoding="utf-8") for path in (HERE.root / "tests").rglob("*.py")}
    named = re.compile(r"^(?:from|import) tests\b.*\btest_\w+", re.MULTILINE)
    assert not {path.name: match[0] for path, text in texts.items() if (match := named.search(text))}


def test_the_endpoint_is_imported_only_where_it_is_on() -> None:
    """By the plugin's module of it alone, which is imported where pytest's settings turn it on."""
    importers = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        for statement in tree_of(path).body
        if isinstance(statement, ast.ImportFrom) and str(statement.module).startswith("longctx.endpoint")
    }
    assert {path for path in importers if not path.startswith("endpoint/")} == {"plugin/local_endpoint.py"}
    command = [sys.executable, "-c", "import longctx.plugin, sys; print([*sys.modules])"]
    loaded = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert "'longctx.plugin'" in loaded
    assert "endpoint" not in loaded
