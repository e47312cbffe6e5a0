"""The command `orgdata`.

Each command loads what it needs when it runs: the whole service takes seconds, which nobody who lists keys should wait.
"""

import re
import sys
from contextlib import AbstractContextManager
from datetime import UTC, datetime, timedelta
from importlib.metadata import version
from pathlib import Path
from typing import Annotated
from uuid import UUID

import orjson
import typer
from psycopg import Error as DatabaseError
from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

import db.admin.keys
import db.admin.quotas
from db.admin.key_format import FAMILIES
from db.admin.keys import AccessError, Grant
from db.admin.migrate import connect, migrate
from db.admin.roles import RoleError
from db.embedded.server import ServerError
from db.tables.keys import Purpose
from rest_facade.mcp.extra import ExtraMissing
from rest_facade.server.sockets import StartError
from rest_facade.settings import Settings, SettingsError, load, require
from rest_facade.telemetry import logging as log

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Read-only workforce data over REST and GraphQL.")
keys = typer.Typer(no_args_is_help=True, help="Issue and withdraw keys.")
quotas = typer.Typer(no_args_is_help=True, help="Allow an organization more or fewer requests.")
app.add_typer(keys, name="keys")
app.add_typer(quotas, name="quotas")

EXPECTED = (StartError, ServerError, SettingsError, AccessError, RoleError, ExtraMissing)

PUBLIC_ID = re.compile(r"[0-9A-Za-z]{8}", re.ASCII)

LONGEST_DAYS = 36_500
"""A century: no key is meant to live longer."""

Organization = Annotated[UUID, typer.Option("--organization", help="Id of the organization.")]
AnyOrganization = Annotated[UUID | None, typer.Option("--organization", help="Only this organization.")]
PublicId = Annotated[str, typer.Argument(help="Public id of the key, as `orgdata keys list` shows it.")]
Port = Annotated[int | None, typer.Option(help="Port of the public listener.", min=0, max=65535)]
InternalPort = Annotated[int | None, typer.Option(help="Port of the internal listener.", min=0, max=65535)]


def main() -> None:
    """Run the command; what can be expected to go wrong ends in one sentence and exit code 1."""
    log.configure()
    try:
        app()
    except EXPECTED as error:
        sys.exit(f"orgdata: {error}")
    except (SQLAlchemyError, DatabaseError) as error:
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        sys.exit(f"orgdata: The database refused: {reason}")


@app.callback(invoke_without_command=True)
def options(
    *, show_version: Annotated[bool, typer.Option("--version", help="Print the version and stop.")] = False
) -> None:
    if show_version:
        typer.echo(f"orgdata {version('orgdata-service')}")
        raise typer.Exit


@app.command()
def demo(
    members: Annotated[int, typer.Option(help="Members of the demo organization.", min=1, max=500)] = 24,
    port: Port = None,
    internal_port: InternalPort = None,
    data: Annotated[Path, typer.Option(help="Folder of the database and the signing key.")] = Path(".orgdata"),
) -> None:
    """Serve two sample organizations from an embedded database."""
    from rest_facade.commands.demo import demo as serve_demo

    serve_demo(_settings(port, internal_port), members=members, folder=data)


@app.command()
def serve(
    port: Port = None,
    internal_port: InternalPort = None,
    workers: Annotated[int, typer.Option(help="Processes that serve.", min=1)] = 1,
) -> None:
    """Serve the database of ORGDATA_DATABASE_URL."""
    from rest_facade.commands.serve import serve as serve_database

    serve_database(_settings(port, internal_port), workers)


@app.command("mcp")
def serve_mcp() -> None:
    """Answer an MCP client over standard input and output, with the key of ORGDATA_MCP_KEY."""
    from rest_facade.mcp import command

    command.serve(load())


@app.command("migrate")
def migrate_database() -> None:
    """Bring the database to the tables of this version."""
    with _engine().connect() as connection:
        typer.echo(f"The database is at revision {migrate(connection)}.")


@app.command("openapi")
def print_openapi() -> None:
    """Print the OpenAPI 3.1 document."""
    from rest_facade.openapi.document import openapi
    from rest_facade.v1 import ENDPOINTS

    settings = load()
    base_url = settings.public_url or f"http://{settings.host}:{settings.port}"
    document = openapi(ENDPOINTS, base_url=base_url)
    typer.echo(orjson.dumps(document, option=orjson.OPT_INDENT_2))


@app.command("graphql-schema")
def print_graphql_schema() -> None:
    """Print the GraphQL schema."""
    from schema.schema import schema_text

    typer.echo(schema_text(), nl=False)


@app.command()
def seed(
    organizations: Annotated[int, typer.Option(help="How many organizations.", min=1)] = 1,
    members: Annotated[int, typer.Option(help="Members of each.", min=1)] = 1000,
    days: Annotated[int, typer.Option(help="Days of tracked time of each member.", min=0)] = 31,
) -> None:
    """Add large synthetic organizations, built inside the database, for benchmarks."""
    from db.seed.build import seed as build_seed

    with _owner() as connection:
        for organization_id in build_seed(connection, organizations=organizations, members=members, days=days):
            typer.echo(organization_id)


