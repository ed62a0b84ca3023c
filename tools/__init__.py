"""Programs for developing longctx. They are not installed with it."""
