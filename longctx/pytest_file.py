"""The file that configures pytest: it marks the root of a project and contains settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from longctx.errors import UserError

OWN = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
"""The files that configure pytest whatever they contain."""
SHARED = ("pyproject.toml", "tox.ini", "setup.cfg")
"""The files that configure pytest if they have a table for it."""
NAMES = (*OWN, *SHARED)


def root_around(folder: Path) -> Path | None:
    """Return the root of the project around a folder by pytest's own rules. Raises UserError.

    It is the closest folder, which may be `folder` itself, that configures pytest; else the closest with a
    pyproject.toml; else the closest with a setup.py.
    """
    around = (folder, *folder.parents)
    for is_root in (configuration, _has("pyproject.toml"), _has("setup.py")):
        if root := next(filter(is_root, around), None):
            return root
    return None


def configuration(folder: Path) -> Path | None:
    """Return the file in a folder that configures pytest; None if there is none. Raises UserError."""
    files = (folder / name for name in NAMES)
    return next((path for path in files if path.is_file() and table(path) is not None), None)


def setting(folder: Path, name: str) -> tuple[str, ...]:
    """Return the words of a setting in the file that configures pytest in a folder. Raises UserError."""
    file = configuration(folder)
    value = (table(file) or {}).get(name, ()) if file else ()
    return tuple(value.split()) if isinstance(value, str) else tuple(map(str, value))


def table(path: Path) -> dict[str, Any] | None:
    """Return pytest's settings in a file; None if the file does not configure pytest. Raises UserError."""
    import configparser  # imported here so that runs without such a file do not pay for it

    try:
        settings = _toml(path) if path.suffix == ".toml" else _ini(path)
    except (configparser.Error, ValueError, AttributeError, OSError, RecursionError) as error:
        raise UserError(
            "bad-pytest-file", f"{path}, which configures pytest, cannot be read: {error}. Correct it."
        ) from None
    return {} if settings is None and path.name in OWN else settings


def _toml(path: Path) -> dict[str, Any] | None:
    import tomllib

    content: dict[str, Any] = tomllib.loads(path.read_text(encoding="utf-8"))
    if path.name in OWN:
        return content.get("pytest")
    tool: dict[str, Any] = content.get("tool", {}).get("pytest", {})
    return tool.get("ini_options", tool or None)


def _ini(path: Path) -> dict[str, Any] | None:
    import configparser

    content = configparser.ConfigParser(interpolation=None)
    content.read(path, encoding="utf-8")
    section = "tool:pytest" if path.suffix == ".cfg" else "pytest"
    return dict(content[section]) if content.has_section(section) else None


def _has(name: str) -> Callable[[Path], bool]:
    return lambda folder: (folder / name).is_file()
