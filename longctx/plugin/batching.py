"""The check of the options that --ctx-batch requires or excludes, before anything is collected."""

from __future__ import annotations

from longctx.engine.settings import Settings
from longctx.errors import UserError


def check(settings: Settings) -> None:
    """Raise UserError if --ctx-batch or batch_wait is combined with options that contradict it."""
    if settings.batch_wait is not None and not settings.batch:
        raise UserError(
            "batch-wait-without-batch",
            "The setting batch_wait is how long to wait for batches: give --ctx-batch, too.",
        )
    if not settings.batch:
        return
    if settings.record == "none" and not settings.estimate:
        raise UserError(
            "batch-without-record", "--ctx-batch needs --ctx-record MODE, which says what is asked: once, for instance."
        )
    if settings.no_text:
        raise UserError(
            "batch-with-no-text",
            "--ctx-batch and LONGCTX_TEXT=0 cannot be used together: the answers of a batch are collected once it has "
            "ended, possibly by a later run, which would not find them without text.",
        )