@keys.command("create")
def create_key(
    purpose: Annotated[Purpose, typer.Option(help="partner reads all, mcp its scopes, internal is for GraphQL.")],
    organization: Annotated[
        list[UUID] | None,
        typer.Option(help="Id of the organization; an internal token may name several, or none."),
    ] = None,
    scope: Annotated[list[str] | None, typer.Option(help="A scope of an MCP key, such as members:read.")] = None,
    label: Annotated[str, typer.Option(help="Whose key it is; the team, for an internal token.")] = "",
    days: Annotated[int | None, typer.Option(help="Days until it expires.", min=1, max=LONGEST_DAYS)] = None,
) -> None:
    """Issue a key and print it, this once."""
    given = organization or []
    known = {f"{family}:read" for family in FAMILIES}
    unknown = sorted(set(scope or []) - known)
    if unknown:
        raise AccessError(f"{unknown[0]} is not a scope. Scopes are <family>:read with {', '.join(sorted(FAMILIES))}.")
    internal = purpose is Purpose.internal
    if not internal and len(given) > 1:
        raise AccessError(f"A {purpose} key belongs to one organization, not to {len(given)}.")
    life = timedelta(days=days) if days is not None else (db.admin.keys.MAX_INTERNAL_LIFETIME if internal else None)
    grant = Grant(
        purpose,
        organization_id=given[0] if given and not internal else None,
        organization_ids=given if given and internal else None,
        scopes=(scope or []) if purpose is Purpose.mcp else scope,
        label=label,
        expires_at=datetime.now(UTC) + life if life is not None else None,
    )
    with _owner() as connection:
        typer.echo(db.admin.keys.create_key(connection, grant))


@keys.command("list")
def list_keys(organization: AnyOrganization = None) -> None:
    """List keys by their public ids; the keys themselves are not stored."""
    with _owner() as connection:
        for key in db.admin.keys.list_keys(connection, organization):
            ended = f"revoked {key.revoked_at:%Y-%m-%d %H:%M}Z" if key.revoked_at else "live"
            expires = f"expires {key.expires_at:%Y-%m-%d}" if key.expires_at else "no expiry"
            owners = key.organization_id or ",".join(map(str, key.organization_ids or [])) or "all organizations"
            scopes = ",".join(key.scopes) if key.scopes is not None else "all scopes"
            _row(key.public_id, key.purpose, owners, scopes, ended, expires, key.label)


@keys.command("rotate")
def rotate_key(public_id: PublicId) -> None:
    """Issue a key with the same rights, print it, and revoke the old one."""
    with _owner() as connection:
        typer.echo(db.admin.keys.rotate_key(connection, _public_id(public_id)))


@keys.command("revoke")
def revoke_key(public_id: PublicId) -> None:
    """Revoke a key. Caches may honour it for two minutes more."""
    with _owner() as connection:
        db.admin.keys.revoke_key(connection, _public_id(public_id))


@quotas.command("set")
def set_quota(
    organization: Organization,
    limit: Annotated[int, typer.Option(help="Requests per window.", min=1)],
    group: Annotated[str, typer.Option(help="Resource group, such as members; all others without it.")] = "",
) -> None:
    """Allow `limit` requests a window. Takes effect within two minutes."""
    with _owner() as connection:
        db.admin.quotas.set_quota(connection, organization, group, limit)


@quotas.command("list")
def list_quotas(organization: AnyOrganization = None) -> None:
    """List what differs from the default."""
    with _owner() as connection:
        for quota in db.admin.quotas.list_quotas(connection, organization):
            _row(quota.organization_id, quota.resource_group or "all other groups", quota.request_limit)


@quotas.command("clear")
def clear_quotas(
    organization: Organization,
    group: Annotated[str | None, typer.Option(help="Only this resource group.")] = None,
) -> None:
    """Return to the default."""
    with _owner() as connection:
        typer.echo(f"Removed {db.admin.quotas.clear_quotas(connection, organization, group)}.")


def _public_id(text: str) -> str:
    """The id as it was given. A whole key given in its place must not be repeated in a message."""
    if not PUBLIC_ID.fullmatch(text):
        raise AccessError("A public id has 8 letters or digits; `orgdata keys list` shows them.")
    return text


def _settings(port: int | None, internal_port: int | None) -> Settings:
    given = {"port": port, "internal_port": internal_port}
    return load({name: value for name, value in given.items() if value is not None})


def _engine() -> Engine:
    return connect(require(load(), "database_url").get_secret_value())


def _owner() -> AbstractContextManager[Connection]:
    """A transaction of the owner: committed at its end, rolled back on an error."""
    return _engine().begin()


def _row(*values: object) -> None:
    typer.echo("\t".join(map(str, values)))


if __name__ == "__main__":
    main()
