"""Five nested GraphQL documents: their rows, their text for the service and Mercurius, and that for PostGraphile."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, count
from typing import Any

from bench.data import rows
from bench.http_requests import post
from bench.large_data import DAYS, FIRST_DAY, LAST_DAY, MEMBERS, WORKDAYS

ORGANIZATION = 1007
"""The number of the organization that the documents read."""

# Functions are how PostGraphile serves sums; the time of the rows neither overlaps nor passes a midnight of UTC.
ROWS = (
    rows(ORGANIZATION, ORGANIZATION, projects=1_000)
    + MEMBERS.format(organization=ORGANIZATION, count=100)
    + WORKDAYS.format(organization=ORGANIZATION, first=FIRST_DAY, days=DAYS, busy=100)
    + f"""
INSERT INTO tasks (organization_id, id, project_id, number, name, created_at, updated_at)
SELECT bench_id(0, {ORGANIZATION}, 0), bench_id(5, {ORGANIZATION}, p * 10 + t), bench_id(2, {ORGANIZATION}, p), t,
       'Task ' || p || '.' || t, made, made
FROM generate_series(1, 1000) p, generate_series(1, 8) t,
     LATERAL (SELECT timestamptz '2025-01-02Z' + (p * 10 + t) * interval '1 second' AS made) m;

INSERT INTO project_members (organization_id, id, project_id, user_id, joined_at, created_at, updated_at)
SELECT bench_id(0, {ORGANIZATION}, 0), bench_id(6, {ORGANIZATION}, p * 10 + m), bench_id(2, {ORGANIZATION}, p),
       bench_id(3, {ORGANIZATION}, (p * 8 + m) % 100 + 1), made, made, made
FROM generate_series(1, 1000) p, generate_series(1, 8) m,
     LATERAL (SELECT timestamptz '2025-01-03Z' + (p * 10 + m) * interval '1 second' AS made) x;

CREATE FUNCTION bench_totals(organization uuid, from_day date, to_day date)
RETURNS TABLE (client_id uuid, client_name text, project_id uuid, project_name text, tracked_seconds bigint)
LANGUAGE sql STABLE AS $$
  SELECT c.id, c.name, p.id, p.name, extract(epoch FROM sum(t.ended_at - t.started_at))::bigint
  FROM timesheets t JOIN projects p ON p.organization_id = t.organization_id AND p.id = t.project_id
       JOIN clients c ON c.organization_id = p.organization_id AND c.id = p.client_id
  WHERE t.organization_id = organization AND t.started_at >= from_day AND t.started_at < to_day + 1
        AND t.deleted_at IS NULL
  GROUP BY 1, 2, 3, 4 $$;

CREATE FUNCTION members_bench_days(member members, from_day date, to_day date)
RETURNS TABLE (date date, tracked_seconds bigint) LANGUAGE sql STABLE AS $$
  SELECT (t.started_at AT TIME ZONE 'UTC')::date, extract(epoch FROM sum(t.ended_at - t.started_at))::bigint
  FROM timesheets t
  WHERE t.organization_id = member.organization_id AND t.user_id = member.user_id AND t.started_at >= from_day
        AND t.started_at < to_day + 1 AND t.deleted_at IS NULL
  GROUP BY 1 ORDER BY 1 $$;
