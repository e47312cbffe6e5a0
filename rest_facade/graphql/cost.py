"""`extensions.cost` of a response: the estimate from the document, the limits, the points, and the real figures."""

from typing import Any

from db.reading.query_stats import QueryStats
from rest_facade.graphql.point_quota import ChargedPoints
from schema.documents.cost_limits import LIMITS, MAX_ROWS, DocumentCost
from schema.execution.state import ExecutionBudget


def cost_entry(
    cost: DocumentCost, points: ChargedPoints | None, budget: ExecutionBudget, stats: QueryStats, size: int | None
) -> dict[str, Any]:
    """The cost of an operation. `size` is that of the data in bytes; None if it was not executed."""
    entry: dict[str, Any] = {
        "estimate": {
            "rows": cost.rows,
            "largest": {"field": ".".join(cost.largest), "rows": cost.largest_rows} if cost.largest else None,
            "depth": cost.depth,
        },
        "maximum": {
            "rows": MAX_ROWS,
            "depth": LIMITS["depth"][0],
            "objects": budget.max_objects,
            "bytes": budget.max_size,
        },
    }
    if points is not None:
        left = points.count
        entry["points"] = {"charged": points.charged, "limit": left.limit, "remaining": left.remaining}
    if size is not None:
        entry["actual"] = {
            "objects": budget.objects,
            "bytes": size,
            "statements": stats.statements,
            "round_trips": stats.round_trips,
            "database_ms": round(stats.seconds * 1000, 1),
        }
    return entry
