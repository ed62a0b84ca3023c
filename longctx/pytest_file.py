"""The file that configures pytest: it marks the root of a project, and holds settings."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from longctx.errors import UserError

OWN = ("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")
"""Files that configure pytest, whatever they hold."""
SHARED = ("pyproject.toml", "tox.ini", "setup.cfg")
"""Files that do so by a table of pytest's."""


def root_around(folder: Path) -> Path | None:
    """The root of the project that a folder lies in, by pytest's own rules: the closest folder, itself included, that
    configures pytest; or else has a pyproject.toml; or else a setup.py. Raises UserError."""
    around = (folder, *folder.parents)
    for is_root in (configuration, _has("pyproject.toml"), _has("setup.py")):
        if root := next(filter(is_root, around), None):
            return root
    return None


def configuration(folder: Path) -> Path | None:
    """The file of a folder that configures pytest, if there is one. Raises UserError."""
    files = (folder / name for name in (*OWN, *SHARED))
    return next((path for path in files if path.is_file() and table(path) is not None), None)


def setting(folder: Path, name: str) -> tuple[str, ...]:
    """The words of a setting in the file of a folder that configures pytest; none without one. Raises UserError."""
    file = configuration(folder)
    value = (table(file) or {}).get(name, ()) if file else ()
    return tuple(value.split()) if isinstance(value, str) else tuple(map(str, value))


def table(path: Path) -> dict[str, Any] | None:
    """What a file says to pytest; None where it does not configure it. Raises UserError."""
    import configparser  # a run that reads no such file need not know how
    import tomllib

    try:
        settings = _toml(path) if path.suffix == ".toml" else _ini(path)
    except (configparser.Error, tomllib.TOMLDecodeError, OSError, UnicodeDecodeError) as error:
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
