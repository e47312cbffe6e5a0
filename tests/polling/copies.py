"""What a client keeps of an organization: a copy of every list, report and object, which polls bring up to date.

A client knows what the descriptions of the operations say, and no more: EXCEPTIONS has what polls do not show.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from rest_facade.openapi import polling
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Cursor
from rest_facade.v1 import ENDPOINTS
from tests.helpers.endpoint_calls import key_of, params_of
from tests.polling.asking import Ask
from tests.world import World

FIRST, LAST = "2026-01-01", "2026-01-31"

EXCEPTIONS: Mapping[str, Iterable[str]] = {
    polling.NAMES: r"(?!app_|full_|first_|last_)\w+_name$ user.email user.full_name".split(),
    polling.DERIVED: ("last_tracked_at$", "tracked_seconds_total$"),
    polling.OF_TODAY: ("is_overdue$", "is_current$"),
    polling.SIGNED: ("image_url$", "thumbnail_url$", "urls_expire_at$"),
}
"""What polls do not show of the rows of lists, by the sentence that says so."""

MOVES: Mapping[str, Sequence[str]] = {
    "listClientProjects": ("projects.client_id",),
    "listProjectTasks": ("tasks.project_id",),
    "listMemberProjects": (
        *("project_members.deleted_at", "projects.deleted_at", "members.deleted_at"),
        *("members.status", "members.removed_at"),
    ),
}
"""Operations with a sentence of their own in `polling.OTHERWISE`, and the changes that they do not show."""

NAMED_BY = {"listScreenshots": "screenshots_updated_since", "listMemberPaymentSettings": "payroll_updated_since"}
"""Arrays that are read again for the people whom a filter of listMembers names."""

_LISTS = {endpoint.path: endpoint.operation for endpoint in ENDPOINTS}
OBJECTS = {
    endpoint.operation: _LISTS[path]
    for endpoint in ENDPOINTS
    if (path := re.sub(r"\{\w+\}/$", "", endpoint.path)) != endpoint.path
}
"""Objects that are read again when the poll of a list has their row. The organization is read at each poll."""

_hidden = re.compile("|".join(f"(?:{pattern})" for patterns in EXCEPTIONS.values() for pattern in patterns))

REPORTS = {"listTimeActivityReport", "listAppReports", "listUrlReports", "listTimesheetIdleTime"}
"""Operations with a row for each person. They poll the names that they show, too."""

Items = dict[str, Any]


class View:
    """One request that a client repeats, and the copy of its rows; empty while it is 404."""

    def __init__(self, endpoint: Endpoint, world: World, **params: str) -> None:
        self.endpoint = endpoint
        self.ids = {name: str(world.ids[name]) for name in endpoint.ids}
        self.params = params_of(endpoint, world)
        if isinstance(endpoint.envelope, Cursor):
            self.params |= {"start_date": FIRST, "end_date": LAST}
        self.params |= {"limit": "20" if "start_date" in self.params else "100"} | params
        if "date" in self.params:
            # Today in UTC may be in the future of an organization whose zone was edited.
            self.params["timezone"] = "UTC"
        self.everything = {"include_deleted": "true"} if "include_deleted" in endpoint.query_names else {}
        self.is_polled = "updated_since" in endpoint.query_names
        self.is_report = self.is_polled and endpoint.operation in REPORTS
        self.key = next(reversed(self.ids.values()), "")
        """The key of an object."""
        self.rows: Items = {}
        self.name = f"{endpoint.operation} {include}" if (include := params.get("include")) else endpoint.operation

    async def read(self, ask: Ask, **params: str) -> Items | None:
        """The rows of all pages by key; None if that is 404."""
        found: Items = {}
        following: Mapping[str, str] | None = self.params | params
        while following is not None:
            page = await ask(self.endpoint, self.ids, following)
            if page is None:
                return None
            found |= {key_of(item): item for item in page.items}
            following = page.next
        return found

    async def is_same_in_parts(self, ask: Ask, whole: Items) -> bool:
        """Whether a report is the same in pages of one row, and with `user_id` for each person."""
        alone = [await self.read(ask, user_id=key) for key in whole]
        parts = [row for each in alone for row in (each or {}).values()]
        return await self.read(ask, limit="1") == whole and parts == list(whole.values())

    async def begin(self, ask: Ask) -> Items:
        """The first read: of everything, deleted rows and past periods, too. Returns it."""
        everything = await self.read(ask, **self.everything) or {}
        self.rows = _live(everything)
        return everything

    async def poll(self, ask: Ask, since: str) -> Items:
        changed = await self.read(ask, updated_since=since, **self.everything) or {}
        self.rows = _live(self.rows | changed)
        if "start_date" in self.params:
            self.rows = {key: row for key, row in self.rows.items() if FIRST <= row.get("date", FIRST) <= LAST}
        return changed

    def drop_people(self, user_ids: Iterable[str]) -> None:
        """Drop the records of deleted people; reports show them with zeros."""
        if not self.is_report:
            gone = set(user_ids)
            self.rows = {key: row for key, row in self.rows.items() if not _people_of(row) & gone}

    def differences(self, full: Items) -> Items:
        """What the copy has otherwise than a full read, by key: both rows."""
        shown = {key: row for key, row in self.rows.items() if self._is_shown(row, full)}
        pairs = ((key, shown.get(key), full.get(key)) for key in {**shown, **full})
        return {
            key: _difference(ours, theirs)
            for key, ours, theirs in pairs
            if ours != theirs and self._compared(ours) != self._compared(theirs)
        }

    def _compared(self, row: Any) -> Any:
        return row if self.is_report else _comparable(row)

    def _is_shown(self, row: Any, full: Items) -> bool:
        """Whether a read with the defaults of filters has the row."""
        match self.endpoint.operation:
            case "listMembers":
                return bool(row["status"] != "removed")
            case "listTeamMembers":
                return bool(row["member_status"] != "removed")
            case "listLeaveBalances":
                return bool(row["period_start"] <= datetime.now(UTC).date().isoformat() <= row["period_end"])
        # Who left a report has a row of zeros, which a full read need not have.
        return not (self.is_report and key_of(row) not in full and _is_empty(row))


def views_of(world: World, **params: str) -> Sequence[View]:
    """What a client of the whole organization keeps."""
    endpoints = [each for each in ENDPOINTS if each.operation != "retrieveOrganization"]
    invoices = next(each for each in endpoints if each.operation == "listInvoices")
    views = [View(endpoint, world, **params) for endpoint in endpoints]
    return [*views, View(invoices, world, include="line_items", **params)]


class Client:
    """A client that reads once, and then polls."""

    def __init__(self, ask: Ask, world: World, views: Sequence[View]) -> None:
        self.ask, self.world, self.views = ask, world, views
        self.deleted_people: set[str] = set()
        self._members = next(view for view in views if view.endpoint.operation == "listMembers")

    async def begin(self) -> None:
        for view in self.views:
            self._drop_deleted_people(view, await view.begin(self.ask))

    async def poll(self, since: datetime, views: Iterable[View]) -> None:
        """Bring the copies of some views up to date."""
        at, seen = since.isoformat(), dict[str, Items]()
        for view in sorted(views, key=lambda view: not view.is_polled):
            operation = view.endpoint.operation
            if view.is_polled:
                seen[operation] = await view.poll(self.ask, at)
            elif operation in NAMED_BY:
                named = {NAMED_BY[operation]: at, **self._members.everything}
                if str(self.world.ids["user_id"]) in (await self._members.read(self.ask, **named) or {}):
                    full = await view.read(self.ask)
                    view.rows = view.rows if full is None else full
            elif operation in OBJECTS and view.key in seen.get(OBJECTS[operation], {}):
                view.rows = await view.read(self.ask) or {}
        self._drop_deleted_people(self._members, seen.get("listMembers", {}))

    def _drop_deleted_people(self, view: View, rows: Items) -> None:
        """Drop the records of people whose deleted rows were read, now or before."""
        for key, row in rows.items() if view is self._members else ():
            (self.deleted_people.add if row["deleted_at"] else self.deleted_people.discard)(key)
        for each in self.views if self.deleted_people else ():
            each.drop_people(self.deleted_people)

    async def differences(self, views: Iterable[View]) -> Mapping[str, Items]:
        """What the copies have otherwise than full reads, by view and key. What is 404 is not compared."""
        read = [(view, await self.read(view)) for view in views]
        found = {view.name: view.differences(full) for view, full in read if full is not None}
        return {name: rows for name, rows in found.items() if rows}

    async def read(self, view: View) -> Items | None:
        """A full read."""
        return await view.read(self.ask)


def _live(rows: Items) -> Items:
    return {key: row for key, row in rows.items() if not row.get("deleted_at")}


def _people_of(row: Any) -> set[str]:
    user = row.get("user") or {}
    return {row.get("user_id"), user.get("user_id")} - {None}


def _is_empty(row: Any) -> bool:
    return not (row.get("days") or row.get("timesheets"))


def _comparable(value: Any, path: str = "") -> Any:
    """A row without what EXCEPTIONS has."""
    if isinstance(value, dict):
        shown = {key: each for key, each in value.items() if not _hidden.match(f"{path}{key}")}
        return {key: _comparable(each, f"{path}{key}.") for key, each in shown.items()}
    if isinstance(value, list):
        return [_comparable(each, path) for each in value]
    return value


def _difference(ours: Any, theirs: Any) -> Any:
    if not (isinstance(ours, dict) and isinstance(theirs, dict)):
        return "kept, but gone" if theirs is None else "missing"
    return {key: (ours[key], theirs[key]) for key in ours if ours[key] != theirs[key]}
