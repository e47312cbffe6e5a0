"""`orgdata keys`: create, list, rotate and revoke API keys and internal tokens."""

import re
import sys
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any
from uuid import UUID

import typer

from db.admin import keys as stored_keys
from db.admin.keys import AccessError, Grant
from db.values.purpose import Purpose
from rest_facade.access.scope_families import FAMILIES
from rest_facade.commands.options import OrganizationFilter
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_rows

app = typer.Typer(no_args_is_help=True, help="Create, list, rotate and revoke keys.")

PUBLIC_ID_PATTERN = re.compile(r"[0-9A-Za-z]{8}", re.ASCII)

MAX_LIFETIME_DAYS = 36_500
"""A century: larger numbers would overflow the calendar."""

MAX_OVERLAP_HOURS = 24 * 30
"""Hours for which an old key may work beside its successor."""

PublicId = Annotated[str, typer.Argument(help="Public id of the key, from `orgdata keys list`.")]


@app.command("create")
def create_key(
    purpose: Annotated[
        Purpose,
        typer.Option(help="partner: all scopes. mcp: the scopes given. internal: the GraphQL of internal teams."),
    ],
    organization: Annotated[
        list[UUID] | None,
        typer.Option(help="Id of the organization. An internal token takes several, or none for all organizations."),
    ] = None,
    scope: Annotated[
        list[str] | None, typer.Option(help="A scope of an mcp key, such as members:read. May be repeated.")
    ] = None,
    label: Annotated[str, typer.Option(help="A note: who uses the key, or the team of an internal token.")] = "",
    days: Annotated[
        int | None,
        typer.Option(help="Days until the key expires. Internal tokens: 90 by default.", min=1, max=MAX_LIFETIME_DAYS),
    ] = None,
    trusted_documents_only: Annotated[
        bool,
        typer.Option(
            "--trusted-documents-only",
            help="An internal token that may ask only for the documents of its team, from `orgdata documents add`.",
        ),
    ] = False,
) -> None:
    """Create a key and print it. It is not shown again."""
    organizations = organization or []
    valid_scopes = {f"{family}:read" for family in FAMILIES}
    unknown = sorted(set(scope or ()) - valid_scopes)
    if unknown:
        raise AccessError(f"{unknown[0]} is not a scope. Scopes are <family>:read with {', '.join(sorted(FAMILIES))}.")
    if purpose is Purpose.mcp and not scope:
        raise AccessError("An mcp key reads what its scopes name: give at least one, such as --scope members:read.")
    internal = purpose is Purpose.internal
    if not internal and len(organizations) > 1:
        raise AccessError(f"A {purpose} key belongs to one organization, not to {len(organizations)}.")
    if days is None and internal:
        days = stored_keys.MAX_INTERNAL_LIFETIME.days
    grant = Grant(
        purpose,
        organization_id=organizations[0] if organizations and not internal else None,
        organization_ids=organization if internal else None,
        scopes=scope,
        label=label,
        expires_at=None if days is None else datetime.now(UTC) + timedelta(days=days),
        trusted_documents_only=trusted_documents_only,
    )
    with owner_engine().begin() as connection:
        # Those of an internal token are a list, which no foreign key checks.
        for each in organizations:
            stored_keys.set_organization(connection, each)
        _print_key(stored_keys.create_key(connection, grant))


@app.command("list")
def list_keys(organization: OrganizationFilter = None, *, as_json: AsJson = False) -> None:
    """List keys by public id: purpose, organizations, scopes, state, expiry, label. Secrets are not stored."""
    with owner_engine().begin() as connection:
        print_rows(map(_printed, stored_keys.list_keys(connection, organization)), as_json=as_json)


@app.command("rotate")
def rotate_key(
    public_id: PublicId,
    overlap: Annotated[
        int, typer.Option(min=0, max=MAX_OVERLAP_HOURS, help="Hours for which the old key still works.")
    ] = 0,
) -> None:
    """Create a key with the same rights, print it, and revoke the old one, or let it expire after the overlap."""
    with owner_engine().begin() as connection:
        _print_key(stored_keys.rotate_key(connection, _checked(public_id), overlap=timedelta(hours=overlap)))


@app.command("revoke")
def revoke_key(public_id: PublicId) -> None:
    """Revoke a key. Running services may accept it for two more minutes, until their caches expire."""
    with owner_engine().begin() as connection:
        stored_keys.revoke_key(connection, _checked(public_id))


def _print_key(key: str) -> None:
    """Print a key, before its transaction is committed. Raises AccessError where that would lose it."""
    if sys.stdout is None:
        raise AccessError("Standard output is closed, and nothing else shows the key: nothing was changed.")
    typer.echo(key)


def _printed(key: Any) -> PrintedRow:
    organizations = [key.organization_id] if key.organization_id else key.organization_ids
    values = {
        "public_id": key.public_id,
        "purpose": key.purpose,
        "organization_ids": organizations,
        "scopes": key.scopes,
        "trusted_documents_only": key.trusted_documents_only,
        "state": _state(key.revoked_at, key.expires_at).split()[0],
        **{name: getattr(key, name) for name in ("expires_at", "revoked_at", "label")},
    }
    columns = (
        key.public_id,
        key.purpose,
        "all organizations" if organizations is None else ",".join(map(str, organizations)) or "no organization",
        _scopes(key),
        _state(key.revoked_at, key.expires_at),
        f"expires {key.expires_at.astimezone(UTC):%Y-%m-%d}" if key.expires_at else "no expiry",
        key.label,
    )
    return PrintedRow(values, columns)


def _state(revoked_at: datetime | None, expires_at: datetime | None) -> str:
    """`revoked` with its moment in UTC, `expired` or `live`. The times are in the zone of the database session."""
    if revoked_at is not None:
        return f"revoked {revoked_at.astimezone(UTC):%Y-%m-%d %H:%M}Z"
    return "expired" if expires_at is not None and expires_at <= datetime.now(UTC) else "live"


def _scopes(key: Any) -> str:
    """What a key may ask for, in the list of keys."""
    if key.trusted_documents_only:
        return "trusted documents only"
    return ",".join(key.scopes) if key.scopes is not None else "all scopes"


def _checked(public_id: str) -> str:
    """The public id, checked, so that no error message repeats a whole key. Raises AccessError."""
    if not PUBLIC_ID_PATTERN.fullmatch(public_id):
        raise AccessError("A public id has 8 letters or digits; `orgdata keys list` shows them.")
    return public_id
