"""The command `orgdata`: its subcommands, and the errors that end in one sentence instead of a traceback.

A command imports what it needs inside its function: the whole service takes seconds to load, and `orgdata keys list`
does not need it.
"""

import sys
from importlib.metadata import version
from typing import Annotated

import typer
from psycopg import Error as DatabaseError
from sqlalchemy.exc import SQLAlchemyError

from db.admin.errors import MigrationError, RoleError
from db.admin.keys import AccessError
from db.embedded.server import ServerError
from rest_facade.commands import keys, organizations, quotas
from rest_facade.commands.demo import demo
from rest_facade.commands.doctor import doctor
from rest_facade.commands.exports.export_rows import export_rows
from rest_facade.commands.graphql_schema import print_graphql_schema
from rest_facade.commands.imports.import_rows import import_rows
from rest_facade.commands.mcp import serve_mcp
from rest_facade.commands.migrate import migrate
from rest_facade.commands.openapi import print_openapi
from rest_facade.commands.seed import seed
from rest_facade.commands.serve import serve
from rest_facade.mcp.extra import ExtraMissing
from rest_facade.server.sockets import StartError
from rest_facade.settings import SettingsError
from rest_facade.telemetry import logging as log

EXPECTED = (StartError, ServerError, SettingsError, AccessError, RoleError, MigrationError, ExtraMissing)
"""Errors whose text is a sentence for the operator."""

app = typer.Typer(no_args_is_help=True, add_completion=False, help="Read-only workforce data over REST and GraphQL.")
app.command("demo")(demo)
app.command("serve")(serve)
app.command("mcp")(serve_mcp)
app.command("migrate")(migrate)
app.command("doctor")(doctor)
app.command("import")(import_rows)
app.command("export")(export_rows)
app.command("openapi")(print_openapi)
app.command("graphql-schema")(print_graphql_schema)
app.command("seed")(seed)
app.add_typer(organizations.app, name="organizations", help="Create, list, show, suspend and resume organizations.")
app.add_typer(keys.app, name="keys", help="Create, list, rotate and revoke keys.")
app.add_typer(quotas.app, name="quotas", help="Set, list and clear request limits of organizations.")


def main() -> None:
    """Run the command. An expected error ends with one sentence on standard error and exit code 1."""
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
    *, show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False
) -> None:
    if show_version:
        typer.echo(f"orgdata {version('orgdata-service')}")
        raise typer.Exit


if __name__ == "__main__":
    main()
