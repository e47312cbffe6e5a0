"""The command `orgdata`: its subcommands, and the errors that end in one sentence instead of a traceback.

A command imports what it needs inside its function: the whole service takes seconds to load, and `orgdata keys list`
does not need it.
"""

import sys
from collections.abc import Mapping
from importlib import import_module
from importlib.metadata import version
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_group

from db.admin.errors import OperatorError
from rest_facade.telemetry import logging as log

COMMANDS: Mapping[str, str] = {
    "demo": "demo:demo",
    "serve": "serve:serve",
    "mcp": "mcp:serve_mcp",
    "migrate": "migrate:migrate",
    "distribute": "database.distribute:distribute",
    "doctor": "doctor:doctor",
    "retain": "retention.retain:retain",
    "import": "imports.import_rows:import_rows",
    "export": "exports.export_rows:export_rows",
    "erase": "retention.erase:erase",
    "openapi": "openapi:print_openapi",
    "graphql-schema": "graphql_schema:print_graphql_schema",
    "seed": "seed:seed",
    "organizations": "organizations:app",
    "keys": "keys:app",
    "quotas": "quotas:app",
    "documents": "graphql.documents:app",
}
"""Each subcommand, with its module in `rest_facade.commands` and the function or the group of subcommands in it."""


class LazyGroup(TyperGroup):
    """A lazy group of subcommands: it imports the module of one of COMMANDS when that runs, or the help shows it."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all subcommands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The subcommand of a name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        declared = getattr(import_module(f"rest_facade.commands.{module}"), name)
        group = typer.Typer()
        if isinstance(declared, typer.Typer):
            group.add_typer(declared, name=cmd_name)
        else:
            group.command(cmd_name)(declared)
        return get_group(group).get_command(ctx, cmd_name)


DATABASE_ERRORS = {"psycopg": "Error", "sqlalchemy.exc": "SQLAlchemyError"}
"""The base classes of database errors by module. Not imported here: a command without a database does without them."""

app = typer.Typer(
    cls=LazyGroup, no_args_is_help=True, add_completion=False, help="Read-only workforce data over REST and GraphQL."
)


def main() -> None:
    """Run the command. An expected error ends with one sentence on standard error and exit code 1."""
    log.configure()
    try:
        app()
    except OperatorError as error:
        sys.exit(f"orgdata: {error}")
    except Exception as error:
        if not _is_database_error(error):
            raise
        reason = str(getattr(error, "orig", None) or error).strip().splitlines()[0]
        sys.exit(f"orgdata: The database refused: {reason}")


def _is_database_error(error: Exception) -> bool:
    loaded = [(sys.modules[module], name) for module, name in DATABASE_ERRORS.items() if module in sys.modules]
    return any(isinstance(error, getattr(module, name)) for module, name in loaded)


@app.callback(invoke_without_command=True)
def options(
    *, show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False
) -> None:
    if show_version:
        typer.echo(f"orgdata {version('orgdata-service')}")
        raise typer.Exit


if __name__ == "__main__":
    main()
