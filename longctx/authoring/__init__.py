"""Questions about documents: written by a model, read from its replies, and checked without one."""
