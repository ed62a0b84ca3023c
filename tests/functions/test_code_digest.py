"""The digest of a test's code."""

from __future__ import annotations

import ast
import itertools
import sys
from pathlib import Path

import pytest

from longctx.functions.code_digest import CodeOfTest, Project, canonical
from tests.given import written

SAMPLE = Path(__file__).parent / "data" / "syntax.py.txt"
"""Python with the syntax whose trees versions of Python write differently."""
TESTS = '''
"""Tests."""
import pytest
from product.desk import reply
from . import beside

FIRST = "Hello"
OTHER = 3


@pytest.fixture
def house():
    return 1


def helper(text):
    """Return it."""
    return text + FIRST


@pytest.mark.longctx(trials=3)
def test_a(ask, house):
    assert helper(reply(ask)) == house


def test_b(ask):
    assert OTHER


class TestDesk:
    def put(self):
        return 1

    def test_c(self, ask):
        assert self.put()

    def test_d(self, ask):
        assert 2
'''
INSTALLED = ".venv/lib/python3.11/site-packages"
NUMBERS = itertools.count()


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of a project whose modules no test has imported."""
    root = tmp_path / f"project{next(NUMBERS)}"
    for folder in ("tests", "product", INSTALLED):
        (root / folder).mkdir(parents=True)
    written(root / "tests/test_desk.py", TESTS)
    written(root / "tests/beside.py", "import json\n")
    written(root / "tests/conftest.py", "LIMIT = 3\ndef limit(): return LIMIT\n")
    written(root / "product/__init__.py", "")
    written(
        root / "product/desk.py", "from .words import polite\nfrom product import rules\ndef reply(ask): return 1\n"
    )
    written(root / "product/words.py", "polite = 1\n")
    written(root / "product/rules.py", "import sys, no_such_module\nfrom ..other import nothing\n")
    written(root / "product/unused.py", "x = 1\n")
    written(root / INSTALLED / "installed.py", "x = 1\n")
    monkeypatch.syspath_prepend(root)
    monkeypatch.syspath_prepend(root / INSTALLED)
    return root


def digests(root: Path) -> dict[str, str | None]:
    file, conftest = root / "tests/test_desk.py", root / "tests/conftest.py"
    fixtures = {"test_a": ((file, "house"), (conftest, "limit"))}
    names = "test_a", "test_b", "TestDesk.test_c", "TestDesk.test_d"
    project = Project(root)
    return {name: project.digest(CodeOfTest(file, name, fixtures.get(name, ()))) for name in names}


def changed(root: Path, file: str, before: str, after: str) -> str:
    """Return the last letters of the tests whose digest an edit changes."""
    was = digests(root)
    path = root / file
    text = path.read_text()
    assert before in text
    path.write_text(text.replace(before, after))
    now = digests(root)
    assert None not in {*was.values(), *now.values()}
    return "".join(name[-1] for name in was if was[name] != now[name])


@pytest.mark.parametrize(
    ("before", "after", "tests"),
    [
        ('"""Return it."""', '"""Return another."""', ""),
        ("    assert OTHER", "    # a remark\n    assert (OTHER)", ""),
        ("assert OTHER", "assert not OTHER", "b"),
        ("OTHER = 3", "OTHER = 4", "b"),
        ("text + FIRST", "FIRST + text", "a"),
        ('FIRST = "Hello"', 'FIRST = "Goodbye"', "a"),
        ("trials=3", "trials=4", "a"),
        ("    return 1\n\n\ndef helper", "    return 2\n\n\ndef helper", "a"),
        ("        return 1\n", "        return 2\n", "cd"),
        ("assert 2", "assert 3", "d"),
        ("OTHER = 3", "OTHER = 3\nprint(OTHER)", "abcd"),
        ("OTHER = 3", "OTHER = 3\npytestmark = pytest.mark.slow", "abcd"),
        ("OTHER = 3", "if pytest.TYPE_CHECKING:\n    import decimal\nOTHER = 3", ""),
    ],
)
def test_what_a_test_names_is_its_code(root: Path, before: str, after: str, tests: str) -> None:
    assert changed(root, "tests/test_desk.py", before, after) == tests


@pytest.mark.parametrize(
    ("file", "before", "after", "tests"),
    [
        ("product/desk.py", "return 1", "return 2", "abcd"),
        ("product/words.py", "polite = 1", "polite = 2", "abcd"),
        ("product/words.py", "polite = 1", '"""Words."""\n\npolite = 1  # so far', ""),
        ("product/rules.py", "import sys", "import os", "abcd"),
        ("product/unused.py", "x = 1", "x = 2", ""),
        ("product/desk.py", "from product import rules", "from product import rules, unused", "abcd"),
        ("tests/beside.py", "json", "csv", "abcd"),
        ("tests/conftest.py", "LIMIT = 3", "LIMIT = 4", "a"),
        (f"{INSTALLED}/installed.py", "x = 1", "x = 2", ""),
    ],
)
def test_modules_of_the_project_that_it_imports_are_its_code(
    root: Path, file: str, before: str, after: str, tests: str
) -> None:
    with (root / "product/rules.py").open("a") as rules:
        rules.write("import installed\n")
    assert changed(root, file, before, after) == tests


def test_no_module_is_imported_for_it(root: Path) -> None:
    before = {*sys.modules}
    assert None not in digests(root).values()
    assert not [name for name in {*sys.modules} - before if "product" in name]


def test_the_digest_does_not_depend_on_the_folder(root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    was = digests(root)
    root = root.rename(tmp_path / "elsewhere")
    monkeypatch.syspath_prepend(root)
    assert digests(root) == was


def test_code_that_cannot_be_read_is_not_known(root: Path) -> None:
    (root / "product/words.py").write_text("def :\n")
    assert {*digests(root).values()} == {None}
    assert Project(root).digest(CodeOfTest(root / "gone.py", "test_a")) is None


def test_every_version_of_python_writes_the_same() -> None:
    """The digest is fixed: Python 3.11 to 3.14 have it, or a baseline of one would name changes in another."""
    assert Project(SAMPLE.parent).digest(CodeOfTest(SAMPLE, "test_sample")) == "b23ca7ef0665"


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ("x = 1; 'said'; pass", "Assign(targets[Name(id'x')]value:Constant(0x1))"),
        (
            "x = f'{y}' ' z' f''",
            "Assign(targets[Name(id'x')]value:JoinedStr(values[FormattedValue(conversion'-1'value:Name(id'y'))"
            "Constant(str' z')]))",
        ),
        (
            "x = True, 1.0, 1, '1', b'1', None, ...",
            "Assign(targets[Name(id'x')]value:Tuple(elts[Constant(boolTrue)Constant(float1.0)Constant(0x1)"
            "Constant(str'1')Constant(bytesb'1')Constant(NoneTypeNone)Constant(ellipsisEllipsis)]))",
        ),
    ],
)
def test_a_tree_as_text(source: str, text: str) -> None:
    tree = ast.parse(source)
    tree.body[1:] = []
    assert canonical(tree) == f"Module(body[{text}])"
