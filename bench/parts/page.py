"""Page: 100 projects with 10 columns, their clients and the total, served by the service and by its peers."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from bench import node, page_requests
from bench.data import ORGANIZATIONS, PROJECTS, BenchOrganization
from bench.http_requests import get, send
from bench.measure import Competitor, Measurement
from bench.page_requests import LIMIT, PageRequest
from bench.processes import Process, serving
from bench.section import Bench, Section, Target, at_least, service_at_most, table, total_at_most

PAGES = PROJECTS // LIMIT

OURS = "ours: the same selection, whole public path"
SHARED = "ours: the same, as one of several workers, counted in Redis"
BEFORE = "before: the same selection, whole public path"
PUBLISHED = "ours: `GET /v1/projects/?limit=100`, all its fields"
PUBLISHED_BEFORE = "before: `GET /v1/projects/?limit=100`, all its fields"
FLOOR = "floor: psycopg, one statement, tuples, orjson, bare ASGI"
FLOOR_JSON = "the same, JSON written by the database"
PLAIN = "plain Starlette + Strawberry + SQLAlchemy ORM"
POSTGRAPHILE = "PostGraphile"
MERCURIUS = "Mercurius, JIT, loaders, postgres.js"
BARE = "bare ASGI app, constant body"

NODE_PEERS = {
    "postgraphile": (POSTGRAPHILE, page_requests.postgraphile),
    "mercurius": (MERCURIUS, page_requests.mercurius),
}

CHECKED = 5
"""Pages that are compared between all competitors before the measurement."""


def measure(bench: Bench) -> Section:
    requests = _page_requests(bench.data.organizations)
    notes: list[str] = []
    with ExitStack() as stack:
        enter = stack.enter_context
        ours, floor = enter(bench.service()), enter(bench.peer("floor"))
        competitors = [
            _competitor(OURS, ours, page_requests.ours, requests),
            _competitor(SHARED, enter(bench.service_with_store("ours-with-store")), page_requests.ours, requests),
            _competitor(FLOOR, floor, page_requests.floor, requests),
            _competitor(FLOOR_JSON, floor, page_requests.floor_json, requests),
            _competitor(PLAIN, enter(bench.peer("plain")), page_requests.plain, requests),
            *(
                _competitor(name, peer, request, requests)
                for package, (name, request) in NODE_PEERS.items()
                if (peer := node_peer(bench, stack, package, notes)) is not None
            ),
        ]
        published = [_competitor(PUBLISHED, ours, page_requests.published, requests)]
        before = enter(bench.service_before(notes))
        if before is not None:
            competitors.append(_competitor(BEFORE, before, page_requests.ours, requests))
            published.append(_competitor(PUBLISHED_BEFORE, before, page_requests.published, requests))
        _check(competitors, len(requests))
        _check(published, len(requests))
        bare = Competitor(BARE, enter(bench.peer("bare")), [get("/")])
        rows = bench.plan.results([*competitors, *published, bare])
    *others, bare_row = rows
    fastest = max(row.rate for row in others)
    notes.append(
        f"The load client is not the limit: it sent {bare_row.rate:,.0f} requests a second to the bare application,"
        f" {bare_row.rate / fastest:.0f} times the rate of the fastest of the others."
    )
    title = f"{LIMIT} projects and their clients, {ORGANIZATIONS} organizations x {PROJECTS:,} projects, 8 connections"
    by_name = {row.name: row for row in rows}
    return Section(title, table(rows), targets(by_name), notes, summary(by_name))


def targets(rows: dict[str, Measurement]) -> list[Target]:
    """The targets, from the measurements by the names of the competitors."""
    ours, floor, postgraphile, mercurius = rows[OURS], rows[FLOOR], rows.get(POSTGRAPHILE), rows.get(MERCURIUS)
    return [
        total_at_most("The page compared with the floor", ours, floor, 1.3),
        service_at_most("The page compared with the floor", ours, floor, 1.8),
        total_at_most("The page compared with PostGraphile", ours, postgraphile, 0.4),
        total_at_most("The page compared with Mercurius", ours, mercurius, 0.5),
        at_least(
            "The page compared with plain Strawberry, requests per CPU second", rows[PLAIN].cpu / ours.cpu, 18, " x"
        ),
    ]


def summary(rows: dict[str, Measurement]) -> str:
    """The main figures of the page in one sentence."""
    ours = rows[OURS]
    names = {FLOOR: "code written by hand", POSTGRAPHILE: "PostGraphile", MERCURIUS: "Mercurius", BEFORE: "before"}
    ratios = [f"{ours.total_cpu / rows[row].total_cpu:.2f} x {name}" for row, name in names.items() if row in rows]
    return (
        f"A page of {LIMIT} projects with their clients takes {ours.cpu:,.0f} us of service CPU and"
        f" {ours.database_cpu:,.0f} us of database CPU: in total {', '.join(ratios)}."
    )


def _page_requests(organizations: Sequence[BenchOrganization]) -> list[PageRequest]:
    """Every page of every organization; successive requests differ in the organization."""
    return [
        PageRequest(str(organization.id), organization.key, page % PAGES + 1)
        for page in range(PAGES)
        for organization in organizations
    ]


def node_peer(bench: Bench, stack: ExitStack, package: str, notes: list[str]) -> Process | None:
    """A peer on Node; None, with a note, if it can't be installed."""
    if reason := node.install():
        print(reason, flush=True)
        notes.append(reason)
        return None
    command = [*node.command(package), bench.data.url, "{port}"]
    environment = {"NODE_ENV": "production", "GRAPHILE_ENV": "production"}
    return stack.enter_context(serving(package, command, folder=bench.folder, environment=environment))


def _competitor(
    name: str, process: Process, request: Callable[[PageRequest], bytes], requests: Sequence[PageRequest]
) -> Competitor:
    return Competitor(name, process, [request(each) for each in requests])


def _check(competitors: Sequence[Competitor], count: int) -> None:
    """SystemExit if two competitors return different pages."""
    reference = competitors[0].name
    for at in range(0, count, count // CHECKED + 1):
        answers = {}
        for each in competitors:
            status, answer = send(each.process.port, each.requests[at])
            if status != 200 or "errors" in answer:
                raise SystemExit(f"bench: {each.name} answered {status}: {str(answer)[:500]}")
            answers[each.name] = page_requests.normalized(answer)
        first = answers[reference]
        if len(first[1]) != LIMIT or first[0] != PROJECTS:
            raise SystemExit(f"bench: {reference} returned {len(first[1])} rows of {first[0]}.")
        for name, answer in answers.items():
            if answer != first:
                raise SystemExit(f"bench: {name} returned {str(answer)[:300]}, but {reference} {str(first)[:300]}.")
