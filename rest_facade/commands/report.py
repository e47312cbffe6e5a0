"""`orgdata report`: hours of an organization as one HTML file, to read in a browser, to print or to send."""

import asyncio
from datetime import datetime
from pathlib import Path
from typing import Annotated

import typer

from db.errors import OperatorError
from rest_facade.commands.options import OrganizationOption
from rest_facade.settings import load, require_settings


def report(
    organization: OrganizationOption,
    start: Annotated[datetime, typer.Option(formats=["%Y-%m-%d"], help="First day, such as 2026-03-02.")],
    end: Annotated[datetime, typer.Option(formats=["%Y-%m-%d"], help="Last day, such as 2026-03-29.")],
    html: Annotated[Path, typer.Option(help="The file to write.", dir_okay=False)],
    timezone: Annotated[str | None, typer.Option(help="Time zone of the days; default: the organization's.")] = None,
) -> None:
    """Write hours by week, project, person and team, with budgets, invoices and leave, as one HTML file."""
    from db.reading.database import Database
    from rest_facade.internal.hours_report import hours_report

    settings = load()
    url = require_settings(settings, "database_url").get_secret_value()

    async def read() -> str:
        database = Database(url, size=1, statement_timeout=settings.statement_timeout)
        await database.open()
        try:
            return await hours_report(database, organization, start.date(), end.date(), timezone)
        finally:
            await database.close()

    page = asyncio.run(read())
    try:
        html.write_text(page, "utf-8")
    except OSError as error:
        # The beginning of a page would look whole. A file that was not opened, which the error names, is as it was.
        if error.filename is None and html.is_file():
            html.unlink()
        raise OperatorError(f"{html} cannot be written: {error.strerror}.") from error
