"""longctx: how well language models find things in long contexts, as pytest scenarios."""

__version__ = "0.1.0"
