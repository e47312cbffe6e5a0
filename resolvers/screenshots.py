"""Resolvers of the screenshots of one person and local day."""

import asyncio
from collections.abc import Mapping, Sequence
from datetime import date, datetime
from typing import Any
from uuid import UUID

from sqlalchemy import Uuid, and_, func, or_, select

from db.reading.connection import Row
from db.reading.statement import Statement
from db.tables.activity import ScreenshotStatus, screenshots
from db.tables.columns import bind, in_organization
from db.tables.timesheets import MAX_INTERVAL, timesheets
from resolvers.context import Context
from resolvers.day_bounds import bounds_of_days, local_date
from resolvers.errors import Invalid, NotFound
from resolvers.lists.list_sql import HIGH, LOW
from resolvers.lists.local_day import DATE
from resolvers.lists.page_arguments import MAX_ARRAY_ROWS, too_many
from resolvers.people import members_by_id
from resolvers.period import TIMEZONE, Zone, zone_of
from resolvers.relations.arguments import Argument
from resolvers.relations.live import is_live
from resolvers.relations.nodes import rows_by_id
from resolvers.relations.relation import KEYS, Relation, any_key
from resolvers.selected import Selected
from resolvers.steps.batch import Batch, batched, query_field
from resolvers.values.amounts import columns_of

MAX_AGE_DAYS = 179
"""The oldest day of a request, in days before today (spec, Limits)."""

_project = bind("project_id", Uuid())
_of_day = (
    in_organization(screenshots),
    screenshots.c.user_id == any_key(),
    screenshots.c.captured_at >= LOW,
    screenshots.c.captured_at < HIGH,
    is_live(screenshots),
    or_(_project.is_(None), screenshots.c.project_id == _project),
)
"""Screenshots of some people and one day."""

SCREENSHOT_COLUMNS = columns_of(screenshots, date=DATE)

# A partial index, which excludes deleted rows, has the rows of a person. One row more shows that there are too many.
SCREENSHOTS = Statement(
    select(*SCREENSHOT_COLUMNS)
    .where(*_of_day)
    .order_by(screenshots.c.captured_at, screenshots.c.screen_index, screenshots.c.id)
    .limit(MAX_ARRAY_ROWS + 1)
)
# A deleted screenshot must not be shown: its image would be.
screenshots_by_id = rows_by_id(screenshots, SCREENSHOT_COLUMNS, "Screenshot", is_live(screenshots))
COUNT_OF_DAY = Statement(select(func.count().label("count")).select_from(screenshots).where(*_of_day))


def _values_of_day(context: Context, zone: Zone, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The values of the day and the project. Raises Invalid for a day in the future or too long ago."""
    age = (local_date(zone.name, context.now) - arguments["date"]).days
    if not 0 <= age <= MAX_AGE_DAYS:
        message = f"date cannot be more than {MAX_AGE_DAYS} days ago."
        if age < 0:
            message = "date cannot be in the future."
        raise Invalid(message, {"date": [message]})
    low, high = bounds_of_days(zone.name, arguments["date"], arguments["date"])
    return {"project_id": arguments["project_id"], LOW.key: low, HIGH.key: high}


_OF_DAY = [
    Argument(name="date", type=date, description="Local day, from 179 days ago to today.", is_required=True),
    TIMEZONE,
    Argument(name="project_id", type=UUID, description="Only screenshots taken during time on this project."),
]


@query_field(
    Argument(name="user_id", type=UUID, description="Id of the person; may be a past member.", is_required=True),
    *_OF_DAY,
)
async def list_screenshots(context: Context, arguments: Mapping[str, Any]) -> Sequence[Row]:
    """The screenshots of a day, all of them. An invalid day is refused before an unknown person."""
    user_id = arguments["user_id"]
    found = members_by_id.rows(context, [user_id], Selected(frozenset({"user_id"})))
    zone, people = await asyncio.gather(zone_of(context, arguments), found)
    values = _values_of_day(context, zone, arguments) | {KEYS.key: [user_id]}
    if people[user_id] is None:
        raise NotFound("Member")
    rows = await context.fetch(SCREENSHOTS, values)
    if len(rows) > MAX_ARRAY_ROWS:
        (total,) = await context.fetch(COUNT_OF_DAY, values)
        raise too_many(total.count, "screenshots on this day", "Send project_id.")
    return [row._replace(date=arguments["date"]) for row in rows]


async def _of_members(
    context: Context, members: Sequence[Any], arguments: Mapping[str, Any]
) -> Sequence[Sequence[Row]]:
    """The screenshots of each member on a day, all of them."""
    values = _values_of_day(context, await zone_of(context, arguments), arguments)

    async def read(keys: Sequence[Any]) -> Mapping[Any, Sequence[Row]]:
        rows = await context.fetch(SCREENSHOTS, values | {KEYS.key: keys})
        if len(rows) > MAX_ARRAY_ROWS:
            raise too_many(len(rows), "screenshots on this day", "Ask for fewer people, or send project_id.")
        rows_by_user: dict[Any, list[Row]] = {key: [] for key in keys}
        for row in rows:
            rows_by_user[row.user_id].append(row._replace(date=arguments["date"]))
        return rows_by_user

    keys = [member.user_id for member in members]
    rows = await context.load((SCREENSHOTS, *sorted(arguments.items())), keys, read)
    return [rows[key] for key in keys]


screenshots_of_member = Batch(_of_members, frozenset({"user_id"}), _OF_DAY)


# A timesheet lasts a day at most, so the index of a person's screenshots by time finds those taken in it.
_of_timesheets = (
    select(*SCREENSHOT_COLUMNS)
    .select_from(
        timesheets.join(
            screenshots,
            and_(
                screenshots.c.user_id == timesheets.c.user_id,
                screenshots.c.captured_at >= timesheets.c.started_at,
                screenshots.c.captured_at <= timesheets.c.started_at + MAX_INTERVAL,
                screenshots.c.timesheet_id == timesheets.c.id,
            ),
        )
    )
    .where(in_organization(timesheets), in_organization(screenshots), timesheets.c.id == any_key())
    .where(is_live(screenshots))
    .order_by(screenshots.c.captured_at, screenshots.c.screen_index, screenshots.c.id)
)
screenshots_of_timesheet = Relation(timesheets.c.id, _of_timesheets, many=True).of("id")


@batched("status")
async def urls_expire_at(context: Context, rows: Sequence[Any], _: Mapping[str, Any]) -> Sequence[datetime | None]:
    """The time at which the URLs of a screenshot expire; null if it has none."""
    expiry = None if context.url_signer is None else context.url_signer.expiry(context.now)
    return [expiry if row.status == ScreenshotStatus.available.value else None for row in rows]


def url_of(key: str) -> Batch:
    """The step of the signed URL of the object key in the attribute `key`; null unless it is available."""

    @batched("status", key)
    async def resolve(context: Context, rows: Sequence[Any], _: Mapping[str, Any]) -> Sequence[str | None]:
        signer, available = context.url_signer, ScreenshotStatus.available.value
        keys = [getattr(row, key) if row.status == available else None for row in rows]
        return [None if each is None or signer is None else signer.url(each, context.now) for each in keys]

    return resolve
