"""The check of the options that --ctx-batch requires or excludes, before anything is collected."""

from __future__ import annotations

from longctx.engine.settings import Settings
from longctx.errors import UserError


def check(settings: Settings) -> None:
    """Raise UserError if --ctx-batch or --ctx-batch-wait is combined with options that contradict it."""
    if settings.batch_wait is not None and not settings.batch:
        raise UserError(
            "batch-wait-without-batch",
            "--ctx-batch-wait says how long batches are waited for: give --ctx-batch with it.",
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
            "--ctx-batch and --ctx-no-text exclude each other: what a batch answers is collected when it ends, if need "
            "be by a later run, and without text no run would find it.",
        )