"""
)

PERIOD = f'start_date: "{FIRST_DAY}", end_date: "{LAST_DAY}"'
SUMMED = f'fromDay: "{FIRST_DAY}", toDay: "{LAST_DAY}"'
OF = "condition: {organizationId: $organization}, orderBy: [PRIMARY_KEY_ASC]"

FIELDS = "code description currency status is_billable start_date created_at updated_at".split()
"""The fields of which each ad-hoc document selects others."""


@dataclass(frozen=True)
class NestedDocument:
    """A document for the service and Mercurius, and the same for PostGraphile. FIELDS stands for fields of projects."""

    ours: str
    postgraphile: str


DOCUMENTS: Mapping[str, NestedDocument] = {
    "three levels": NestedDocument(
        """{ clients(limit: 20) { results { id name projects(limit: 10) { results { id name status
             tasks(limit: 5) { results { id name status priority } } } } } } }""",
        """query ($organization: UUID!) { allClients(first: 20, OF) { nodes { rowId name
             projectsByOrganizationIdAndClientId(first: 10, orderBy: [PRIMARY_KEY_ASC]) { nodes { rowId name status
             tasksByOrganizationIdAndProjectId(first: 5, orderBy: [PRIMARY_KEY_ASC]) { nodes {
               rowId name status priority } } } } } } }""",
    ),
    "two lists a level": NestedDocument(
        """{ projects(limit: 50) { results { id name FIELDS client { id name }
             tasks(limit: 5) { results { id name status } }
             members(limit: 5) { results { id role user { user_id full_name } } } } } }""",
        """query ($organization: UUID!) { allProjects(first: 50, OF) { nodes { rowId name FIELDS
             clientByOrganizationIdAndClientId { rowId name }
             tasksByOrganizationIdAndProjectId(first: 5, orderBy: [PRIMARY_KEY_ASC]) { nodes { rowId name status } }
             projectMembersByOrganizationIdAndProjectId(first: 5, orderBy: [PRIMARY_KEY_ASC]) { nodes {
               rowId role memberByOrganizationIdAndUserId { userId fullName } } } } } }""",
    ),
    "totals": NestedDocument(
        f"""{{ time_totals({PERIOD}, timezone: "UTC", group_by: [client, project], limit: 50) {{
             results {{ client {{ id name }} project {{ id name }} tracked_seconds }} }} }}""",
        f"""query ($organization: UUID!) {{ benchTotals(organization: $organization, {SUMMED}) {{ nodes {{
             clientId clientName projectId projectName trackedSeconds }} }} }}""",
    ),
    "report": NestedDocument(
        f"""{{ time_activity_reports({PERIOD}, timezone: "UTC", limit: 20) {{ results {{ user {{ user_id full_name }}
             days {{ date tracked_seconds }} }} }} }}""",
        f"""query ($organization: UUID!) {{ allMembers(first: 20, OF) {{ nodes {{ userId fullName
             benchDays({SUMMED}) {{ nodes {{ date trackedSeconds }} }} }} }} }}""",
    ),
}

AD_HOC = "two lists a level"
"""The document whose ad-hoc variants never came before."""


def ours(document: str, organization: str, token: str) -> bytes:
    """A request to the service or to Mercurius."""
    return post("/graphql", {"query": document}, {"X-SERVICE-API-KEY": token, "X-Organization-Id": organization})


def postgraphile(document: str, organization: str) -> bytes:
    return post("/graphql", {"query": document.replace("OF", OF), "variables": {"organization": organization}})


def variants(document: str, *, camel: bool = False) -> Iterator[str]:
    """Ad-hoc variants of a document without end, no two alike: each selects other columns, or names one otherwise."""
    for number in count():
        for fields in combinations(FIELDS, len(FIELDS) // 2):
            yield document.replace("FIELDS", f"a{number}: {_columns(fields, camel=camel)}")


def whole(document: str, *, camel: bool = False) -> str:
    """The document with all columns."""
    return document.replace("FIELDS", _columns(FIELDS, camel=camel))


def leaves(answer: Any) -> Counter[str]:
    """The values of an answer with how often each stands there; objects whose tracked time is zero are left out."""
    found: Counter[str] = Counter()
    waiting = [answer]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            tracked = value.get("tracked_seconds", value.get("trackedSeconds", 1))
            waiting += value.values() if str(tracked) != "0" else ()
        elif isinstance(value, list):
            waiting += value
        elif value is not None:
            found[str(value).replace("+00:00", "Z")] += 1
    return found


def _columns(names: Sequence[str], *, camel: bool) -> str:
    return " ".join(name[0] + name.title().replace("_", "")[1:] if camel else name for name in names)
