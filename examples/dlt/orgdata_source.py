"""A dlt source: every operation of the API as a table, loaded whole at first and by changes later."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime, timedelta
from functools import cached_property
from typing import Any
from zoneinfo import ZoneInfo

import dlt
from client import NOT_FOUND, Client, Refused
from dlt.extract import DltResource
from operations import DEFAULT, DROPPED, OPERATIONS, Operation

DAY, MINUTE = timedelta(days=1), timedelta(minutes=1)
SCREENSHOT_LOOKBACK = 179 * DAY
CAPS = frozenset({"timesheets_cap", "log_cap"})

Row = dict[str, Any]


@dlt.source(name="orgdata")
def orgdata(
    client: Client,
    first_day: date,
    *,
    operations: Sequence[str] = DEFAULT,
    lookback_days: int = 35,
    screenshot_days: int = 2,
) -> Iterable[DltResource]:
    """One resource an operation. Time is loaded from `first_day`.

    Later loads ask again for the last `lookback_days` of time, and for the screenshots of people whose time changed,
    from `screenshot_days` before the last load.
    """
    walk = Walk(client, first_day, lookback_days * DAY, screenshot_days * DAY)
    for name in operations:
        operation = OPERATIONS[name]
        yield dlt.resource(
            walk.rows(operation),
            name=operation.table,
            write_disposition="merge" if operation.is_polled or operation.replaced_by else "replace",
            primary_key=operation.key if operation.is_polled else None,
            merge_key=operation.replaced_by,
            columns={
                **({"is_gone": {"data_type": "bool", "hard_delete": True}} if operation.has_vanishing_rows else {}),
                **({"deleted_at": {"data_type": "timestamp"}} if operation.takes_deleted else {}),
                **({"custom_fields": {"data_type": "json"}} if name == "listMembers" else {}),
            },
        )


class Walk:
    """One load. What the next one has to know is in dlt's state, which is stored together with the rows."""

    def __init__(self, client: Client, first_day: date, lookback: timedelta, screenshot_lookback: timedelta) -> None:
        self._client = client
        self._first_day = first_day
        self._lookback = lookback
        self._screenshot_lookback = screenshot_lookback
        self._read: dict[str, list[Row]] = {}
        """The rows of this load by operation, where other operations need them."""

    @cached_property
    def _today(self) -> date:
        """Today in the zone of the organization, in which it has its days."""
        zone = self._client.get(OPERATIONS["retrieveOrganization"].path, {})["timezone"]
        return datetime.now(ZoneInfo(zone)).date()

    def rows(self, operation: Operation) -> Iterator[list[Row]]:
        """The rows of an operation that changed, in parts."""
        if any(operation.name == child.parents for child in OPERATIONS.values()):
            yield self._parent_rows(operation)
        elif operation.name == "listScreenshots":
            yield from self._screenshots(operation)
        elif operation.parents is not None:
            for id_ in list(self._ids(operation)):
                yield from self._rows_of_parent(operation, id_)
        else:
            yield from self._rows(operation)

    def _parent_rows(self, operation: Operation) -> list[Row]:
        """The rows of an operation that others need, read once. The state keeps the ids of all of them."""
        if operation.name not in self._read:
            rows = self._read[operation.name] = [row for part in self._rows(operation) for row in part]
            known = _state("parents", operation.name)
            for row in rows:
                shown = {name: row.get(name) for name in ("deleted_at", "status", "left_on")}
                known[row[operation.key[0]]] = {name: value for name, value in shown.items() if value is not None}
        return self._read[operation.name]

    def _ids(self, operation: Operation) -> Iterator[str]:
        """The ids for the path of an operation, without those for which it is 404."""
        assert operation.parents is not None
        self._parent_rows(OPERATIONS[operation.parents])
        for id_, row in _state("parents", operation.parents).items():
            is_current = row.get("status") == "active" and row.get("left_on", "9999") >= self._today.isoformat()
            if operation.is_for_former_members or (
                "deleted_at" not in row and (is_current or not operation.is_for_current_members)
            ):
                yield id_

    def _rows_of_parent(self, operation: Operation, id_: str) -> Iterator[list[Row]]:
        path = operation.path[: operation.path.index("{")] + id_ + operation.path[operation.path.index("}") + 1 :]
        try:
            for part in self._rows(operation, path, id_):
                if operation.replaced_by:
                    yield [{**row, "is_gone": False} for row in part] or [{operation.replaced_by: id_, "is_gone": True}]
                else:
                    yield [{"user_id": id_, **row} for row in part] if "user_id" in operation.key else part
        except Refused as refused:
            # It was deleted after it was listed, or it is an inactive client, which has no list of projects.
            if refused.status != NOT_FOUND:
                raise

    def _rows(self, operation: Operation, path: str = "", place: str = "") -> Iterator[list[Row]]:
        path = path or operation.path
        if operation.shape == "object":
            yield [loaded(self._client.get(path, {}))]
        elif operation.shape == "array":
            yield [loaded(row) for row in self._client.get(path, {})]
        elif operation.window_days is None:
            for part in self._changes(operation, path, {"limit": "100"}, place):
                yield [loaded(row) for row in part]
        else:
            for start in self._windows(operation.name, operation.window_days):
                yield from self._window(operation, start, start + (operation.window_days - 1) * DAY)

    def _windows(self, name: str, days: int) -> Iterator[date]:
        """The first days of windows: all from the first day, and in later loads those of the last days."""
        loaded_until = _state("loaded_until")
        first = self._first_day
        if name in loaded_until:
            first = max(first, date.fromisoformat(loaded_until[name]) - self._lookback)
        start = date.fromordinal(first.toordinal() // days * days)
        while start <= self._today:
            yield start
            start += days * DAY
        loaded_until[name] = self._today.isoformat()

    def _window(self, operation: Operation, start: date, end: date, *, is_first: bool = True) -> Iterator[list[Row]]:
        """The rows of a range; by halves where a member has more timesheets or logs in it than a report reads."""
        place = f"{start}/{end}"
        is_first = is_first and place not in _state("largest", operation.name)
        too_large = _state("too_large", operation.name)
        if place not in too_large:
            query = {"start_date": start.isoformat(), "end_date": end.isoformat(), "limit": "20"}
            try:
                for part in list(self._changes(operation, operation.path, query, place)):
                    yield list(rows_of_window(operation, part, start, end, is_first=is_first))
            except Refused as refused:
                if start == end or not CAPS & set(refused.details):
                    raise
                too_large[place] = True
        if place in too_large:
            middle = start + (end - start) // 2
            yield from self._window(operation, start, middle, is_first=is_first)
            yield from self._window(operation, middle + DAY, end, is_first=is_first)

    def _changes(self, operation: Operation, path: str, query: Mapping[str, str], place: str) -> Iterator[list[Row]]:
        """The pages of a list: all, or what changed since a minute before the last walk in this place."""
        query = {**query, **dict(operation.query)}
        largest = _state("largest", operation.name)
        if operation.takes_deleted:
            query["include_deleted"] = "true"
        if operation.is_polled and place in largest:
            # Rows are committed in another order than they are stamped.
            query["updated_since"] = (datetime.fromisoformat(largest[place]) - MINUTE).isoformat()
        read = self._client.cursor_pages if operation.shape == "cursor" else self._client.pages
        moments = []
        for part in read(path, query):
            moments.append(self._client.data_as_of)
            yield part
        # A row of the first page may change while later pages are read.
        if operation.is_polled and all(moments):
            largest[place] = min(moments)

    def _screenshots(self, operation: Operation) -> Iterator[list[Row]]:
        """The screenshots of days with time; in later loads of the last days of people whose time changed."""
        loaded_until = _state("loaded_until")
        first = max(self._first_day, self._today - SCREENSHOT_LOOKBACK)
        if operation.name in loaded_until:
            first = max(first, date.fromisoformat(loaded_until[operation.name]) - self._screenshot_lookback)
        for row in self._parent_rows(OPERATIONS["listTimeActivityReport"]):
            if first.isoformat() <= row["date"] <= self._today.isoformat():
                place = {"user_id": row["user_id"], "date": row["date"]}
                shots = [] if row["is_gone"] else [loaded(shot) for shot in self._client.get(operation.path, place)]
                yield [{**place, "screenshots": shots, "is_gone": not shots}]
        loaded_until[operation.name] = self._today.isoformat()


def rows_of_window(
    operation: Operation, part: Sequence[Row], start: date, end: date, *, is_first: bool
) -> Iterator[Row]:
    """The rows of a page of a range. After the first load, also rows that say what is there no longer."""
    for row in part:
        if operation.shape == "cursor":
            if row["timesheets"] or not is_first:
                shown = {"timesheets": row["timesheets"], "is_gone": not row["timesheets"]}
                yield {"user_id": row["user"]["user_id"], "window_start": start.isoformat(), **shown}
        elif operation.days is None:
            yield loaded(row)
        else:
            user_id = row["user"]["user_id"]
            days = {day["date"]: day for day in row[operation.days]}
            for day in days.values():
                yield {"user_id": user_id, **loaded(day), "is_gone": False}
            if not is_first:
                for gone in set(days_between(start, end)) - set(days):
                    yield {"user_id": user_id, "date": gone, "is_gone": True}


def loaded(value: Any) -> Any:
    """A row without DROPPED fields, in which the user is an id; also inside of it."""
    if isinstance(value, list):
        return [loaded(item) for item in value]
    if not isinstance(value, dict):
        return value
    row = {name: loaded(item) for name, item in value.items() if name not in DROPPED and name != "user"}
    return {**row, "user_id": value["user"]["user_id"]} if "user" in value else row


def days_between(first: date, last: date) -> Iterator[str]:
    for number in range((last - first).days + 1):
        yield (first + number * DAY).isoformat()


def _state(*names: str) -> dict[str, Any]:
    """A part of the state of the source."""
    part: dict[str, Any] = dlt.current.source_state()
    for name in names:
        part = part.setdefault(name, {})
    return part
