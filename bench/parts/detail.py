"""The detail of one row, compared with an application that does nothing."""

from bench.data import PROJECTS, project_id
from bench.measure import Competitor
from bench.section import Bench, Section, at_most, table
from bench.wire import get

STEP = 13
"""Between the projects that are asked for: no two requests in a row are about neighbours."""


def measure(bench: Bench) -> Section:
    requests = [
        get(f"/v1/projects/{project_id(each.number, at)}/", {"X-SERVICE-API-KEY": each.key})
        for at in range(1, PROJECTS, STEP)
        for each in bench.data.organizations
    ]
    with bench.service() as ours, bench.peer("bare") as bare:
        detail, nothing = bench.plan.rows(
            [
                Competitor("ours: `GET /v1/projects/{project_id}/`, all its fields", ours, requests),
                Competitor("bare ASGI app, constant body", bare, [get("/")]),
            ]
        )
    over = at_most("Detail of one row, CPU over the bare ASGI app", detail.cpu - nothing.cpu, 250, " us")
    return Section("Detail of one row, 8 connections", table([detail, nothing]), [over])
