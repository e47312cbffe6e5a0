"""`orgdata quotas`: set, list and clear the request limits that replace the default."""

from difflib import get_close_matches
from typing import Annotated

import typer

from db.admin import quotas as stored_quotas
from db.admin.quotas import Preset
from rest_facade.commands.options import OrganizationFilter, OrganizationOption
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_rows

app = typer.Typer(no_args_is_help=True, help="Set, list and clear request limits of organizations.")


@app.command("set")
def set_quota(
    organization: OrganizationOption,
    limit: Annotated[int | None, typer.Option(help="Requests per window.", min=1)] = None,
    group: Annotated[
        str, typer.Option(help="Resource group, such as members. Default: every group that has no limit of its own.")
    ] = "",
    preset: Annotated[
        Preset | None,
        typer.Option(help="Limits for a purpose, in place of all others. sync: a partner that copies everything."),
    ] = None,
) -> None:
    """Set the request limit of an organization, or all of its limits by a preset. Takes effect within two minutes."""
    if (limit is None) is (preset is None) or (preset is not None and group):
        raise typer.BadParameter("Give --limit, with or without --group, or --preset.")
    if group:
        from rest_facade.v1 import ENDPOINTS

        groups = sorted({endpoint.group for endpoint in ENDPOINTS})
        if group not in groups:
            near = "".join(f"Did you mean {each}? " for each in get_close_matches(group, groups, 1))
            raise typer.BadParameter(f"{near}Groups are {', '.join(groups)}.", param_hint="--group")
    with owner_engine().begin() as connection:
        if preset is not None:
            stored_quotas.set_preset(connection, organization, preset)
        elif limit is not None:
            stored_quotas.set_quota(connection, organization, group, limit)


@app.command("list")
def list_quotas(organization: OrganizationFilter = None, *, as_json: AsJson = False) -> None:
    """List the limits that replace the default: organization, resource group, requests per window."""
    with owner_engine().begin() as connection:
        rows = [
            PrintedRow(
                {
                    "organization_id": each.organization_id,
                    "group": each.resource_group or None,
                    "limit": each.request_limit,
                },
                (each.organization_id, each.resource_group or "all other groups", each.request_limit),
            )
            for each in stored_quotas.list_quotas(connection, organization)
        ]
    print_rows(rows, as_json=as_json)


@app.command("clear")
def clear_quotas(
    organization: OrganizationOption,
    group: Annotated[str | None, typer.Option(help="Resource group. Default: every group.")] = None,
) -> None:
    """Remove limits of an organization: the default limits then apply again."""
    with owner_engine().begin() as connection:
        typer.echo(f"Removed {stored_quotas.clear_quotas(connection, organization, group)}.")
