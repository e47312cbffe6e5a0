"""Detail: one row, compared with an application that returns a constant."""

from bench.data import PROJECTS, project_id
from bench.http_requests import get
from bench.measure import Competitor
from bench.section import Bench, Section, at_most, table

STEP = 13
"""The distance between the projects of successive requests, so that no two are neighbours."""


def measure(bench: Bench) -> Section:
    requests = [
        get(f"/v1/projects/{project_id(each.number, at)}/", {"X-SERVICE-API-KEY": each.key})
        for at in range(1, PROJECTS, STEP)
        for each in bench.data.organizations
    ]
    with bench.service() as ours, bench.peer("bare") as bare:
        detail, bare_row = bench.plan.results(
            [
                Competitor("ours: `GET /v1/projects/{project_id}/`, all its fields", ours, requests),
                Competitor("bare ASGI app, constant body", bare, [get("/")]),
            ]
        )
    target = at_most("Detail of one row, CPU over the bare ASGI app", detail.cpu - bare_row.cpu, 250, " us")
    return Section("one project, 8 connections", table([detail, bare_row]), [target])
