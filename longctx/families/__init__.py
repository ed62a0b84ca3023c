"""The families: those of longctx, those of installed packages, and those that a project names for itself."""
