"""Ad-hoc GraphQL requests: one that returns many rows, and many that differ in their selection."""

from collections.abc import Iterator
from itertools import combinations
from uuid import UUID

from bench.http_requests import post

NESTED = """
query Nested($clients: Int!) {
  clients(limit: $clients) {
    results {
      id name currency
      projects(limit: 100) {
        results { id name code description status is_billable currency start_date created_at updated_at }
      }
    }
  }
}
"""

PROJECTS_OF_CLIENT = 100

FIELDS = (
    "name code description is_active status client_id client_name is_billable billing_type bill_rate fixed_amount"
    " currency tracked_seconds_total start_date due_date completed_at archived_at color external_id created_at"
).split()


def nested(token: str, organization: UUID, clients: int) -> bytes:
    """A request for PROJECTS_OF_CLIENT projects of each of some clients."""
    body = {"query": NESTED, "variables": {"clients": clients}}
    return post("/graphql", body, graphql_headers(token, organization))


def selections(token: str, organization: UUID, count: int) -> list[bytes]:
    """Requests for two projects, each with another selection."""
    headers = graphql_headers(token, organization)
    subsets = _subsets()
    return [
        post(
            "/graphql", {"query": f"{{ projects(limit: 2) {{ results {{ id {' '.join(next(subsets))} }} }} }}"}, headers
        )
        for _ in range(count)
    ]


def _subsets() -> Iterator[tuple[str, ...]]:
    """Sets of fields, no two alike, the medium ones first: they are the most."""
    for size in range(len(FIELDS) // 2, len(FIELDS) + 1):
        yield from combinations(FIELDS, size)


def graphql_headers(token: str, organization: UUID) -> dict[str, str]:
    """The headers of a call with a token."""
    return {"X-SERVICE-API-KEY": token, "X-Organization-Id": str(organization)}
