"""The executor: one context an execution, and failures by their codes."""

from uuid import uuid4

import pytest

from rest_facade.composition import Service
from schema.execution.executor import Executor
from schema.execution.operation import Failure, Operation
from schema.execution.state import ExecutionBudget
from tests.factories.rows import Rows

pytestmark = pytest.mark.anyio

TEAM = Operation("query team($id: UUID!) { team(id: $id) { name } }")


async def test_each_execution_reads_its_own_organization(service: Service, rows: Rows) -> None:
    executor, own, other = Executor(service.database), rows.organization(), rows.organization()
    team = rows.team(own, name="Design")
    found = await executor.execute(TEAM, own, {"id": team})
    absent = await executor.execute(TEAM, other, {"id": team})
    assert (found.data, found.failures) == ({"team": {"name": "Design"}}, [])
    assert (absent.data, [failure.code for failure in absent.failures]) == ({"team": None}, ["RESOURCE_NOT_FOUND"])


async def test_failures_have_codes_and_errors_have_paths(service: Service, rows: Rows) -> None:
    executor, own, variables = Executor(service.database), rows.organization(), {"id": uuid4()}
    (failure,) = (await executor.execute(TEAM, own, variables)).failures
    (error,) = (await executor.run(TEAM, own, variables, ExecutionBudget())).errors or []
    assert failure == Failure("RESOURCE_NOT_FOUND", "Team not found.", None, failure.cause)
    assert (error.message, error.path) == ("Team not found.", ["team"])
