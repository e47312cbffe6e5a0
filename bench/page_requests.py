"""The page of projects that all competitors serve: its columns, and the request for it to each of them."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from bench.http_requests import get, post

PATH = "/v1/bench_projects/"

SELECTION = "id name code description status is_billable currency start_date created_at updated_at".split()

LIMIT = 100

CAPITAL = re.compile("[A-Z]")

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

MERCURIUS = """
query Page($organization: ID!, $limit: Int!, $offset: Int!) {
  projects(organization_id: $organization, limit: $limit, offset: $offset) {
    count
    results { COLUMNS client { id name } }
  }
}
""".replace("COLUMNS", " ".join(SELECTION))


@dataclass(frozen=True)
class PageRequest:
    """One page of one organization, with the key that reads it."""

    organization: str
    key: str
    page: int

    @property
    def offset(self) -> int:
        return (self.page - 1) * LIMIT


def ours(request: PageRequest) -> bytes:
    return get(f"{PATH}?limit={LIMIT}&page={request.page}", {"X-SERVICE-API-KEY": request.key})


def published(request: PageRequest) -> bytes:
    return get(f"/v1/projects/?limit={LIMIT}&page={request.page}", {"X-SERVICE-API-KEY": request.key})


def floor(request: PageRequest) -> bytes:
    return get(f"/?organization={request.organization}&limit={LIMIT}&offset={request.offset}")


def floor_json(request: PageRequest) -> bytes:
    return get(f"/json?organization={request.organization}&limit={LIMIT}&offset={request.offset}")


def plain(request: PageRequest) -> bytes:
    return _document(PLAIN, request)


def postgraphile(request: PageRequest) -> bytes:
    return _document(POSTGRAPHILE, request)


def mercurius(request: PageRequest) -> bytes:
    return _document(MERCURIUS, request)


def _document(document: str, request: PageRequest) -> bytes:
    variables = {"organization": request.organization, "limit": LIMIT, "offset": request.offset}
    return post("/graphql", {"query": document, "variables": variables})


def normalized(answer: Any) -> tuple[int, list[dict[str, Any]]]:
    """The total and the projects in the response of any competitor, with the names of REST and moments as values."""
    page: Mapping[str, Any] = answer
    if "data" in answer:
        data = answer["data"]
        page = data.get("projects") or data.get("allProjects")
    count = page["count"] if "count" in page else page["totalCount"]
    rows = page["results"] if "results" in page else page["nodes"]
    return count, [_project(row) for row in rows]


def _project(row: Mapping[str, Any]) -> dict[str, Any]:
    project = {CAPITAL.sub(lambda letter: "_" + letter[0].lower(), name): value for name, value in row.items()}
    moments = {name: datetime.fromisoformat(project[name]) for name in ("created_at", "updated_at")}
    return project | moments
