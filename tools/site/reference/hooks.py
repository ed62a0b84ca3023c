"""The page of the hooks that a conftest.py may implement, from their docstrings."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator

from longctx.plugin import hookspec
from tools.site.reference.markdown import text

HEAD = """# Hooks

Your `conftest.py`, or another pytest plugin, can set options and receive results through hooks. As with pytest's own
hooks, you may leave out arguments that you do not need. A test runs each example, with and without workers.

"""


def page() -> str:
    return HEAD + "\n".join(_entry(name) for name in names())


def names() -> Iterator[str]:
    return (name for name in vars(hookspec) if name.startswith("pytest_longctx_"))


def example(hook: str) -> str:
    """Return the code of a hook's example."""
    return textwrap.dedent((inspect.getdoc(getattr(hookspec, hook)) or "").partition("Example:\n")[2]).strip()


def _entry(hook: str) -> str:
    function = getattr(hookspec, hook)
    prose = (inspect.getdoc(function) or "").partition("Example:\n")[0].strip()
    paragraphs = [_linked(text(paragraph)) for paragraph in prose.split("\n\n")]
    arguments = ", ".join(inspect.signature(function).parameters)
    return "\n\n".join([f"## `{hook}({arguments})`", *paragraphs, f"```python\n{example(hook)}\n```"]) + "\n"


def _linked(paragraph: str) -> str:
    """Return the paragraph with the guides that it names as links."""
    return re.sub(r"\(docs/([\w-]+)\.md\)", r"([\1](../\1.md))", paragraph)
