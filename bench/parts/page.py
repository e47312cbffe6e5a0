"""The page: 100 projects with 10 columns, their clients and the total, beside whoever else serves it."""

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from bench import node, selection
from bench.data import ORGANIZATIONS, PROJECTS, Organization
from bench.measure import Competitor, Row
from bench.processes import Process, serving
from bench.section import Bench, Section, Target, at_least, at_most, table
from bench.selection import LIMIT, Asked
from bench.wire import ask, get

PAGES = PROJECTS // LIMIT

OURS = "ours: the same selection, whole public path"
PUBLISHED = "ours: `GET /v1/projects/?limit=100`, all its fields"
FLOOR = "floor: psycopg, two statements, tuples, orjson, bare ASGI"
PLAIN = "plain Starlette + Strawberry + SQLAlchemy ORM"
POSTGRAPHILE = "PostGraphile"
BARE = "bare ASGI app, constant body"

CHECKED = 5
"""Pages of which every competitor must tell the same before anything is timed."""


def measure(bench: Bench) -> Section:
    asked = _asked(bench.data.organizations)
    notes: list[str] = []
    with ExitStack() as stack:
        ours = stack.enter_context(bench.service())
        competitors = [
            _competitor(OURS, ours, selection.ours, asked),
            _competitor(PUBLISHED, ours, selection.published, asked),
            _competitor(FLOOR, stack.enter_context(bench.peer("floor")), selection.floor, asked),
            _competitor(PLAIN, stack.enter_context(bench.peer("plain")), selection.plain, asked),
        ]
        words, missing = node.command()
        if words:
            command = [*words, bench.data.url, "{port}"]
            environment = {"NODE_ENV": "production", "GRAPHILE_ENV": "production"}
            process = stack.enter_context(
                serving("postgraphile", command, folder=bench.folder, environment=environment)
            )
            competitors.append(_competitor(POSTGRAPHILE, process, selection.postgraphile, asked))
        else:
            print(missing, flush=True)
            notes.append(missing)
        _check(competitors, asked)
        bare = Competitor(BARE, stack.enter_context(bench.peer("bare")), [get("/")])
        rows = bench.plan.rows([*competitors, bare])
    *others, nothing = rows
    fastest = max(row.rate for row in others)
    notes.append(
        f"The load client is not what is measured: it sent the bare application {nothing.rate:,.0f} requests a second,"
        f" {nothing.rate / fastest:.0f} times what the fastest of the others took."
    )
    title = f"The page: {ORGANIZATIONS} organizations x {PROJECTS:,} projects, 8 connections"
    return Section(title, table(rows), _targets({row.name: row for row in rows}), notes)


def _asked(organizations: Sequence[Organization]) -> list[Asked]:
    """Every page of every organization, so that neighbours differ in both."""
    return [
        Asked(str(organization.id), organization.key, page % PAGES + 1)
        for page in range(PAGES)
        for organization in organizations
    ]


def _competitor(name: str, process: Process, request: Callable[[Asked], bytes], asked: Sequence[Asked]) -> Competitor:
    return Competitor(name, process, [request(each) for each in asked])


def _check(competitors: Sequence[Competitor], asked: Sequence[Asked]) -> None:
    """Stop where two competitors tell different rows."""
    for at in range(0, len(asked), len(asked) // CHECKED + 1):
        told = {}
        for each in competitors:
            status, answer = ask(each.process.port, each.requests[at])
            if status != 200 or "errors" in answer:
                raise SystemExit(f"bench: {each.name} answered {status}: {str(answer)[:500]}")
            told[each.name] = selection.told(answer)
        first = told[OURS]
        if len(first[1]) != LIMIT or first[0] != PROJECTS:
            raise SystemExit(f"bench: {OURS} told {len(first[1])} rows of {first[0]}.")
        for name, found in told.items():
            if found != first:
                raise SystemExit(f"bench: {name} told {str(found)[:300]}, but {OURS} {str(first)[:300]}.")


def _targets(rows: dict[str, Row]) -> list[Target]:
    ours = rows[OURS].cpu
    targets = [
        at_most("The page, CPU compared with the floor", ours / rows[FLOOR].cpu, 1.8, " x"),
        at_least("The page, requests per CPU second compared with plain Strawberry", rows[PLAIN].cpu / ours, 18, " x"),
    ]
    what = "The page, requests per CPU second compared with PostGraphile"
    if POSTGRAPHILE in rows:
        return [*targets, at_least(what, rows[POSTGRAPHILE].cpu / ours, 2, " x")]
    return [*targets, Target(f"{what}: at least 2 x", "skipped", None)]
