"""Detail: one row, compared with the earlier version and with an application that returns a constant."""

from contextlib import ExitStack

from bench.data import PROJECTS, project_id
from bench.http_requests import get
from bench.measure import Competitor
from bench.section import Bench, Section, table

PATH = "`GET /v1/projects/{project_id}/`, all its fields"
OURS, BEFORE, BARE = f"ours: {PATH}", f"before: {PATH}", "bare ASGI app, constant body"

STEP = 13
"""The distance between the projects of successive requests, so that no two are neighbours."""


def measure(bench: Bench) -> Section:
    requests = [
        each.get(f"/v1/projects/{project_id(each.id, at)}/")
        for at in range(1, PROJECTS, STEP)
        for each in bench.data.organizations
    ]
    notes: list[str] = []
    with ExitStack() as stack:
        competitors = [
            Competitor(OURS, stack.enter_context(bench.service()), requests),
            Competitor(BARE, stack.enter_context(bench.peer("bare")), [get("/")]),
        ]
        before = stack.enter_context(bench.service_before(notes))
        if before is not None:
            competitors.append(Competitor(BEFORE, before, requests))
        rows = {row.name: row for row in bench.plan.results(competitors)}
    ours, earlier = rows[OURS], rows.get(BEFORE)
    summary = f"One project takes {ours.cpu:,.0f} us of service CPU and {ours.database_cpu:,.0f} us of database CPU"
    if earlier:
        summary += f": in total {ours.total_cpu / earlier.total_cpu:.2f} x before"
    return Section("one project, 8 connections", table(list(rows.values())), notes=notes, summary=f"{summary}.")
