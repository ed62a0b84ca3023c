"""Token counts by a named reference vocabulary, the same for every model and on every machine.

Source of the vocabulary and its licence: fixtures/vocabularies/README.md.
"""

from __future__ import annotations

import base64
import functools
import json
import unicodedata
from typing import TYPE_CHECKING

from longctx.errors import UserError
from longctx.workspace import packaged

if TYPE_CHECKING:
    import tiktoken

REFERENCE = "claude-2"
"""The vocabulary of the notebook that the protocol comes from; newer models count differently."""


def count_tokens(text: str) -> int:
    """Count the tokens of a text in the reference vocabulary. Raises UserError if that cannot be read."""
    return len(_encoding().encode_ordinary(unicodedata.normalize("NFKC", text)))


@functools.cache
def _encoding() -> tiktoken.Encoding:
    """Load the vocabulary when first needed (0.2 s): the shipped register's counts are frozen and do not need it."""
    import tiktoken

    path = packaged() / "vocabularies" / f"{REFERENCE}.json"
    try:
        vocabulary = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, json.JSONDecodeError) as error:
        raise UserError(
            "vocabulary-unreadable",
            f"The reference vocabulary {path} cannot be read: {error}. Restore it from version control.",
        ) from None
    _, first, *tokens = vocabulary["bpe_ranks"].split(" ")
    ranks = {base64.b64decode(token): rank for rank, token in enumerate(tokens, int(first))}
    return tiktoken.Encoding(
        REFERENCE,
        pat_str=vocabulary["pat_str"],
        mergeable_ranks=ranks,
        special_tokens=vocabulary["special_tokens"],
    )
