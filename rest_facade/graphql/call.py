"""A call of /graphql in progress, the fields of its log line, and its response."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from uuid import UUID

from starlette.datastructures import Headers
from starlette.types import Receive

from db.reading.query_stats import QueryStats
from rest_facade.graphql.concurrency_limit import Turn
from rest_facade.graphql.point_quota import ChargedPoints
from rest_facade.rest.request import Request
from rest_facade.telemetry.metrics import DocumentKind
from schema.documents.cost_limits import LIMITS, MAX_ROWS
from schema.documents.document_cost import DocumentCost
from schema.execution.state import ExecutionBudget


@dataclass
class CallLog:
    """Fields of a call's log line, as far as they are known. They never include the token's secret or a variable.

    `document` is the start of the document's SHA-256, `kind` how the call named the document.
    """

    token: str | None = None
    team: str | None = None
    organization: str | None = None
    operation: str | None = None
    document: str | None = None
    kind: DocumentKind | None = None
    rows: int | None = None


@dataclass
class GraphQLCall:
    """A call in progress: its HTTP request, its deadline on the event loop's clock, and what its steps found out."""

    request: Request
    headers: Headers
    receive: Receive
    media_type: str
    deadline: float
    stats: QueryStats
    budget: ExecutionBudget
    rate_limits: dict[str, str] = field(default_factory=dict)
    wants_cost: bool = False
    cost: DocumentCost | None = None
    """The estimated cost of the operation, once it is known."""
    points: ChargedPoints | None = None
    """The points that are counted for the operation."""
    organization_id: UUID | None = None
    """The organization of the call, if it exists and the token may read it."""
    stats_before: QueryStats = field(default_factory=QueryStats)
    """The counters of the call before its operation is executed."""
    log: CallLog = field(default_factory=CallLog)
    turn: Turn | None = None
    """Held from the preparation of the document until the response is made."""
    unread: int = 0
    """Bytes of the response that are counted until the client has read them."""

    def cost_extension(self, size: int | None) -> dict[str, Any]:
        """The key `extensions` with the cost of the operation, if the call wants it and it is known.

        `size` is that of the data in bytes; None if the operation was not executed.
        """
        cost, budget = self.cost, self.budget
        if not self.wants_cost or cost is None:
            return {}
        largest = {"field": ".".join(cost.largest), "rows": cost.largest_rows} if cost.largest else None
        entry: dict[str, Any] = {
            "estimate": {"rows": cost.rows, "largest": largest, "depth": cost.depth},
            "maximum": {
                "rows": MAX_ROWS,
                "depth": LIMITS["depth"][0],
                "objects": budget.max_objects,
                "bytes": budget.max_size,
            },
        }
        if self.points is not None:
            left = self.points.count
            entry["points"] = {"charged": self.points.charged, "limit": left.limit, "remaining": left.remaining}
        if size is not None:
            stats = self.stats.since(self.stats_before)
            entry["actual"] = {
                "objects": budget.objects,
                "bytes": size,
                "statements": stats.statements,
                "round_trips": stats.round_trips,
                "database_ms": round(stats.seconds * 1000, 1),
            }
        return {"extensions": {"cost": entry}}


@dataclass(frozen=True)
class GraphQLResponse:
    """A response. `GraphQLApp.__call__` adds the headers that all responses have."""

    status: int
    body: bytes
    headers: Mapping[str, str] = field(default_factory=dict)
    code: StrEnum | None = None
