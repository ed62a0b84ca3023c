"""Measures what the structure of longctx keeps to: no circle of imports, strict types, and its vocabulary.

    python -m tools.structure    # prints each figure, and fails if one is higher than it may be

The contracts of import-linter keep the layers, and mypy the other types.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

ROOT = Path(__file__).parents[1]
NUMBERS = Path(__file__).with_suffix(".json")
MOST_PARAMETERS = 6


@dataclass(frozen=True)
class Library:
    """The modules of a package, read from its folder and never imported."""

    folder: Path

    @cached_property
    def text(self) -> dict[str, str]:
        """The text of each module, by its path, which begins with the package's name."""
        paths = sorted(self.folder.rglob("*.py"))
        return {path.relative_to(self.folder.parent).as_posix(): path.read_text(encoding="utf-8") for path in paths}

    @cached_property
    def trees(self) -> dict[str, ast.Module]:
        return {path: ast.parse(text) for path, text in self.text.items()}

    def nodes(self, without: str | None = None) -> Iterator[ast.AST]:
        """Yield the nodes of all modules but those whose paths have this part."""
        for path, tree in self.trees.items():
            if without is None or without not in path:
                yield from ast.walk(tree)

    @cached_property
    def imports(self) -> dict[str, set[str]]:
        """The modules that each module imports. The package itself names its public API and counts for nothing."""
        modules = {path.removesuffix(".py").removesuffix("/__init__").replace("/", "."): path for path in self.text}
        modules.pop(self.folder.name)
        return {
            module: {name for node in ast.walk(self.trees[path]) for name in imported(node, modules)} - {module}
            for module, path in modules.items()
        }


def imported(node: ast.AST, modules: Mapping[str, str]) -> Iterator[str]:
    """Yield those of the modules that a statement imports."""
    match node:
        case ast.Import():
            yield from (alias.name for alias in node.names if alias.name in modules)
        case ast.ImportFrom(module=str(package)):
            names = (f"{package}.{alias.name}" for alias in node.names)
            yield from (name for each in names if (name := each if each in modules else package) in modules)


def circles(imports: Mapping[str, Iterable[str]]) -> list[frozenset[str]]:
    """Return the largest groups of modules that all import each other, directly or by way of others."""
    reached = {module: _reached(module, imports) for module in imports}
    groups = {frozenset(other for other in found if module in reached[other]) for module, found in reached.items()}
    return sorted(filter(None, groups), key=sorted)


def _reached(module: str, imports: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the modules that a module imports, directly or by way of others."""
    found: set[str] = set()
    ahead = list(imports[module])
    while ahead:
        if (name := ahead.pop()) not in found:
            found.add(name)
            ahead += imports[name]
    return found


def identifiers_with(library: Library, *words: str) -> int:
    """Return how many identifiers have one of these words, in snake_case, singular or plural, or in CamelCase.

    Names that the library only uses, such as attributes of a socket, are not its own and do not count.
    """
    pattern = re.compile("|".join(rf"(?:^|_){word}(?:s|$|_)|{word.title().replace('_', '')}" for word in words))
    named = ((node, getattr(node, field, None)) for node in library.nodes() for field in ("id", "attr", "arg", "name"))
    found = [(node, name) for node, name in named if isinstance(name, str) and pattern.search(name)]
    own = {name for node, name in found if _defines(node)}
    return sum(name in own for _, name in found)


def _defines(node: ast.AST) -> bool:
    """Return whether the name in a node is given there, to a function, a class, a parameter, a variable or a field."""
    named = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.arg
    return isinstance(node, named) or isinstance(getattr(node, "ctx", None), ast.Store)


def parameters(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return the number of parameters of a function, without `self` or `cls`."""
    names = [each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)]
    return len(names) - (names[:1] in (["self"], ["cls"]))


def wide_functions(library: Library) -> int:
    """Return how many functions have many parameters. Those of protocols are the axes of their cells, and are free."""
    functions = (
        each for each in library.nodes("/protocols/") if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef)
    )
    return sum(parameters(function) > MOST_PARAMETERS for function in functions)


def occurrences(library: Library, pattern: str) -> int:
    return sum(len(re.findall(pattern, text)) for text in library.text.values())


FIGURES: dict[str, tuple[Callable[[Library], int], int]] = {
    "circles of imports": (lambda library: len(circles(library.imports)), 0),
    "names with family or scenario": (lambda library: identifiers_with(library, "family", "scenario"), 0),
    "names with one_request, lacking or wanted": (
        lambda library: identifiers_with(library, "one_request", "lacking", "wanted"),
        0,
    ),
    "ignore[override]": (lambda library: occurrences(library, r"ignore\[override\]"), 1),  # numpy's generator
    f"functions with more than {MOST_PARAMETERS} parameters, protocols apart": (wide_functions, 0),
    "parameters and fields cell: Any, ask: Any": (lambda library: occurrences(library, r"\b(?:cell|ask): Any"), 0),
}
"""How each figure is measured, and the most that it may be: how much there is of the library is not among them."""


def main(folder: Path = ROOT / "longctx") -> int:
    """Print the figures of a package beside the most that they may be; return 1 if one is above it, else 0."""
    library = Library(folder)
    figures = {name: measure(library) for name, (measure, _) in FIGURES.items()}
    worse = [name for name, figure in figures.items() if figure > FIGURES[name][1]]
    for name, figure in figures.items():
        print(f"{'WORSE' if name in worse else 'ok':5}  {figure:3} of at most {FIGURES[name][1]}  {name}")
    if worse:
        print(f"Too high: {'; '.join(worse)}.")
    return 1 if worse else 0


if __name__ == "__main__":
    sys.exit(main())
