"""Figures of one organization: rows by table, freshness and quota overrides, in one transaction and round trip."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from uuid import UUID

import structlog

from db.figures.freshness import CHANGES, HEARTBEATS, WATCHED
from db.figures.stored_rows import COUNTS, ESTIMATES, StoredRows, stored_rows
from db.reading.database import Database
from db.reading.key_statements import QUOTA_OVERRIDES
from rest_facade.internal.overview.shared_cache import SharedCache

log = structlog.get_logger()

FIGURES_KEPT_SECONDS = 60.0
"""Seconds for which the figures of an organization are kept."""

MAX_KEPT = 1_000
"""Organizations whose figures one process keeps, about 10 kB each."""

FIGURES_TIMEOUT = 8.0
"""Seconds after which a read of one organization is given up."""


@dataclass(frozen=True)
class Figures:
    """What was read of one organization, and when. `changes`: the last change by table."""

    read_at: datetime
    rows: Mapping[str, StoredRows]
    changes: Mapping[str, datetime | None]
    heartbeat: datetime | None
    running_timers: int
    quotas: Mapping[str, int]


class FiguresReader:
    """Reads the figures of organizations, each at most once in FIGURES_KEPT_SECONDS."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._cache: SharedCache[UUID, Figures] = SharedCache(
            MAX_KEPT, seconds=FIGURES_KEPT_SECONDS, timeout=FIGURES_TIMEOUT
        )

    async def read(self, organization_id: UUID) -> Figures | None:
        """The figures of an organization; None if they could not be read, which the log explains."""
        try:
            return await self._cache.get(organization_id, lambda: self._read(organization_id))
        except Exception:
            # Whatever failed, the other organizations of the page are shown.
            log.exception("figures of an organization could not be read", organization_id=str(organization_id))
            return None

    async def _read(self, organization_id: UUID) -> Figures:
        # EXPLAIN first: on the node that has the rows (Citus), it is refused after a statement that read them there.
        statements = (ESTIMATES, COUNTS, CHANGES, HEARTBEATS, QUOTA_OVERRIDES)
        # Heavy: at most half of the connections, and others first.
        (plan,), (counts,), (changes,), (heartbeats,), overrides = await self._database.read_rows(
            organization_id, [(each, {}) for each in statements], is_heavy=True
        )
        return Figures(
            datetime.now(UTC),
            stored_rows(counts, plan[0]),
            {str(table.name): getattr(changes, table.name) for table in WATCHED},
            heartbeats.heartbeat,
            heartbeats.running,
            {each.resource_group: each.request_limit for each in overrides},
        )
