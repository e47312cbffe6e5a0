"""Documents that cost much to read, to check or to execute, each in many versions that no cache has."""

from collections.abc import Iterator, Mapping
from uuid import UUID

from bench.graphql_requests import graphql_headers
from bench.http_requests import post
from bench.large_data import SeededOrganization

VERSIONS = 40
"""Versions of a document. They differ in the name of the operation, so that each is another document."""

WIDE = "id name code description is_active status client_id client_name is_billable billing_type bill_rate currency"


def hostile_requests(token: str, seeded: SeededOrganization) -> Iterator[tuple[str, list[bytes]]]:
    """The name of each document, and requests for its versions."""
    headers = graphql_headers(token, seeded.organization.id)
    for name, document in documents(seeded.values).items():
        versions = (f"query V{number}{document}" for number in range(VERSIONS))
        yield name, [post("/graphql", {"query": version}, headers) for version in versions]


def documents(values: Mapping[str, str]) -> Mapping[str, str]:
    """Documents without the keyword `query`, by what they have much of."""
    days = f'start_date: "{values["start_date"]}", end_date: "{values["end_date"]}"'
    ids = ", ".join(f'"{UUID(int=number)}"' for number in range(100))
    fragments = " ".join(
        f"fragment F{n} on Client {{ id projects(limit: 1) {{ results {{ id }} }} }}" for n in range(30)
    )
    sums = "group_by: [day, member, project, task]"
    return {
        "errors below rows": _clients('projects(limit: 10, after: "1,x") { count }', 100),
        "reports": _five(
            f"time_activity_reports(limit: 100, {days}) {{ results {{ days {{ date entries {{ task_id }} }} }} }}"
        ),
        "sums": _five(f"time_totals({days}, {sums}) {{ count results {{ tracked_seconds date }} }}"),
        "merged fields": _clients("id name " * 480),
        "type names": _clients("__typename " * 400, 100),
        "unknown fields": _clients(" ".join(f"nope{n}" for n in range(480))),
        "aliases": _clients(" ".join(f"a{n}: name" for n in range(15)), 100),
        "conflicting aliases": _clients(" ".join(f"x: {name}" for name in ("id", "name") * 7)),
        "fragments": _clients(" ".join(f"...F{n}" for n in range(30))) + fragments,
        "unused fragments": _clients("id") + fragments,
        "fragments that double": _clients("...F0") + _chain(28, "...F{next} ...F{next}"),
        "fragments in a circle": _clients("...F0") + _chain(28, "...F{next}").replace("...F28", "...F0"),
        "unused variables": f"({' '.join(f'$v{n}: Int' for n in range(150))}) {_clients('id')}",
        "flags": f"($a: Boolean = true) {_clients(' '.join(f'{n} @include(if: $a)' for n in WIDE.split()[:2]), 100)}",
        "introspection": "{ __schema { types { name fields { name args { name type { name } } type { name } } } } }",
        "nested lists": _clients(f"id projects(limit: 49) {{ results {{ {WIDE} }} }}", 100),
        "long text": '{ projects(after: "%s") { count } }' % ("1," + "x" * 60_000),
        "long comment": f"#{'x' * 60_000}\n{_clients('id')}",
        "much white space": _clients("id" + " " * 60_000),
        "ids that nothing has": f"{{ clients_by_id(ids: [{ids}]) {{ projects(limit: 40) {{ count }} }} }}",
        "timesheets of members": f"{{ members(limit: 100) {{ results {{ timesheets({days}) {{ next }} }} }} }}",
        "application reports": f"{{ app_reports(limit: 100, {days}) {{ results {{ user {{ user_id }} }} }} }}",
        "range that is too long": '{ members(limit: 100) { results { timesheets(start_date: "2020-01-01", '
        'end_date: "2026-01-01") { count } } } }',
    }


def _clients(selection: str, limit: int = 1) -> str:
    return f"{{ clients(limit: {limit}) {{ results {{ {selection} }} }} }}"


def _five(field: str) -> str:
    return "{ " + " ".join(f"r{number}: {field}" for number in range(5)) + " }"


def _chain(length: int, spread: str) -> str:
    spreads = (spread.format(next=number + 1) for number in range(length))
    chain = " ".join(f"fragment F{number} on Client {{ id {each} }}" for number, each in enumerate(spreads))
    return f"{chain} fragment F{length} on Client {{ id }}"
