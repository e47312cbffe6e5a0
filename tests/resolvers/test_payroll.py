"""Payroll in GraphQL: lists of many members, number of round trips, and limits of nested lists."""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID, uuid4

import pytest

from rest_facade.composition import Service
from schema.execution.operation import Executor, Operation
from tests.factories.money import DAY
from tests.factories.rows import Rows
from tests.resolvers.answers import data_of, field_of
from tests.sent import as_sent

LATER = datetime(2026, 2, 1, tzinfo=UTC)

PAY = Operation("""
query pay {
  members {
    results {
      full_name
      payment_settings { pay_rate is_current }
      payables { count results { amount_due } }
      hourly_payment_logs(limit: 2) { count results { amount lines { amount } lines_truncated } }
      one_time_payment_logs(start_date: "2026-01-05", end_date: "2026-01-05") { count results { amount } }
    }
  }
}
""")


async def pay(service: Service, organization_id: UUID) -> list[Any]:
    found: list[Any] = (await data_of(service.database, organization_id, PAY))["members"]["results"]
    return found


@pytest.mark.parametrize(("count", "truncated"), [(500, False), (501, True)])
async def test_hourly_payment_shows_first_500_lines(count: int, truncated: bool, service: Service, rows: Rows) -> None:
    own = rows.organization()
    person = rows.member(own)
    long, short = rows.hourly_payment_log(own, person), rows.hourly_payment_log(own, person)
    with rows.transaction(own):
        for n in range(count):
            rows.hourly_payment_line(own, long, date=date(2026, 1, 31) - timedelta(days=n), amount=n)
    rows.hourly_payment_line(own, short, amount=7)
    results = (await pay(service, own))[0]["hourly_payment_logs"]["results"]
    assert sorted(len(log["lines"]) for log in results) == [1, 500]
    by_length = {len(log["lines"]): log for log in results}
    assert by_length[500]["lines_truncated"] is truncated
    assert by_length[1]["lines_truncated"] is False
    # By day, so that what is left out is the latest.
    amounts = [line["amount"] for line in by_length[500]["lines"]]
    assert (amounts[0], amounts[-1]) == (f"{count - 1}.00", f"{count - 500}.00")


@pytest.mark.parametrize("name", ["payables", "hourly_payment_logs", "one_time_payment_logs"])
async def test_list_of_the_organization_has_its_filters(name: str, service: Service, rows: Rows) -> None:
    own = rows.organization()
    ada, gone, lost = rows.member(own), rows.member(own, status="removed"), rows.member(own, deleted_at=LATER)
    team = rows.team(own)
    rows.team_member(own, team, ada)
    make = getattr(rows, name.removesuffix("s"))
    # Payables and hourly payments have a period, one-time payments a day.
    day = {"payment_date": DAY - timedelta(days=40)}
    past = {"period_start": DAY - timedelta(days=40), "period_end": DAY - timedelta(days=34)}
    first = make(own, ada)
    second = make(own, gone, status="paid", **(day if name == "one_time_payment_logs" else past), created_at=LATER)
    deleted = make(own, ada, deleted_at=LATER, created_at=LATER)
    of_lost = make(own, lost)

    async def shown(**arguments: Any) -> list[UUID]:
        given = ", ".join(f"{key}: {value}" for key, value in arguments.items())
        page = await field_of(service, own, f"{name}({given}) {{ count results {{ id }} }}")
        assert page["count"] == len(page["results"])
        return [UUID(row["id"]) for row in page["results"]]

    assert await shown(limit=50) == [first, second], "leavers have theirs, deleted people have not"
    assert await shown(user_id=f'"{ada}"') == [first]
    assert await shown(user_id=f'"{gone}"') == [second]
    assert await shown(user_id=f'"{lost}"') == await shown(user_id=f'"{uuid4()}"') == []
    assert await shown(team_id=f'"{team}"') == [first]
    assert await shown(team_id=f'"{uuid4()}"') == [], "as the lists of leave"
    assert await shown(status="[paid]") == [second]
    assert await shown(id=f'["{second}", "{of_lost}", "{uuid4()}"]') == [second]
    assert await shown(start_date=f'"{DAY - timedelta(days=60)}"', end_date=f'"{DAY - timedelta(days=30)}"') == [second]
    assert set(await shown(include_deleted="true")) == {first, second, deleted, of_lost}
    assert set(await shown(include_deleted="true", user_id=f'"{ada}"')) == {first, deleted}


async def test_poll_of_all_payables_is_of_the_last_days(service: Service, rows: Rows) -> None:
    own = rows.organization()
    user = rows.member(own)
    payable = rows.payable(own, user, updated_at=datetime.now(UTC))

    async def polled(days: int, arguments: str = "") -> Any:
        since = (datetime.now(UTC) - timedelta(days=days, minutes=1)).isoformat()
        operation = Operation(f'{{ payables(updated_since: "{since}"{arguments}) {{ results {{ id }} }} }}')
        result = await Executor(service.database).execute(operation, own, {})
        return [error.message for error in result.errors or ()] or as_sent(result.data)["payables"]["results"]

    assert await polled(30) == [{"id": str(payable)}]
    (message,) = await polled(31)
    assert message.startswith("updated_since is 20")
    assert message.endswith(", but must be within the last 31 days. Read the list without it, or with a user_id.")
    assert await polled(4000, f', user_id: "{user}"') == [{"id": str(payable)}]
