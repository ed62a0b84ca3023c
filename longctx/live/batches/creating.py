"""The request that creates a batch, which is repeated only if it is certain that the batch was not created."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import anthropic

from longctx.live.batches import wait
from longctx.live.batches.claims import Batches
from longctx.live.batches.ledger import Batch
from longctx.live.batches.service import UNSUPPORTED
from longctx.live.batches.status import BatchStatus
from longctx.live.explaining import explain
from longctx.live.failure import Failure
from longctx.live.limiter import retry
from longctx.live.limiter.pace import retry_after_s
from longctx.live.server.enquiry import ENQUIRY_ERRORS

CREATIONS = 5
"""The most requests to create one batch."""


async def created(
    batches: Batches, batch: Batch, bodies: Sequence[dict[str, Any]], headers: Mapping[str, str]
) -> BatchStatus | Failure:
    """Create a batch that was claimed; return its status, or the failure if it was certainly not created.

    headers: see Service.create.
    """
    for attempt in range(1, CREATIONS + 1):
        try:
            state = await batches.service.create(bodies, headers)
        except ENQUIRY_ERRORS as error:
            failure = explain(error, batches.service.url, "a batch")
            if isinstance(error, anthropic.APIStatusError) and error.status_code in UNSUPPORTED:
                batches.ledger.drop(batch)
                raise batches.service.unusable(error) from None
            if not _refused(error, failure):
                status = await batches.statuses.settled(batch, batches.clock.now())
                if status.kind != "absent":
                    return status
            if not retry.sent_again(failure.cause, attempt):
                break
            pause = retry_after_s(error.response.headers) if isinstance(error, anthropic.APIStatusError) else None
            await batches.clock.sleep(retry.pause_s(attempt) if pause is None else pause)
        else:
            at = wait.stamp(state.created_at or batches.clock.now())
            return BatchStatus("running", batches.ledger.created(batch, state.id, at), state)
    return failure


def _refused(error: Exception, failure: Failure) -> bool:
    """Return whether the error proves that the server has created nothing."""
    if isinstance(error, anthropic.APIStatusError):
        return error.status_code < 500 or failure.cause == "overloaded"
    return (failure.cause == "connection" and failure.fatal) or failure.cause == "bad_key"
