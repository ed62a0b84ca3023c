"""The extras of the package: what each of them adds, and a sentence on what is missing."""

from __future__ import annotations

import json
import shlex
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

from longctx.errors import UserError

DISTRIBUTION = "pytest-longctx"

EXTRAS = {
    "anthropic": ("live", "anthropic"),
    "bm25s": ("chunks", "bm25s"),
    "google.genai": ("google", "google-genai"),
    "jinja2": ("report", "jinja2"),
    "openai": ("openai", "openai"),
    "pandas": ("parquet", "pandas"),
    "pyarrow": ("parquet", "pyarrow"),
}
"""The extra and the package of each module that not every installation has."""
PAGE = ("jinja2",)
"""What a page needs."""


def writes_page(asked: bool) -> bool:
    """Return whether a run writes a page: it is requested, and its packages are installed."""
    return asked and not missing_extras(*PAGE)


def missing_extras(*modules: str) -> str:
    """Return a clause that names the packages of these modules that are not installed, and how to install them.

    It is empty if none is missing.
    """
    missing = [module for module in modules if not _is_there(module)]
    if not missing:
        return ""
    packages = [EXTRAS[module][1] for module in missing]
    extras = dict.fromkeys(EXTRAS[module][0] for module in missing)
    return f"needs {' and '.join(packages)}: {install(packages, [*extras])}"


def _is_there(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # nor is the package that it is part of
        return False


def install(packages: list[str], extras: list[str], known: Distribution | None = None) -> str:
    """Return the command that installs the packages of extras, from where longctx itself was installed.

    It never names longctx alone: no package index has it, so that anybody could take its name there. known: longctx as
    it was installed; by default, it is looked for.
    """
    source = installed_from(known)
    extra = f"[{','.join(extras)}]"
    if " @ " in source:
        return f"pip install {shlex.quote(source.replace(' @ ', f'{extra} @ '))}"
    if source:
        editable, path = ("-e ", source[3:]) if source.startswith("-e ") else ("", source)
        return f"pip install {editable}{shlex.quote(path + extra)}"
    pinned = Path(__file__).parents[1] / "requirements.txt"
    if pinned.is_file() and all(f"\n{package}==" in pinned.read_text("utf-8") for package in packages):
        return f"pip install -r {shlex.quote(str(pinned))}"
    return f"pip install {' '.join(packages)}"


def installed_from(known: Distribution | None = None) -> str:
    """Return where longctx was installed from, as pip takes it: a path, `-e` and a path, or NAME @ URL.

    It is empty if longctx was not installed, or from a package index. known: as in `install`.
    """
    try:
        found: Any = json.loads((known or distribution(DISTRIBUTION)).read_text("direct_url.json") or "{}")
    except (PackageNotFoundError, ValueError):
        return ""
    url = str(found.get("url", ""))
    if vcs := found.get("vcs_info"):
        return f"{DISTRIBUTION} @ {vcs['vcs']}+{url}@{vcs['commit_id']}"
    if not url.startswith("file:"):
        return f"{DISTRIBUTION} @ {url}" if url else ""
    path = unquote(urlsplit(url).path)
    return f"-e {path}" if found.get("dir_info", {}).get("editable") else path


def require(purpose: str, *modules: str) -> None:
    """Raise UserError unless these modules are installed. purpose: what needs them, as the beginning of a sentence."""
    if clause := missing_extras(*modules):
        raise UserError("extra-missing", f"{purpose} {clause}.")
