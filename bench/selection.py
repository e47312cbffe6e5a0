"""The page that is compared: its columns, and how each competitor is asked for it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from bench.wire import get, post

PATH = "/v1/bench_projects/"

SELECTION = "id name code description status is_billable currency start_date created_at updated_at".split()

LIMIT = 100

CAMEL = "name code description status isBillable currency startDate createdAt updatedAt"

PLAIN = """
query Page($organization: UUID!, $limit: Int!, $offset: Int!) {
  projects(organizationId: $organization, limit: $limit, offset: $offset) {
    count
    results { id COLUMNS client { id name } }
  }
}
""".replace("COLUMNS", CAMEL)

POSTGRAPHILE = """
query Page($organization: UUID!, $limit: Int!, $offset: Int!) {
  allProjects(
    condition: {organizationId: $organization}, first: $limit, offset: $offset, orderBy: [PRIMARY_KEY_ASC]
  ) {
    totalCount
    nodes { id: rowId COLUMNS client: clientByOrganizationIdAndClientId { id: rowId name } }
  }
}
""".replace("COLUMNS", CAMEL)


@dataclass(frozen=True)
class Asked:
    """One page of one organization, with the key that reads it."""

    organization: str
    key: str
    page: int

    @property
    def offset(self) -> int:
        return (self.page - 1) * LIMIT


def ours(asked: Asked) -> bytes:
    return get(f"{PATH}?limit={LIMIT}&page={asked.page}", {"X-SERVICE-API-KEY": asked.key})


def published(asked: Asked) -> bytes:
    return get(f"/v1/projects/?limit={LIMIT}&page={asked.page}", {"X-SERVICE-API-KEY": asked.key})


def floor(asked: Asked) -> bytes:
    return get(f"/?organization={asked.organization}&limit={LIMIT}&offset={asked.offset}")


def plain(asked: Asked) -> bytes:
    return _document(PLAIN, asked)


def postgraphile(asked: Asked) -> bytes:
    return _document(POSTGRAPHILE, asked)


def _document(document: str, asked: Asked) -> bytes:
    variables = {"organization": asked.organization, "limit": LIMIT, "offset": asked.offset}
    return post("/graphql", {"query": document, "variables": variables})


def told(answer: Any) -> tuple[int, Sequence[tuple[str, str, str | None]]]:
    """The total and, of each project, its id, its name and its client's name, whoever answered."""
    page: Mapping[str, Any] = answer
    if "data" in answer:
        data = answer["data"]
        page = data.get("projects") or data.get("allProjects")
    count = page["count"] if "count" in page else page["totalCount"]
    rows = page["results"] if "results" in page else page["nodes"]
    return count, [(row["id"], row["name"], _client(row)) for row in rows]


def _client(row: Mapping[str, Any]) -> str | None:
    if "client" in row:
        name: str | None = row["client"] and row["client"]["name"]
        return name
    return row.get("client_name")
