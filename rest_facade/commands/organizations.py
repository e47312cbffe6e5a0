"""`orgdata organizations`: create, list, show, suspend, resume and delete organizations, and set their retention."""

import json
from functools import partial
from itertools import starmap
from pathlib import Path
from typing import Annotated
from uuid import UUID

import structlog
import typer

from db.admin import organizations as stored_organizations
from db.admin.organizations import NewOrganization
from db.jobs.retention.stored_objects import list_objects
from db.tables.people import FEATURES, OrganizationStatus, Weekday, organizations
from rest_facade.commands.options import ended_by_interrupt
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_rows
from rest_facade.commands.progress import job_progress
from rest_facade.commands.retention.retain import MOST_BATCH_ROWS

log = structlog.get_logger()

app = typer.Typer(no_args_is_help=True, help="Create, list, show, suspend, resume and delete organizations.")

MOST_DAYS = 36_500
"""A constraint of the table allows no more."""

OrganizationId = Annotated[UUID, typer.Argument(help="Id of the organization.")]

Days = Annotated[
    int | None, typer.Option(help="For how many days they are kept, today included.", min=0, max=MOST_DAYS)
]

INVALID = 2
"""The exit code for options that are not valid."""


@app.command("create")
def create_organization(
    name: Annotated[str, typer.Option(help="Name of the organization.")],
    timezone: Annotated[
        str, typer.Option(help="IANA name of its time zone, such as Europe/Berlin: days begin there by default.")
    ],
    currency: Annotated[str, typer.Option(help="ISO 4217 code of its currency, such as EUR.")],
    country: Annotated[str | None, typer.Option(help="ISO 3166-1 code of its country, such as DE.")] = None,
    week_start_day: Annotated[Weekday, typer.Option(help="First day of its week, for overtime.")] = Weekday.monday,
    features: Annotated[
        str, typer.Option(help="Features that it uses, separated by commas: the lists of other features stay empty.")
    ] = ",".join(FEATURES),
) -> None:
    """Create an organization, and print its id."""
    chosen = [feature.strip() for feature in features.split(",") if feature.strip()]
    try:
        organization = NewOrganization(name, timezone, currency, country, week_start_day, chosen)
    except ValueError as error:
        typer.echo(f"orgdata: {error}", err=True)
        raise typer.Exit(INVALID) from error
    with owner_engine().begin() as connection:
        created = stored_organizations.create_organization(connection, organization)
    typer.echo(created)


@app.command("list")
def list_organizations(*, as_json: AsJson = False) -> None:
    """List organizations, oldest first: id, status, time zone, currency, name."""
    with owner_engine().begin() as connection:
        names = ("organization_id", "status", "timezone", "currency", "name")
        listed = [
            {name: getattr(row, name) for name in names} for row in stored_organizations.list_organizations(connection)
        ]
    print_rows([PrintedRow(values, [*values.values()]) for values in listed], as_json=as_json)


@app.command("show")
def show_organization(organization_id: OrganizationId) -> None:
    """Print the columns of an organization as JSON."""
    with owner_engine().begin() as connection:
        columns = stored_organizations.read_organization(connection, organization_id)
    typer.echo(json.dumps(columns, indent=2, default=str, ensure_ascii=False))


@app.command("suspend")
def suspend_organization(organization_id: OrganizationId) -> None:
    """Make the keys of an organization answer 401, within two minutes. Its data stays."""
    with owner_engine().begin() as connection:
        stored_organizations.set_status(connection, organization_id, OrganizationStatus.suspended)


@app.command("resume")
def resume_organization(organization_id: OrganizationId) -> None:
    """Let the keys of a suspended organization read again."""
    with owner_engine().begin() as connection:
        stored_organizations.set_status(connection, organization_id, OrganizationStatus.active)


@app.command("delete")
def delete_organization(
    organization_id: OrganizationId,
    name: Annotated[str, typer.Option(help="Name of the organization, as a proof that it is the right one.")],
    objects: Annotated[Path, typer.Option(help="A file to which the keys of its images are appended.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Delete it: there is no way back.")] = False,
    batch: Annotated[int, typer.Option(help="Rows of a transaction.", min=1, max=MOST_BATCH_ROWS)] = 5_000,
    as_json: AsJson = False,
) -> None:
    """Delete all rows of a suspended organization, and print how many. Run it again if it was interrupted."""
    from db.jobs.retention.delete_organization import delete_organization as delete_rows

    if not yes:
        raise typer.BadParameter("It deletes all rows of the organization: give --yes.", param_hint="--yes")
    outcome = "What was deleted stays deleted; run the command again."
    deleted: dict[str, int] = {}
    try:
        with ended_by_interrupt(outcome), job_progress("delete", None) as bar, owner_engine().connect() as connection:
            delete_rows(
                *(connection, organization_id, name),
                list_objects=partial(list_objects, objects),
                batch_rows=batch,
                progress=bar.count,
                counts=deleted,
            )
    finally:
        # Of a run that ended early, too: the next one does not know what it deleted.
        counts = {table: count for table, count in deleted.items() if count}
        if counts:
            event = "organization deleted" if organizations.name in counts else "organization partly deleted"
            log.info(event, organization_id=str(organization_id), rows=counts)
            print_rows(starmap(_deleted_rows, counts.items()), as_json=as_json)


def _deleted_rows(table: str, count: int) -> PrintedRow:
    return PrintedRow({"table": table, "rows": count}, (table, f"{count} deleted"))


@app.command("set-retention")
def set_retention(
    organization_id: OrganizationId, screenshots: Days = None, app_usage: Days = None, url_usage: Days = None
) -> None:
    """Change for how many days an organization keeps activity. Drops nothing: orgdata retain does."""
    from db.jobs.retention.retentions import set_retention as store_retention

    given = {"screenshots": screenshots, "app_usage": app_usage, "url_usage": url_usage}
    days = {kind: value for kind, value in given.items() if value is not None}
    if not days:
        raise typer.BadParameter("Give --screenshots, --app-usage or --url-usage.")
    with owner_engine().begin() as connection:
        store_retention(connection, organization_id, days)
