"""Registers the longctx plugin, nothing else."""

pytest_plugins = ["longctx.plugin"]
