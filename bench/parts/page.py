"""Page: 100 projects with 10 columns, their clients and the total, served by the service and by its peers."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from bench import node, page_requests
from bench.data import ORGANIZATIONS, PROJECTS, BenchOrganization
from bench.http_requests import get, send
from bench.measure import Competitor, Measurement
from bench.page_requests import LIMIT, PageRequest
from bench.processes import Process, serving
from bench.section import Bench, Section, Target, at_least, at_most, table

PAGES = PROJECTS // LIMIT

OURS = "ours: the same selection, whole public path"
SHARED = "ours: the same, as one of several workers, counted in Redis"
PUBLISHED = "ours: `GET /v1/projects/?limit=100`, all its fields"
FLOOR = "floor: psycopg, two statements, tuples, orjson, bare ASGI"
PLAIN = "plain Starlette + Strawberry + SQLAlchemy ORM"
POSTGRAPHILE = "PostGraphile"
BARE = "bare ASGI app, constant body"

CHECKED = 5
"""Pages whose rows are compared between all competitors before the measurement."""


def measure(bench: Bench) -> Section:
    requests = _page_requests(bench.data.organizations)
    notes: list[str] = []
    with ExitStack() as stack:
        ours = stack.enter_context(bench.service())
        competitors = [
            _competitor(OURS, ours, page_requests.ours, requests),
            _competitor(
                SHARED, stack.enter_context(bench.service_with_store("ours-with-store")), page_requests.ours, requests
            ),
            _competitor(PUBLISHED, ours, page_requests.published, requests),
            _competitor(FLOOR, stack.enter_context(bench.peer("floor")), page_requests.floor, requests),
            _competitor(PLAIN, stack.enter_context(bench.peer("plain")), page_requests.plain, requests),
        ]
        postgraphile, reason = node.command()
        if postgraphile:
            command = [*postgraphile, bench.data.url, "{port}"]
            environment = {"NODE_ENV": "production", "GRAPHILE_ENV": "production"}
            process = stack.enter_context(
                serving("postgraphile", command, folder=bench.folder, environment=environment)
            )
            competitors.append(_competitor(POSTGRAPHILE, process, page_requests.postgraphile, requests))
        else:
            print(reason, flush=True)
            notes.append(reason)
        _check(competitors, requests)
        bare = Competitor(BARE, stack.enter_context(bench.peer("bare")), [get("/")])
        rows = bench.plan.results([*competitors, bare])
    *others, bare_row = rows
    fastest = max(row.rate for row in others)
    notes.append(
        f"The load client is not the limit: it sent {bare_row.rate:,.0f} requests a second to the bare application,"
        f" {bare_row.rate / fastest:.0f} times the rate of the fastest of the others."
    )
    title = f"{LIMIT} projects and their clients, {ORGANIZATIONS} organizations x {PROJECTS:,} projects, 8 connections"
    return Section(title, table(rows), _targets({row.name: row for row in rows}), notes)


def _page_requests(organizations: Sequence[BenchOrganization]) -> list[PageRequest]:
    """Every page of every organization; successive requests differ in the organization."""
    return [
        PageRequest(str(organization.id), organization.key, page % PAGES + 1)
        for page in range(PAGES)
        for organization in organizations
    ]


def _competitor(
    name: str, process: Process, request: Callable[[PageRequest], bytes], requests: Sequence[PageRequest]
) -> Competitor:
    return Competitor(name, process, [request(each) for each in requests])


def _check(competitors: Sequence[Competitor], requests: Sequence[PageRequest]) -> None:
    """SystemExit if two competitors return different rows."""
    for at in range(0, len(requests), len(requests) // CHECKED + 1):
        answers = {}
        for each in competitors:
            status, answer = send(each.process.port, each.requests[at])
            if status != 200 or "errors" in answer:
                raise SystemExit(f"bench: {each.name} answered {status}: {str(answer)[:500]}")
            answers[each.name] = page_requests.normalized(answer)
        first = answers[OURS]
        if len(first[1]) != LIMIT or first[0] != PROJECTS:
            raise SystemExit(f"bench: {OURS} returned {len(first[1])} rows of {first[0]}.")
        for name, answer in answers.items():
            if answer != first:
                raise SystemExit(f"bench: {name} returned {str(answer)[:300]}, but {OURS} {str(first)[:300]}.")


def _targets(rows: dict[str, Measurement]) -> list[Target]:
    ours = rows[OURS].cpu
    targets = [
        at_most("The page, CPU compared with the floor", ours / rows[FLOOR].cpu, 1.8, " x"),
        at_least("The page, requests per CPU second compared with plain Strawberry", rows[PLAIN].cpu / ours, 18, " x"),
    ]
    what = "The page, requests per CPU second compared with PostGraphile"
    if POSTGRAPHILE in rows:
        return [*targets, at_least(what, rows[POSTGRAPHILE].cpu / ours, 2, " x")]
    return [*targets, Target(f"{what}: at least 2 x", "skipped", None)]
