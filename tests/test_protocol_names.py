"""No module outside protocols/ knows a protocol, neither by its name nor by what it measures.

What is left of such knowledge is listed here, and the list only grows shorter.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import longctx
from longctx.registry import shipped
from tests.sources import tree_of

PACKAGE = Path(longctx.__file__).parent
NAMES = re.compile("|".join([*(name for name in shipped() if name != "control"), "k_max", "block_size"]))
"""`control` is left out: it is a common word, and the controls belong to the test of collages."""
KNOWN = {
    "authoring/items.py": "a report on questions, which reads the answers of collages and controls",
    "cli/demo.py": "the demonstration, which replays recordings of one",
}


def named(path: Path) -> Iterator[str]:
    """Yield the test names in a module's code. Docstrings, comments and help may give examples."""
    tree = tree_of(path)
    prose = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value="longctx_protocols"):  # the setting
                pass
            case ast.ImportFrom(module=str(text)) | ast.Name(id=text) | ast.Attribute(attr=text) | ast.arg(arg=text):
                yield text
            case ast.Constant(value=str(text)) if id(node) not in prose and " " not in text:
                yield text


def test_no_module_outside_protocols_names_one() -> None:
    named_in = {
        str(path.relative_to(PACKAGE))
        for path in PACKAGE.rglob("*.py")
        if "protocols" not in path.relative_to(PACKAGE).parts and any(map(NAMES.search, named(path)))
    }
    assert named_in <= set(KNOWN), "a protocol says this of itself, in its own module"
    assert set(KNOWN) <= named_in, "the list can be shorter"
