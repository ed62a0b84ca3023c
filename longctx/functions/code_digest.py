"""A digest of the code of a test: its function, what that names in its module, and the project's modules behind it.

It is made of syntax trees, so that comments, docstrings and layout do not count, and names neither line nor folder.
It is the same in Python 3.11 to 3.14, whose own `ast.dump` are not: fields that have their default are left out.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.machinery
import sys
import warnings
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import longctx

SHORT = 12
OF_NO_MEANING = frozenset({"ctx", "kind", "type_comment", "type_ignores"})
"""The fields of a tree that follow from others, or change nothing."""
INSTALLED = frozenset({"site-packages", "dist-packages"})
"""The folders of installed packages."""
TESTS = "test"
"""How the names of test functions begin: one is no part of the code of another."""
MARKS = "pytestmark"
"""The variable with the marks of all tests of a module."""
INIT = "__init__.py"
UNREADABLE = (OSError, SyntaxError, ValueError, RecursionError, MemoryError)
"""What may prevent that a file is read as Python."""


@dataclass(frozen=True, slots=True)
class CodeOfTest:
    """Where the code of one test is."""

    file: Path
    """The file that defines it, resolved."""
    name: str
    """The name of the function, after that of its class if it has one: `TestDesk.test_reply`."""
    fixtures: tuple[tuple[Path, str], ...] = ()
    """The fixtures that it takes: for each the file that defines it, resolved, and the name of its function."""


@dataclass(frozen=True, slots=True)
class Project:
    """The code of a project, of which each file is read once."""

    root: Path
    """The folder of its modules; what is installed below it is no part of it."""
    _tests: dict[CodeOfTest, str | None] = field(default_factory=dict)
    _modules: dict[Path, tuple[str, Sequence[Path]]] = field(default_factory=dict)
    """The digest of each module, and the files of the modules that it imports."""

    def digest(self, test: CodeOfTest) -> str | None:
        """Return the digest of the code of a test; None if some of it cannot be read."""
        if test not in self._tests:
            self._tests[test] = None
            with suppress(*UNREADABLE):
                self._tests[test] = self._digest(test)
        return self._tests[test]

    def _digest(self, test: CodeOfTest) -> str:
        tree = _parsed(test.file)
        beside = [name for file, name in test.fixtures if file == test.file]
        elsewhere = [file for file, _ in test.fixtures if file != test.file]
        own = statements_of(tree, [test.name.split(".")[0], *beside, MARKS], test.name)
        behind = self._digests_behind(test.file, [*elsewhere, *_imported(tree, test.file)])
        return _hash([*sorted(own), "", *sorted(behind)])

    def _digests_behind(self, test: Path, files: Iterable[Path]) -> set[str]:
        """Return the digests of these modules of the project and of all that they import, without the test's own."""
        found: dict[Path, str] = {}
        waiting = [*files]
        while waiting:
            file = waiting.pop()
            if file not in found and file != test and self._has(file):
                found[file], imported = self._module(file)
                waiting += imported
        return {*found.values()}

    def _has(self, file: Path) -> bool:
        """Return whether a module is the project's, and neither installed below its root nor longctx's own."""
        root = self.root.resolve()
        if file.suffix != ".py" or not file.is_relative_to(root) or INSTALLED & {*file.parts}:
            return False
        installed = Path(longctx.__file__).resolve().parent, Path(sys.prefix).resolve(), Path(sys.base_prefix).resolve()
        within = (file.is_relative_to(folder) and not root.is_relative_to(folder) for folder in installed)
        return file.is_file() and not any(within)

    def _module(self, file: Path) -> tuple[str, Sequence[Path]]:
        if file not in self._modules:
            tree = _parsed(file)  # which is not kept: those of a large project fill the memory
            self._modules[file] = _hash([canonical(tree)]), [*dict.fromkeys(_imported(tree, file))]
        return self._modules[file]


def _parsed(file: Path) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return ast.parse(file.read_bytes())


