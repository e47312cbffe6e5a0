"""Attendance: clock records and breaks."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, time, timedelta
from itertools import cycle

from db.sample.demo.area import Row
from db.sample.demo.random_source import DAY, MINUTE, RandomSource
from db.sample.demo.scenarios.scenario import Office
from db.sample.demo.timesheets.workdays import Workday
from db.tables.timesheets import AutoClockOutReason, ClockStatus, TimesheetKind, TimeSource

CLOCK_SOURCES = (
    [TimeSource.kiosk] * 5 + [TimeSource.web] * 3 + [TimeSource.mobile] * 3 + [TimeSource.desktop, TimeSource.api]
)


class Attendance:
    """Collects the clock records and the breaks of an organization."""

    def __init__(self, random: RandomSource, office: Office, now: datetime) -> None:
        self.random = random
        self.office = office
        self.now = now
        self.clock_records: list[Row] = []
        self.break_times: list[Row] = []
        self.reasons = cycle(AutoClockOutReason)

    def add_workday(self, workday: Workday, rows: Sequence[Row]) -> None:
        """Add the clock record and breaks of a workday, whose timesheets are `rows`."""
        member = workday.pattern.member
        record = None
        if member["department"] in self.office.departments:
            record = self._clock_record(workday)
            self.clock_records.append(record)
        elif not self.random.one_in(4):
            return
        if workday.pause is not None and workday.pause[0] < self.now - MINUTE:
            begin, end = workday.pause
            self._add_break(member, record, begin, end if end <= self.now else None, is_paid=False)
        if record is not None and self.random.one_in(4):
            self._add_paid_break(member, record, rows)

    def _clock_record(self, workday: Workday) -> Row:
        random, member = self.random, workday.pattern.member
        clock_in = workday.begin - timedelta(seconds=random.randrange(30, 400))
        left = workday.end + timedelta(seconds=random.randrange(30, 400))
        status, reason, source = ClockStatus.closed, None, random.choice(CLOCK_SOURCES)
        clock_out: datetime | None = left
        clock_out_source: TimeSource | None = random.choice(CLOCK_SOURCES)
        edited_by = None
        if left > self.now - 5 * MINUTE:
            status, clock_out, clock_out_source = ClockStatus.open, None, None
        elif left < self.now - DAY and random.one_in(7):
            status, clock_out_source, reason = ClockStatus.auto_closed, TimeSource.system, next(self.reasons)
            clock_out = max(self._closed_at(workday, reason), left)
        elif left < self.now - DAY and random.one_in(9):
            edited_by, clock_out_source = member["manager_user_id"], TimeSource.admin
        is_scheduled = not random.one_in(5)
        recorded = clock_in + timedelta(microseconds=random.randrange(10**6))
        last_change = clock_out or recorded
        if edited_by is not None:
            last_change = left + timedelta(hours=random.randrange(1, 23))
        return {
            "id": random.uuid7(recorded),
            "user_id": member["user_id"],
            "clock_in_at": clock_in,
            "clock_out_at": clock_out,
            "status": status.value,
            "clock_in_source": source.value,
            "clock_out_source": clock_out_source.value if clock_out_source else None,
            "auto_clock_out_reason": reason.value if reason else None,
            "clock_in_note": "Train was late." if random.one_in(20) else None,
            "clock_out_note": "Left for the dentist." if clock_out and random.one_in(25) else None,
            "clock_in_location": self._location(source),
            "clock_out_location": self._location(clock_out_source) if clock_out_source else None,
            "scheduled_start_at": workday.scheduled_start if is_scheduled else None,
            "scheduled_end_at": workday.scheduled_end if is_scheduled else None,
            "is_edited": edited_by is not None,
            "edited_by_user_id": edited_by,
            "project_id": None,
            "created_at": recorded,
            "updated_at": max(recorded, last_change),
            "deleted_at": None,
        }

    def _closed_at(self, workday: Workday, reason: AutoClockOutReason) -> datetime:
        """The time of an automatic clock-out."""
        if reason is AutoClockOutReason.shift_ended:
            return workday.scheduled_end
        if reason is AutoClockOutReason.daily_limit:
            return workday.begin + timedelta(hours=10)
        if reason is AutoClockOutReason.midnight:
            zone = workday.pattern.zone
            tomorrow = workday.begin.astimezone(zone).date() + DAY
            return datetime.combine(tomorrow, time(), zone).astimezone(UTC)
        return workday.end + timedelta(minutes=30)

    def _location(self, source: TimeSource) -> Row | None:
        if source not in (TimeSource.kiosk, TimeSource.mobile):
            return None
        at_office = source is TimeSource.kiosk
        return {
            "latitude": self.office.latitude,
            "longitude": self.office.longitude,
            "accuracy_meters": 5 if at_office else self.random.choice([12, 35, None]),
            "label": self.office.label if at_office else None,
        }

    def _add_paid_break(self, member: Row, record: Row, rows: Sequence[Row]) -> None:
        """Add a paid break during the first long timesheet, whose timer keeps running."""
        for row in rows:
            is_long = row["tracked_until"] - row["started_at"] > timedelta(hours=1)
            if is_long and row["kind"] == TimesheetKind.automatic and row["deleted_at"] is None:
                begin = row["tracked_until"] - timedelta(minutes=25)
                self._add_break(member, record, begin, begin + timedelta(minutes=12), is_paid=True)
                return

    def _add_break(
        self, member: Row, record: Row | None, begin: datetime, end: datetime | None, *, is_paid: bool
    ) -> None:
        timestamps = self.random.timestamps_after(begin, self.now)
        self.break_times.append(
            {
                "id": self.random.uuid7(timestamps["created_at"]),
                "user_id": member["user_id"],
                "started_at": begin,
                "ended_at": end,
                "clock_record_id": record["id"] if record else None,
                "is_paid": is_paid,
                **timestamps,
                "updated_at": max(timestamps["created_at"], end or begin),
            }
        )


def breaks_in(breaks: Sequence[Row], row: Row) -> Iterator[Row]:
    """The breaks that start in a timesheet."""
    for break_row in breaks:
        if row["started_at"] <= break_row["started_at"] and break_row["started_at"] < row["tracked_until"]:
            yield break_row
