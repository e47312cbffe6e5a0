"""The page of hours as one HTML file: the answers of its operations, its styles and its scripts are within it."""

import re
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import UUID
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import orjson

from db.errors import OperatorError
from db.reading.database import Database
from rest_facade.internal.examples import parse_examples
from rest_facade.internal.pages import ASSETS
from schema.documents.cache import DocumentCache
from schema.execution.operation import Executor, InvalidDocument

HOURS = ASSETS / "hours"
STYLE_SHEETS = (ASSETS / "overview" / "overview.css", HOURS / "hours.css")
LIBRARY = ASSETS / "chart" / "chart.umd.min.js"
MODULES = (
    *(ASSETS / "overview" / "dom.js", ASSETS / "overview" / "text.js", ASSETS / "caller.js"),
    *(HOURS / "dates.js", HOURS / "panels.js", HOURS / "shown.js", HOURS / "hours.js"),
)
"""The modules of the page, each after those that it imports. Their names differ: here they are one script."""

MODULE_WORDS = re.compile(r"^import .*\n|^export (?=\w)", re.MULTILINE)
LIVE = re.compile(r" *<(form|nav|link|script)\b[^>]*>(.*?</\1>)?\n", re.DOTALL)
"""What the page has and the file has not: the form, links to other pages, and what it loads."""

DAYS_AHEAD = 60
"""Days of the panel of leave, as `hours.js` has them."""


async def hours_report(database: Database, organization_id: UUID, start: date, end: date, timezone: str | None) -> str:
    """The report of an organization. Days are of `timezone`; None: its own. Raises OperatorError."""
    operations = (HOURS / "hours.graphql").read_text("utf-8")
    executor, documents, now = Executor(database), DocumentCache(), datetime.now(UTC)
    try:
        given = None if timezone is None else ZoneInfo(timezone)
    except (ZoneInfoNotFoundError, ValueError) as error:
        raise OperatorError(f"{timezone!r} is not a time zone: give an IANA name, such as Europe/Berlin.") from error
    view: dict[str, Any] = {"organization": str(organization_id), "start": str(start), "end": str(end)}
    view |= {"since": str(start), "today": str(end), "wants_weeks": False}
    answers: dict[str, Any] = {}
    for each in parse_examples(operations):
        variables = {name: view[name] for name in each.variables if name in view}
        try:
            costed = documents.find(each.query, each.name, variables)
        except InvalidDocument as error:
            raise OperatorError(f"{each.title}: {error.errors[0].message}") from error
        result = await executor.execute(costed.operation, organization_id, costed.variables)
        if result.errors or result.data is None:
            raise OperatorError(result.errors[0].message if result.errors else f"{each.title}: no data")
        # A panel has one field; the first operation, which panels need, has two.
        answers[each.name] = next(iter(result.data.values())) if answers else result.data
        if "timezone" not in view:
            zone = given or ZoneInfo(result.data["organization"]["timezone"])
            today = now.astimezone(zone).date()
            view |= {"timezone": zone.key, "today": str(today), "ahead": str(today + timedelta(days=DAYS_AHEAD))}
    return page_with({"view": view, "made_at": now, "operations": operations, "answers": answers})


def page_with(report: Any) -> str:
    """The page with a report in it, which its script shows instead of asking the service."""
    # A text of the report can't end its element.
    data = orjson.dumps(report, option=orjson.OPT_UTC_Z).decode().replace("<", "\\u003c")
    modules = "".join(MODULE_WORDS.sub("", module.read_text("utf-8")) for module in MODULES)
    parts = (
        *(f"<style>\n{style.read_text('utf-8')}</style>" for style in STYLE_SHEETS),
        f"<script>\n{LIBRARY.read_text('utf-8')}</script>",
        f'<script type="application/json" id="report">{data}</script>',
        f'<script type="module">\n{modules}</script>',
    )
    page = LIVE.sub("", (ASSETS / "hours.html").read_text("utf-8"))
    return page.replace("</head>", "\n".join(parts) + "\n</head>")