def _imported(tree: ast.Module, file: Path) -> Iterator[Path]:
    """Yield the files of the modules that a module imports anywhere, and of their packages, without importing any."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield from _found(alias.name)
        elif isinstance(node, ast.ImportFrom):
            names = [alias.name for alias in node.names]
            if node.level:
                folder = file.parents[min(node.level, len(file.parents)) - 1]
                yield from _beside(folder, (node.module or "").replace(".", "/"), names)
            else:
                for name in (node.module or "", *(f"{node.module}.{name}" for name in names)):
                    yield from _found(name)


def _beside(folder: Path, module: str, names: Sequence[str]) -> Iterator[Path]:
    """Yield the files of what a relative import takes from a folder."""
    base = folder / module
    packages = [each for each in (base, *base.parents) if each.is_relative_to(folder)]
    places = [base.with_suffix(".py")] if module else []
    places += [*(base / f"{name}.py" for name in names), *(base / name / INIT for name in names)]
    yield from (each for each in (*(package / INIT for package in packages), *places) if each.is_file())


def _found(name: str) -> Iterator[Path]:
    """Yield the files of a module and its packages: the imported ones, or those that would be imported."""
    places: Sequence[str] | None = None
    parts = name.split(".")
    for end in range(1, len(parts) + 1):
        module = ".".join(parts[:end])
        if (loaded := sys.modules.get(module)) is not None:
            file, path = file_of(loaded), getattr(loaded, "__path__", None)
        elif (spec := importlib.machinery.PathFinder.find_spec(module, places)) is not None:
            file = Path(spec.origin).resolve() if spec.origin and spec.has_location else None
            path = spec.submodule_search_locations
        else:
            return
        if file is not None:
            yield file
        if path is None:
            return
        places = [*path]


def statements_of(tree: ast.Module, names: Iterable[str], test: str) -> Iterator[str]:
    """Yield the statements of a module that give these names a value, and those that they name in turn.

    Other statements that do something, such as calls, belong to them, too. test: the test's own name: other tests of
    its class do not belong to it.
    """
    waiting, taken = [*names], set[str]()
    binding: dict[str, list[ast.stmt]] = {}
    for statement in tree.body:
        if (bound := _bound(statement)) is None:
            yield canonical(statement)
            waiting += _named(statement)
        for name in bound or ():
            binding.setdefault(name, []).append(statement)
    while waiting:
        name = waiting.pop()
        for statement in binding.get(name, ()) if name not in taken else ():
            own = _without_other_tests(statement, test)
            yield canonical(own)
            waiting += _named(own)
        taken.add(name)


def file_of(module: ModuleType | None) -> Path | None:
    """Return the file of a module, resolved; None if it has none."""
    file = getattr(module, "__file__", None)
    return Path(file).resolve() if isinstance(file, str) else None


def _bound(statement: ast.stmt) -> Collection[str] | None:
    """Return the names to which a statement of a module gives a value; None if it does something else, too."""
    match statement:
        case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
            return {name}
        case ast.Assign() | ast.AnnAssign() | ast.AugAssign():
            targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
            nodes = [node for target in targets for node in ast.walk(target)]
            if any(isinstance(node, ast.Attribute | ast.Subscript) for node in nodes):
                return None
            return {node.id for node in nodes if isinstance(node, ast.Name)}
        case ast.Import() | ast.ImportFrom() | ast.Pass() | ast.Expr(value=ast.Constant()):
            return ()  # of an import, its module counts
        case ast.If(test=ast.Name(id="TYPE_CHECKING") | ast.Attribute(attr="TYPE_CHECKING")):
            return ()
    return None


def _named(tree: ast.AST) -> Iterator[str]:
    """Yield the names that a tree contains: also those of arguments, which may be fixtures."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg


def _without_other_tests(statement: ast.stmt, test: str) -> ast.stmt:
    """Return a class without the tests in it that are not this one."""
    _, _, own = test.partition(".")
    if not isinstance(statement, ast.ClassDef) or not own:
        return statement
    kept = [
        each
        for each in statement.body
        if not isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
        or each.name == own
        or not each.name.startswith(TESTS)
    ]
    return ast.ClassDef(**{**dict(ast.iter_fields(statement)), "body": kept})


def canonical(tree: ast.AST) -> str:
    """Return a tree as text that Python 3.11 to 3.14 write alike, without docstrings.

    Example:
        >>> canonical(ast.parse("x = f'{y}'  # text").body[0])
        "Assign(targets[Name(id'x')]value:JoinedStr(values[FormattedValue(conversion'-1'value:Name(id'y'))]))"
    """
    pieces: list[str] = []
    _write(tree, pieces)
    return "".join(pieces)


def _write(tree: ast.AST, pieces: list[str]) -> None:
    if isinstance(tree, ast.Constant):
        pieces += "Constant(", _constant(tree.value), ")"
        return
    pieces += type(tree).__name__, "("
    for name in _in_order(tree._fields):
        value = getattr(tree, name, None)
        if value is None or value == []:
            continue
        if isinstance(value, list):
            pieces += name, "["
            values = _joined(value) if isinstance(tree, ast.JoinedStr) else value
            for each in values:
                _write_value(each, pieces)
            pieces.append("]")
        else:
            pieces += name, ":" if isinstance(value, ast.AST) else ""
            _write_value(value, pieces)
    pieces.append(")")


@functools.cache
def _in_order(fields: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted({*fields} - OF_NO_MEANING))


def _write_value(value: object, pieces: list[str]) -> None:
    if isinstance(value, ast.AST):
        if not _says_nothing(value):
            _write(value, pieces)
    else:
        pieces.append(ascii(str(value)))


def _says_nothing(tree: ast.AST) -> bool:
    """Return whether a statement is a docstring, or another text that nothing uses, or `pass`."""
    if isinstance(tree, ast.Pass):
        return True
    return isinstance(tree, ast.Expr) and isinstance(tree.value, ast.Constant) and isinstance(tree.value.value, str)


def _constant(value: object) -> str:
    """Return a constant. The digits of a long number and the printable characters differ between versions."""
    if isinstance(value, int) and not isinstance(value, bool):
        return hex(value)
    return f"{type(value).__name__}{value!a}"


def _joined(values: Sequence[ast.AST]) -> Iterator[ast.AST]:
    """Yield the parts of an f-string, adjacent texts as one and without empty ones: versions divide them otherwise."""
    text = ""
    for value in values:
        if isinstance(value, ast.Constant) and isinstance(value.value, str):
            text += value.value
            continue
        if text:
            yield ast.Constant(text)
        text = ""
        yield value
    if text:
        yield ast.Constant(text)


def _hash(parts: Iterable[str]) -> str:
    sha256 = hashlib.sha256()
    for part in parts:
        sha256.update(part.encode("utf-8", "surrogatepass"))
        sha256.update(b"\n")
    return sha256.hexdigest()[:SHORT]
