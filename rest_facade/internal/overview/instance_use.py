"""Quota use of all workers of this instance."""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import orjson

from rest_facade.access.quota import QuotaUse, UseByMinute, request_for, summed
from rest_facade.telemetry.worker_sockets import WorkerSockets

QUOTA_USE_REQUEST = "quota-use"
"""The name of the request that other workers answer with their counts."""


class InstanceUse(NamedTuple):
    """The counts by organization, and what they cover.

    `missing`: workers that did not answer. `since`: the last start of a worker; what it counted before is lost.
    """

    by_organization: Mapping[UUID, UseByMinute]
    workers: int
    missing: int
    since: datetime


async def instance_use(own: QuotaUse, sockets: WorkerSockets | None, organization_ids: Sequence[UUID]) -> InstanceUse:
    """The quota use of these organizations. `sockets` is None in a process without other workers."""
    request = request_for(organization_ids)
    others = await sockets.ask(QUOTA_USE_REQUEST, request) if sockets is not None else {}
    answers = [own.answer(request), *(answer for answer in others.values() if answer)]
    started = max(orjson.loads(answer)["started_at"] for answer in answers)
    missing = 1 + len(others) - len(answers)
    since = datetime.fromtimestamp(started, UTC)
    return InstanceUse(summed(answers, organization_ids), len(answers), missing, since)
