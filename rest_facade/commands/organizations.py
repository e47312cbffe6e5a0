"""`orgdata organizations`: create, list, show, suspend and resume organizations, and set their retention."""

import json
from typing import Annotated
from uuid import UUID

import typer

from db.admin import organizations as stored_organizations
from db.admin.organizations import InvalidOrganization, NewOrganization
from db.tables.people import FEATURES, OrganizationStatus, Weekday
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_rows

app = typer.Typer(no_args_is_help=True, help="Create, list, show, suspend and resume organizations, set retentions.")

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
    except InvalidOrganization as error:
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
