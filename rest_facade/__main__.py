"""The command `orgdata`: its subcommands, and the errors that end in one sentence instead of a traceback.

The module of a command is imported when the command runs: the whole service takes seconds to load, and `orgdata keys
list` does not need it.
"""

import ast
import os
import sys
from collections.abc import Mapping
from difflib import get_close_matches
from errno import ENOSPC
from importlib import import_module
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_group

from db.errors import OperatorError

COMMANDS: Mapping[str, str] = {
    "demo": "demo:demo",
    "serve": "serve:serve",
    "mcp": "mcp.stdio:serve_mcp",
    "migrate": "database:migrate",
    "distribute": "database:distribute",
    "doctor": "doctor:doctor",
    "retain": "retention.retain:retain",
    "import": "imports.import_rows:import_rows",
    "export": "exports.export_rows:export_rows",
    "report": "report:report",
    "erase": "retention.erase:erase",
    "openapi": "docs:print_openapi",
    "docs": "docs:write_docs",
    "graphql-schema": "docs:print_graphql_schema",
    "explain": "graphql.explain:explain",
    "seed": "database:seed",
    "organizations": "organizations:app",
    "keys": "keys:app",
    "quotas": "quotas:app",
    "documents": "graphql.documents:app",
}
"""The subcommands in the order of the help: the module in `rest_facade.commands`, and the function or the group of
subcommands in it."""


class LazyGroup(TyperGroup):
    """A lazy group of subcommands: it imports the module of one of COMMANDS when that runs."""

    def list_commands(self, ctx: Any) -> list[str]:
        """The names of all subcommands, in the order of the help."""
        return list(COMMANDS)

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """The subcommand of a name; None if there is none."""
        if cmd_name not in COMMANDS:
            return None
        module, name = COMMANDS[cmd_name].split(":")
        declared = getattr(import_module(f"rest_facade.commands.{module}"), name)
        group = typer.Typer(rich_markup_mode=None)
        if isinstance(declared, typer.Typer):
            group.add_typer(declared, name=cmd_name)
        else:
            group.command(cmd_name)(declared)
        return get_group(group).get_command(ctx, cmd_name)

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The subcommand that the arguments begin with. Fails with the nearest name for a misspelt one."""
        nearest = get_close_matches(args[0], COMMANDS, 1)
        if nearest and args[0] not in COMMANDS:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {nearest[0]!r}?")
        return super().resolve_command(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the help, with a summary of each subcommand: none is imported for it."""
        listed = [TyperCommand(name, short_help=_summary(path)) for name, path in COMMANDS.items()]
        group = TyperGroup(name=self.name, commands=listed, help=self.help, params=self.params, rich_markup_mode=None)
        group.format_help(ctx, formatter)


def _summary(path: str) -> str:
    """The first paragraph of the help of a subcommand, from the source of its module."""
    module, name = path.split(":")
    source = Path(__file__).parent.joinpath("commands", *module.split(".")).with_suffix(".py").read_text("utf-8")
    for node in ast.parse(source).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return str(ast.get_docstring(node)).partition("\n\n")[0].replace("\n", " ")
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call) and ast.unparse(node.targets[0]) == name:
            return str(next(ast.literal_eval(each.value) for each in node.value.keywords if each.arg == "help"))
    raise LookupError(path)


DATABASE_ERRORS = {"psycopg": "Error", "sqlalchemy.exc": "SQLAlchemyError"}
"""The base classes of database errors by module. Not imported here: a command without a database does without them."""

app = typer.Typer(
    cls=LazyGroup,
    # Plain text: scripts find an error in one line, and a flag has no `<bool>`.
    rich_markup_mode=None,
    no_args_is_help=True,
    help="Read-only workforce data over REST and GraphQL.",
)

STANDARD_ERROR = 2
"""The highest number of the standard streams."""

REMEDIES = {
    None: " Check ORGDATA_DATABASE_URL, and whether the server runs and has free connections.",
    "42P01": " Run `orgdata migrate` first; where it ran, `orgdata doctor`.",
    "25006": " Use the address of the primary; RESET default_transaction_read_only of the role and the database.",
    "42501": " Use the address of the tables' owner.",
}
"""What to do about a database error, by its SQLSTATE; a failed connection has none."""


def main() -> None:
    """Run the command. An expected error ends with one sentence on standard error and exit code 1."""
    _open_standard_streams()
    try:
        app(obj=_configure_log)
    except OperatorError as error:
        sys.exit(f"orgdata: {error}")
    except OSError as error:
        if error.errno == ENOSPC:
            sys.exit("orgdata: The output is not complete: no space is left on the device that it is written to.")
        place = "" if error.filename is None else f"{error.filename}: "
        sys.exit(f"orgdata: The system refused: {place}{error.strerror or error}.")
    except Exception as error:
        if not _is_database_error(error):
            raise
        cause: Any = getattr(error, "orig", None) or error
        reason = str(cause).strip().splitlines()[0].removesuffix(".")
        sys.exit(f"orgdata: The database refused: {reason}.{REMEDIES.get(getattr(cause, 'sqlstate', None), '')}")


def _open_standard_streams() -> None:
    """Open the standard streams that are closed. Else a connection would get the number of one, and what it is sent."""
    while (number := os.open(os.devnull, os.O_RDWR)) <= STANDARD_ERROR:
        pass
    os.close(number)
    sys.stderr = sys.stderr or os.fdopen(STANDARD_ERROR, "w")


def _configure_log() -> None:
    from rest_facade.telemetry import logging as log

    log.configure()


def _is_database_error(error: Exception) -> bool:
    loaded = [(sys.modules[module], name) for module, name in DATABASE_ERRORS.items() if module in sys.modules]
    return any(isinstance(error, getattr(module, name)) for module, name in loaded)


@app.callback(invoke_without_command=True)
def options(
    context: typer.Context,
    *,
    show_version: Annotated[bool, typer.Option("--version", help="Print the version and exit.")] = False,
) -> None:
    if show_version:
        from db.admin.revisions import newest_revision
        from rest_facade.version import service_version

        typer.echo(f"orgdata {service_version()} (needs the tables of revision {newest_revision()})")
        raise typer.Exit
    if context.obj is not None:
        context.obj()


if __name__ == "__main__":
    main()
