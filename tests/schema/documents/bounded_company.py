"""An organization whose rows stand on both sides of each bound in the documented questions, and are two of a kind.

It is in Berlin, on Sunday, 2026-11-22. Times are written in UTC: a day of Berlin begins at 22:00 before 25 October, and
at 23:00 from then on.
"""

from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID

from tests.factories.rows import Rows

Columns = dict[str, Any]


def utc(text: str) -> datetime:
    """A time of 2026: `11-22 10:00` or `11-22 10:00:59`."""
    return datetime.fromisoformat(f"2026-{text.replace(' ', 'T')}").replace(tzinfo=UTC)


def day(text: str) -> date:
    return date.fromisoformat(text if len(text) == 10 else f"2026-{text}")


def _budget(tracked: int, recurrence: str = "none") -> Columns:
    """A thousand seconds of budget, and what was tracked of it."""
    budget = {"budget_type": "time", "budget_seconds": 1000, "budget_recurrence": recurrence}
    return {**budget, "tracked_seconds_total": tracked}


class BoundedCompany:
    """Adds rows of one organization. Names stand for the rows that questions find."""

    def __init__(self, rows: Rows) -> None:
        self.rows = rows
        self.own = rows.organization(timezone="Europe/Berlin")
        self.people: dict[str, UUID] = {}
        self.projects: dict[str, UUID] = {}
        self.tasks: dict[str, UUID] = {}
        for add in (self._people, self._work, self._time, self._attendance, self._leave, self._invoices, self._pay):
            add()

    def _person(self, name: str, **columns: Any) -> None:
        self.people[name] = self.rows.member(self.own, full_name=name, **columns)

    def _people(self) -> None:
        ada: Columns = {"role": "owner", "department": "Engineering", "hired_on": day("01-01")}
        self._person("Ada", **ada, last_tracked_at=utc("11-15 23:00"), expected_weekly_seconds=7000)
        below = {"manager_user_id": self.people["Ada"], "department": "Engineering"}
        bob: Columns = {"employment_type": "contractor", "hired_on": day("2025-12-31")}
        self._person("Bob", **below, **bob, last_tracked_at=utc("11-22 22:59"))
        self._person("Cyd", **below, status="suspended", hired_on=day("11-22"), left_on=day("11-20"))
        removed = {"status": "removed", "removed_at": utc("06-01 00:00")}
        self._person("Dan", **below, **removed, hired_on=day("02-01"))
        self._person("Eve", **below, status="invited", hired_on=day("11-23"))
        self._person("Fay", department="Design", manager_user_id=self.people["Dan"], left_on=day("12-31"))
        self._person("Gus", **below, hired_on=day("03-01"), deleted_at=utc("04-01 00:00"))
        team = self.rows.team(self.own, name="Crew")
        for name, role in (("Ada", "lead"), ("Bob", "member"), ("Fay", "member")):
            self.rows.team_member(self.own, team, self.people[name], role=role)
        self.rows.team(self.own, name="Former", is_active=False)
        self.rows.team(self.own, name="Mistake", deleted_at=utc("04-01 00:00"))

    def _work(self) -> None:
        rows, own = self.rows, self.own
        client = self.client = rows.client(own, name="Acme")
        projects: dict[str, Columns] = {
            "Web": {"client_id": client, "bill_rate": 100, "due_date": day("12-31"), **_budget(900, "monthly")},
            "Yen": {"client_id": client, "bill_rate": 1001, "currency": "JPY", "due_date": day("2027-01-01")},
            "Ops": {"due_date": day("11-22"), "is_billable": False, **_budget(809)},
            "Past": {"due_date": day("11-21"), **_budget(810)},
            "Old": {"status": "archived", "archived_at": utc("03-01 00:00")},
            "Mistake": {"deleted_at": utc("03-01 00:00")},
        }
        for name, columns in projects.items():
            self.projects[name] = rows.project(own, name=name, **columns)
        present = (("Web", "Ada", None), ("Web", "Bob", None), ("Old", "Bob", None))
        for project, person, removed_at in (*present, ("Past", "Ada", utc("03-01 00:00"))):
            rows.project_member(own, self.projects[project], self.people[person], removed_at=removed_at)
        tasks: tuple[tuple[str, str, Columns], ...] = (
            ("Late", "Web", {"due_date": day("11-21"), "priority": "urgent", "estimate_seconds": 3599}),
            ("Today", "Web", {"due_date": day("11-22"), "estimate_seconds": 3600}),
            ("Done", "Web", {"due_date": day("11-20"), "status": "completed", "completed_at": utc("11-19 00:00")}),
            ("Lost", "Mistake", {"due_date": day("11-20"), "priority": "urgent"}),
            ("Whenever", "Ops", {"priority": "high"}),
            ("October", "Ops", {"due_date": day("10-31"), "priority": "urgent"}),
            ("First", "Ops", {"due_date": day("11-01"), "priority": "high"}),
            ("December", "Ops", {"due_date": day("12-01"), "priority": "urgent"}),
            ("Plain", "Ops", {"due_date": day("11-30")}),
            ("Stale", "Past", {}),
        )
        for name, project, columns in tasks:
            self.tasks[name] = rows.task(own, self.projects[project], name=name, **columns)
        for name in ("Late", "Today", "Done"):
            rows.task_member(own, self.tasks[name], self.people["Bob"])

    def _track(self, person: str, start: str, seconds: int, project: str, **columns: Any) -> UUID:
        began = utc(start)
        values = {"started_at": began, "ended_at": began + timedelta(seconds=seconds)} | columns
        values["project_id"] = self.projects[project]
        return self.rows.timesheet(self.own, self.people[person], **values)

    def _time(self) -> None:
        """Hours across the bounds of months, weeks and today; each has a half on either side."""
        billable = {"is_billable": True}
        self._track("Ada", "09-30 21:30", 3600, "Yen", **billable)
        self._track("Bob", "10-31 22:30", 3600, "Web", **billable, is_locked=True, task_id=self.tasks["Late"])
        week = self._track("Ada", "11-15 22:30", 3600, "Web", **billable, task_id=self.tasks["Today"])
        self._track("Bob", "11-22 22:30", 3600, "Web", **billable)
        self._track("Fay", "10-15 09:00", 3600, "Ops")
        self._track("Fay", "10-16 09:00", 3600, "Ops", deleted_at=utc("10-17 00:00"))
        running: tuple[tuple[str, str, Columns], ...] = (
            ("Cyd", "11-01 09:00", {"tracked_until": utc("11-01 10:00"), "task_id": self.tasks["First"]}),
            ("Bob", "11-22 10:00", {"tracked_until": utc("11-22 10:05"), "task_id": self.tasks["October"]}),
            ("Fay", "11-21 10:00", {"tracked_until": utc("11-21 10:05"), "deleted_at": utc("11-22 00:00")}),
        )
        for person, start, columns in running:
            self._track(person, start, 0, "Ops", **columns, ended_at=None)
        app = self.rows.app(self.own, name="Editor", productivity="productive")
        for slot in ("11-15 22:45", "11-15 23:00"):
            self.rows.app_usage(self.own, app, week, self.people["Ada"], slot_at=utc(slot))
        logs: tuple[tuple[str, Columns], ...] = (
            ("10-31 22:59", {"severity": "high"}),
            ("10-31 23:00", {"severity": "medium"}),
            ("10-20 09:00", {"severity": "low"}),
            ("09-30 21:59", {"severity": "high", "status": "dismissed"}),
        )
        for start, columns in logs:
            log = {"started_at": utc(start), "project_id": self.projects["Web"]} | columns
            self.rows.suspicious_activity_log(self.own, self.people["Ada"], **log)

    def _attendance(self) -> None:
        rows, own, ada = self.rows, self.own, self.people["Ada"]
        starts: tuple[tuple[str, str, Columns], ...] = (
            ("Fay", "11-15 22:59", {"scheduled_start_at": utc("11-15 22:00")}),
            (
                "Fay",
                "11-16 09:10",
                {"scheduled_start_at": utc("11-16 09:00"), "scheduled_end_at": utc("11-16 17:24:59")},
            ),
            (
                "Bob",
                "11-17 09:10:01",
                {"scheduled_start_at": utc("11-17 09:00"), "scheduled_end_at": utc("11-17 17:25:01")},
            ),
            ("Ada", "11-10 09:00", {"status": "auto_closed", "is_edited": True, "edited_by_user_id": ada}),
            ("Bob", "11-20 09:00", {"clock_out_at": None}),
            ("Ada", "11-22 09:00", {"clock_out_at": None}),
        )
        for person, start, columns in starts:
            rows.clock_record(own, self.people[person], clock_in_at=utc(start), **columns)
        requests: tuple[tuple[str, str, Columns], ...] = (
            ("Bob", "10-21 21:59", {}),
            ("Bob", "10-21 22:00", {}),
            ("Fay", "11-10 09:00", {}),
            ("Bob", "09-30 21:59", {"status": "approved"}),
            ("Bob", "09-30 22:00", {"status": "approved"}),
            ("Bob", "10-31 22:59", {"status": "rejected"}),
            ("Bob", "10-31 23:00", {"status": "rejected"}),
        )
        for person, start, columns in requests:
            review = {"reviewed_by_user_id": ada, "reviewed_at": utc("11-20 09:00")} if columns else {}
            rows.manual_request(own, self.people[person], started_at=utc(start), **columns, **review)

    def apply(self, person: str, *days: str, part: float = 1, **columns: Any) -> None:
        """An application for leave on these days."""
        rows, first, last = self.rows, day(days[0]), day(days[-1])
        values = {"start_date": first, "end_date": last, "status": "approved", "amount": part * len(days)} | columns
        leave = rows.leave_application(self.own, self.vacation, self.people[person], **values)
        for each in days:
            rows.leave_day(self.own, leave, date=day(each), amount=part, duration_seconds=int(part * 28_800))

    def _leave(self) -> None:
        self.vacation = self.rows.leave_type(self.own)
        self.apply("Ada", "2025-12-30", "2025-12-31", "01-02", "01-05")
        self.apply("Bob", "12-28", "12-29", "12-30", "12-31", "2027-01-04", "2027-01-05")
        self.apply("Fay", "11-22", part=0.5, end_day_part="first_half")
        self.apply("Fay", "11-22", part=0.5, start_day_part="second_half")
        self.apply("Cyd", "12-19")
        self.apply("Ada", "12-20")
        self.apply("Fay", "12-10", status="pending")
        self.apply("Fay", "12-11", status="rejected")
        self.apply("Fay", "12-14", deleted_at=utc("11-01 00:00"))
        policy = self.rows.leave_policy(self.own, self.vacation, entitlement=30)
        for name, year, status, used in (("2025", "2025", "closed", 9), ("2026", "2026", "open", 2)):
            bounds = {"start_date": day(f"{year}-01-01"), "end_date": day(f"{year}-12-31")}
            period = self.rows.leave_period(self.own, name=name, status=status, **bounds)
            self.rows.leave_balance(self.own, policy, period, self.people["Ada"], accrued=10, used=used)
            self.rows.leave_balance(self.own, policy, period, self.people["Bob"], accrued="15.5")

    def _invoices(self) -> None:
        numbered: tuple[tuple[str, str, str, Columns], ...] = (
            ("A", "11-01", "sent", {"due_date": day("11-21"), "subtotal": 100}),
            ("B", "11-30", "sent", {"due_date": day("11-22"), "subtotal": 50}),
            ("C", "01-01", "paid", {"due_date": day("11-01"), "subtotal": 10, "amount_paid": 10}),
            ("D", "11-05", "draft", {"due_date": day("11-01"), "subtotal": 7}),
            ("E", "2025-12-31", "partially_paid", {"due_date": day("10-22"), "subtotal": 1000, "amount_paid": 400}),
            ("F", "11-02", "void", {"due_date": day("11-20"), "subtotal": 3}),
            ("G", "12-31", "sent", {"subtotal": "1.235", "currency": "KWD"}),
            ("I", "2025-12-30", "sent", {"due_date": day("10-21"), "subtotal": 5, "amount_paid": 5}),
            ("H", "10-31", "sent", {"subtotal": 5, "deleted_at": utc("11-01 00:00")}),
        )
        for number, issued, status, columns in numbered:
            more = {"currency": "JPY"} if number == "E" else {}
            dates = {"number": number, "issue_date": day(issued), "status": status}
            invoice = self.rows.invoice(self.own, self.client, **dates, **more, **columns)
            self.rows.invoice_line(self.own, invoice, project_id=self.projects["Web"], amount=columns["subtotal"])

    def _pay(self) -> None:
        rows, own, bob = self.rows, self.own, self.people["Bob"]
        yen = {"currency": "JPY"}
        payables: tuple[tuple[str, Columns], ...] = (
            ("open", {"amount": 100, "amount_paid": 40, "due_date": day("11-21")}),
            ("approved", {"amount": 50, "due_date": day("11-22")}),
            ("paid", {"amount": 30, "amount_paid": 30, "due_date": day("11-01")}),
            ("void", {"amount": 20, "due_date": day("11-01")}),
            ("partially_paid", {"amount": 1000, "amount_paid": 1} | yen),
        )
        for status, columns in payables:
            rows.payable(own, bob, status=status, **columns)
        for person, begins in (("Ada", "11-22"), ("Bob", "11-23")):
            rows.payment_setting(own, self.people[person], pay_type="fixed", effective_from=day(begins))
        hourly: tuple[tuple[str, str, str | None, Columns], ...] = (
            ("09-21", "10-04", "10-06 09:00", {"amount": 1000, "overtime_seconds": 60}),
            ("10-19", "11-01", "11-03 09:00", {"amount": 1100}),
            ("08-01", "08-31", "09-30 22:00", {"amount": 1} | yen),
            ("09-01", "09-30", "09-30 21:59", {"amount": 2} | yen),
            ("10-01", "10-31", "10-31 23:00", {"amount": 4} | yen),
            ("10-05", "10-11", "10-13 09:00", {"amount": 8, "status": "refunded"}),
            ("10-05", "10-11", None, {"amount": 16, "status": "failed", "overtime_seconds": 60}),
        )
        for first, last, paid_at, columns in hourly:
            period = {"period_start": day(first), "period_end": day(last), "paid_at": paid_at and utc(paid_at)}
            rows.hourly_payment_log(own, bob, **{"status": "paid"} | columns, **period)
        once: tuple[tuple[str, str | None, Columns], ...] = (
            ("11-01", "10-31 22:59", {"amount": 20}),
            ("10-31", "11-02 09:00", {"amount": 40}),
            ("10-15", None, {"amount": 80, "status": "failed"}),
        )
        for on, paid_at, columns in once:
            moment = paid_at and utc(paid_at)
            rows.one_time_payment_log(own, bob, **{"status": "paid"} | columns, payment_date=day(on), paid_at=moment)
