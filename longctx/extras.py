"""The extras of the package: what each of them adds, and a sentence on what is missing."""

from __future__ import annotations

from importlib.util import find_spec

from longctx.errors import UserError

EXTRAS = {
    "anthropic": ("live", "anthropic"),
    "jinja2": ("report", "jinja2"),
    "openai": ("openai", "openai"),
    "pandas": ("parquet", "pandas"),
    "pyarrow": ("parquet", "pyarrow"),
    "vl_convert": ("report", "vl-convert-python"),
}
"""The extra and the package of each module that not every installation has."""
PAGE = ("jinja2", "vl_convert")
"""What a page needs."""


def writes_page(wanted: bool) -> bool:
    """Return whether a run writes a page: if it is wanted and can be made."""
    return wanted and not lacking(*PAGE)


def lacking(*modules: str) -> str:
    """Return a clause that names the packages of these modules that are not installed, and how to install them.

    It is empty if none is missing.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if not missing:
        return ""
    packages = " and ".join(EXTRAS[module][1] for module in missing)
    extras = ",".join(dict.fromkeys(EXTRAS[module][0] for module in missing))
    return f"needs {packages}: pip install 'pytest-longctx[{extras}]'"


def require(purpose: str, *modules: str) -> None:
    """Raise UserError unless these modules are installed. purpose: what needs them, as the beginning of a sentence."""
    if clause := lacking(*modules):
        raise UserError("extra-missing", f"{purpose} {clause}.")
