"""The public API: what `longctx` itself offers, each name documented with an example that runs."""

from __future__ import annotations

import ast
import doctest
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

import longctx
from tests.here import HERE
from tests.sources import tree_of
from tools.site.reference import api

PACKAGE = HERE.root / "longctx"
MODULES = {name: module for module, names in longctx.PUBLIC.items() for name in names}
CONTRACTS = tomllib.loads((HERE.root / "pyproject.toml").read_text("utf-8"))["tool"]["importlinter"]["contracts"]
PURE = next(contract for contract in CONTRACTS if contract["name"].startswith("The vocabulary"))["source_modules"]


def imports(path: Path, at_once: bool = False) -> Iterator[tuple[str, str]]:
    """Yield the module and the name of each `from module import name` of a file, wherever it is.

    at_once: only those that are made when the file is imported.
    """
    tree = tree_of(path)
    for node in tree.body if at_once else ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            yield from ((str(node.module), alias.name) for alias in node.names)


def test_the_package_imports_nothing_by_itself() -> None:
    shows = "import sys, longctx; print(sorted(m for m in sys.modules if m.startswith(('longctx', 'numpy', 'pandas'))))"
    result = subprocess.run([sys.executable, "-c", shows], cwd=HERE.root, capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "['longctx']"


def test_type_checkers_see_the_names_that_are_offered() -> None:
    blocks = (node for node in tree_of(PACKAGE / "__init__.py").body if isinstance(node, ast.If))
    block = next(blocks)
    typed = {(node.module, alias.asname) for node in block.body for alias in node.names}  # type: ignore[attr-defined]
    assert typed == {(module, name) for name, module in MODULES.items()}
    assert {*longctx.__all__} <= {*dir(longctx)}
    with pytest.raises(AttributeError, match="'Runn'"):
        longctx.Runn  # type: ignore[attr-defined]  # noqa: B018


def test_the_examples_run_in_the_order_of_their_page() -> None:
    names: dict[str, object] = {name: getattr(longctx, name) for name in longctx.__all__}
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    for name in longctx.__all__:
        example = doctest.DocTestParser().get_doctest(api.docstring_of(name), names, name, None, 0)
        assert example.examples, name
        output: list[str] = []
        failed = runner.run(example, out=output.append, clear_globs=False).failed
        names |= example.globs
        assert not failed, "".join(output)


def test_the_page_in_the_repository_is_current() -> None:
    """`python -m tools.site.reference` writes it."""
    assert (HERE.root / "docs" / api.PATH).read_text(encoding="utf-8") == api.page()


def test_every_name_has_its_entry_in_the_reference() -> None:
    page = api.page()
    for name in longctx.__all__:
        entry = page.partition(f"## `{name}`\n")[2].partition("\n## ")[0]
        assert "```pycon\n>>> " in entry, name
        assert "doctest" not in entry


@pytest.mark.parametrize("folder", ["longctx/protocols", "tests/integration/foreign"])
def test_protocols_import_public_names_from_longctx(folder: str) -> None:
    deep = {
        f"{path.name}: {module}.{name}"
        for path in (HERE.root / folder).rglob("*.py")
        for module, name in imports(path)
        if MODULES.get(name) == module
    }
    assert deep == set()


def test_a_protocol_of_one_s_own_needs_no_other_module() -> None:
    files = list((HERE.root / "tests/integration/foreign").rglob("*.py"))
    deep = {module for path in files for module, _ in imports(path) if module.startswith("longctx.")}
    assert files
    assert deep == set()
    assert "from longctx." not in (HERE.root / "docs/new-protocol.md").read_text(encoding="utf-8")


def test_layers_are_kept_where_names_come_from_longctx_itself() -> None:
    """Import contracts do not see through `longctx`: protocols take no run from it, and what their reports need only
    when a run ends; other packages take no name."""
    for path in PACKAGE.rglob("*.py"):
        named = {name for module, name in imports(path) if module == "longctx" and name in MODULES}
        at_once = {name for module, name in imports(path, at_once=True) if module == "longctx" and name in MODULES}
        where = path.relative_to(HERE.root).with_suffix("").as_posix().replace("/", ".")
        if where.startswith("longctx.protocols."):
            named &= {"Run"}
        if any(Path(where).match(pure) for pure in PURE) and ".reports." not in where:
            named |= {name for name in at_once if not MODULES[name].startswith("longctx.vocabulary.")}
        assert named == set(), where
