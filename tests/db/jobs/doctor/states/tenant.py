"""An organization of one member, and the states of it that checks find or do not find."""

from collections.abc import Callable
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple, TypeVar
from uuid import UUID

from tests.factories.base import THEN
from tests.factories.rows import Rows
from tests.factories.timesheets import HOUR

A, B, C = (UUID(f"00000000-0000-4000-8000-00000000000{letter}") for letter in "abc")
"""Ids of rows; `str(A)` is an example of a finding."""

MINUTE, DAY = timedelta(minutes=1), timedelta(days=1)
MONDAY = date(2026, 1, 5)
"""The day of THEN, 09:00 UTC, at which members join."""

__all__ = ["DAY", "HOUR", "MINUTE", "MONDAY", "THEN", "A", "B", "C", "State", "Tenant", "state"]

T = TypeVar("T")


class Tenant:
    """Makes rows of one new organization and one member, who joined at THEN."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.id = rows.organization()
        self.user = rows.member(self.id)

    def member(self, **columns: Any) -> UUID:
        return self.rows.member(self.id, **columns)

    def timesheet(self, id: UUID, start: datetime = THEN, end: datetime | None = THEN + HOUR, **columns: Any) -> UUID:
        values = {"user_id": self.user} | columns
        return self.rows.timesheet(self.id, id=id, started_at=start, ended_at=end, **values)

    def idle_time(self, id: UUID, sheet: UUID, start: datetime, **columns: Any) -> UUID:
        """Ten minutes."""
        values = {"user_id": self.user} | columns
        return self.rows.idle_time(self.id, sheet, id=id, started_at=start, **values)

    def break_time(self, id: UUID, start: datetime, end: datetime | None, **columns: Any) -> UUID:
        return self.rows.break_time(self.id, self.user, id=id, started_at=start, ended_at=end, **columns)

    def clock_record(self, id: UUID, start: datetime, end: datetime | None, **columns: Any) -> UUID:
        values = {"user_id": self.user} | columns
        return self.rows.clock_record(self.id, id=id, clock_in_at=start, clock_out_at=end, **values)

    def activity_slot(self, sheet: UUID, at: datetime, **columns: Any) -> None:
        values = {"user_id": self.user} | columns
        self.rows.activity_slot(self.id, sheet, slot_at=at, **values)

    def app_usage(self, sheet: UUID, at: datetime, **columns: Any) -> None:
        app = self.rows.app(self.id, name=f"Editor {at}")
        values = {"user_id": self.user} | columns
        self.rows.app_usage(self.id, app, sheet, slot_at=at, **values)

    def url_usage(self, sheet: UUID, at: datetime, **columns: Any) -> None:
        domain = self.rows.domain(self.id, name=f"{at:%y-%m-%d-%H-%M}.example")
        page = self.rows.url_page(self.id, domain)
        values = {"user_id": self.user} | columns
        self.rows.url_usage(self.id, domain, page, sheet, slot_at=at, **values)

    def screenshot(self, id: UUID, at: datetime, **columns: Any) -> UUID:
        return self.rows.screenshot(self.id, self.user, id=id, captured_at=at, **columns)


class State(NamedTuple):
    """Rows with a fault, the examples that its check shows of it, and similar rows without a fault."""

    fault: Callable[[Tenant], object]
    examples: tuple[str, ...]
    sound: Callable[[Tenant], object]


def state(make: Callable[[Tenant, T], object], wrong: T, right: T, *examples: object) -> State:
    """The rows that `make` makes with a wrong value, and those with a right one."""
    return State(lambda tenant: make(tenant, wrong), tuple(map(str, examples)), lambda tenant: make(tenant, right))
