"""longctx measures how well language models find things in long contexts, with pytest."""

__version__ = "0.1.0"
