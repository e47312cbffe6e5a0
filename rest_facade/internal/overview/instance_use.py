"""Quota use of all workers of this instance."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import NamedTuple
from uuid import UUID

import orjson

from rest_facade.access.quota import QuotaUse
from rest_facade.telemetry.worker_sockets import WorkerSockets

QUOTA_USE_REQUEST = "quota-use"
"""The name of the request that other workers answer with their counts."""


UseByMinute = Mapping[str, Mapping[int, tuple[int, int]]]
"""Requests and refusals by resource group and minute: whole minutes since 1970."""


class InstanceUse(NamedTuple):
    """The counts by organization, and what they cover.

    `missing`: workers that did not answer. `since`: the last start of a worker; what it counted before is lost.
    """

    by_organization: Mapping[UUID, UseByMinute]
    workers: int
    missing: int
    since: datetime


def request_for(organization_ids: Iterable[UUID]) -> bytes:
    """The request that `QuotaUse.answer` answers."""
    return ",".join(each.hex for each in organization_ids).encode()


def summed(answers: Iterable[bytes], organization_ids: Iterable[UUID]) -> Mapping[UUID, UseByMinute]:
    """The counts of all workers together, from their answers."""
    result: dict[UUID, dict[str, dict[int, tuple[int, int]]]] = {each: {} for each in organization_ids}
    for answer in answers:
        for id_, group, minute, requests, refused in orjson.loads(answer)["use"]:
            totals = result[UUID(hex=id_)].setdefault(group, {})
            before = totals.get(minute, (0, 0))
            totals[minute] = before[0] + requests, before[1] + refused
    return result


async def instance_use(own: QuotaUse, sockets: WorkerSockets | None, organization_ids: Sequence[UUID]) -> InstanceUse:
    """The quota use of these organizations. `sockets` is None in a process without other workers."""
    request = request_for(organization_ids)
    others = await sockets.ask(QUOTA_USE_REQUEST, request) if sockets is not None else {}
    answers = [own.answer(request), *(answer for answer in others.values() if answer)]
    started = max(orjson.loads(answer)["started_at"] for answer in answers)
    missing = 1 + len(others) - len(answers)
    since = datetime.fromtimestamp(started, UTC)
    return InstanceUse(summed(answers, organization_ids), len(answers), missing, since)
