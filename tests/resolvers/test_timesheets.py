"""Time is read by index; timesheets show manual time and have filters; idle time of deleted people is not shown."""

from datetime import date, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from rest_facade.composition import Service
from rest_facade.v1.timesheets import ENDPOINTS
from schema.execution.operation import Executor, Operation
from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.sent import as_sent

IDLE_TIME = next(endpoint.compiled for endpoint in ENDPOINTS if endpoint.operation == "listTimesheetIdleTime")


@pytest.mark.parametrize("limit", [-1, 0, 21, 100])
async def test_idle_time_limit_is_1_to_20(service: Service, rows: Rows, limit: int) -> None:
    days = {"start_date": date(2026, 1, 5), "end_date": date(2026, 1, 5)}
    executor, own = Executor(service.database), rows.organization()
    [error] = (await executor.execute(IDLE_TIME, own, days | {"limit": limit})).errors or []
    assert (error.extensions or {})["code"] == "VALIDATION_ERROR"


async def test_timesheets_of_the_organization_have_their_filters(
    service: Service, rows: Rows, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("resolvers.context.clock", lambda: THEN + timedelta(days=40))
    own = rows.organization(timezone="Asia/Tokyo")
    ada, gone, lost = rows.member(own), rows.member(own, status="removed"), rows.member(own, deleted_at=THEN)
    team, client = rows.team(own), rows.client(own)
    rows.team_member(own, team, ada)
    project, other = rows.project(own, client_id=client), rows.project(own)
    task = rows.task(own, project)
    recent = {"started_at": THEN + timedelta(days=20), "ended_at": THEN + timedelta(days=20, hours=1)}
    first = rows.timesheet(own, ada, project_id=project, task_id=task, is_billable=True)
    second = rows.timesheet(own, gone, project_id=other, **recent)
    rows.timesheet(own, lost)

    async def execute(**arguments: Any) -> Any:
        given = ", ".join(f"{key}: {value}" for key, value in ({"limit": 50} | arguments).items())
        operation = Operation(f"{{ timesheets({given}) {{ count results {{ id }} }} }}")
        return await Executor(service.database).execute(operation, own, {})

    async def listed(**arguments: Any) -> list[UUID]:
        days = {"start_date": f'"{THEN.date()}"', "end_date": f'"{THEN.date() + timedelta(days=30)}"'}
        result = await execute(**days | arguments)
        assert result.errors is None
        page = as_sent(result.data)["timesheets"]
        assert page["count"] == len(page["results"])
        return [UUID(row["id"]) for row in page["results"]]

    assert await listed() == [first, second], "leavers have theirs, deleted people have not"
    # THEN is a Monday morning in UTC, so Monday in Tokyo, too.
    assert await listed(end_date=f'"{THEN.date()}"') == [first]
    assert await listed(user_id=f'"{gone}"') == await listed(project_id=f'"{other}"') == [second]
    assert await listed(user_id=f'"{lost}"') == await listed(user_id=f'"{uuid4()}"') == []
    assert await listed(team_id=f'"{team}"') == await listed(client_id=f'"{client}"') == [first]
    assert await listed(client_id=f'"{uuid4()}"') == []
    assert await listed(task_id=f'"{task}"') == await listed(is_billable="true") == [first]
    assert await listed(is_billable="false") == [second]
    result = await execute()
    assert as_sent(result.data)["timesheets"]["results"] == [{"id": str(second)}], "of the last 31 days"
    refused = await execute(team_id=f'"{uuid4()}"')
    assert [(error.extensions, error.message) for error in refused.errors or ()] == [
        ({"code": "RESOURCE_NOT_FOUND"}, "Team not found.")
    ], "as clockinouts"
