"""The pages of the files that users write: the entries of profiles, model profiles and corpus.toml."""

from __future__ import annotations

import inspect
from collections.abc import Iterable

from longctx.config import models
from longctx.config.profiles import Profile
from longctx.corpus.documents import CorpusSettings
from longctx.registry import shipped
from longctx.vocabulary.grid import Axes
from tools.site.reference.fields import Field, fields_of
from tools.site.reference.markdown import code, sentence, table, text

PROFILES = """# Profiles

A profile is the grid of a run: a TOML file, `fixtures/profiles/NAME.toml` or any path. The guide has
[an example](../configuration.md#profiles). An unknown entry is an error, which suggests the right
one. A protocol has one table, or several (`[[passkey]]`) for different models.

"""
MODELS = """# Model profiles

A model profile, `fixtures/models/NAME.toml`, describes a model. The file and its entries are optional. See
[the guide](../models.md).

"""
TABLES = {
    "thinking": models.Thinking,
    "tokens": models.TokensPerUnit,
    "prices": models.Prices,
    "prices.above": models.Tier,
    "caching": models.Caching,
}
"""The tables of a model profile that users write."""


def profiles_page() -> str:
    common = {field.name for field in fields_of(Axes)}
    parts = [PROFILES, "## The file itself\n\n", _entries(fields_of(Profile))]
    parts += ["\n## Every protocol's table\n\n", _entries(fields_of(Axes))]
    for name, test in shipped().items():
        own = [field for field in fields_of(test.axes) if field.name not in common]
        parts += [f"\n## `[{name}]`\n\n", f"{text(test.title)}. {_about(test.axes)}\n\n", _entries(own)]
    parts += [
        "\n## `corpus.toml`\n\n",
        f"{_about(CorpusSettings)} [How files are read](../documents.md#how-files-are-read).\n\n",
    ]
    return "".join([*parts, _entries(fields_of(CorpusSettings))])


def models_page() -> str:
    parts = [MODELS, "## The file itself\n\n", _entries(fields_of(models.ModelProfile))]
    for name, model in TABLES.items():
        heading = f"[[{name}]]" if name == "prices.above" else f"[{name}]"
        parts += [f"\n## `{heading}`\n\n", f"{_about(model)}\n\n", _entries(fields_of(model))]
    return "".join(parts)


def _about(model: type) -> str:
    return sentence(text(inspect.getdoc(model) or ""))


def _entries(fields: Iterable[Field]) -> str:
    rows = [
        (code(field.name), text(field.kind), "required" if field.required else code(field.default), text(field.words))
        for field in fields
    ]
    return table(("entry", "type", "default", "meaning"), rows)
