"""`orgdata documents`: add, list, check and remove the trusted documents of teams."""

import json
from collections.abc import Sequence
from datetime import UTC
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from db.admin.graphql import trusted_documents
from db.errors import OperatorError
from rest_facade.commands.owner import owner_engine
from rest_facade.commands.printed_rows import AsJson, PrintedRow, print_note, print_rows
from schema.documents.document_id import is_document_id

if TYPE_CHECKING:
    from schema.documents.document_file import NamedOperation

app = typer.Typer(no_args_is_help=True, help="Add, list, check and remove the GraphQL documents of teams.")

Files = Annotated[
    list[Path], typer.Argument(help="GraphQL files; each has its fragments.", exists=True, dir_okay=False)
]
TeamOption = Annotated[str, typer.Option(help="The team: the label of its internal tokens.")]
TeamFilter = Annotated[str | None, typer.Option("--team", help="Only of this team.")]
DocumentIds = Annotated[list[str], typer.Argument(help="Ids of documents, from `orgdata documents list`.")]


@app.command("add")
def add_documents(
    files: Files,
    team: TeamOption,
    as_json: Annotated[bool, typer.Option("--json", help="Print a manifest for clients: ids by name.")] = False,
) -> None:
    """Add the operations of files to a team, all or none, and print their ids.

    Each operation is checked like a call, and stored with the fragments that it uses. Running services answer a new
    document at once, or within ten seconds if a client asked for its id before.
    """
    operations = _operations(files)
    documents = [{"document_id": each.id, "operation_name": each.name, "document": each.text} for each in operations]
    with owner_engine().begin() as connection:
        added = trusted_documents.add_documents(connection, team, documents)
        has_token = trusted_documents.has_live_token(connection, team)
    if as_json:
        typer.echo(json.dumps({each.name: each.id for each in operations}, indent=2, ensure_ascii=False))
    else:
        for each in operations:
            typer.echo("\t".join(("new" if each.id in added else "known", each.id, each.name)))
    if not has_token:
        typer.echo(f"orgdata: No live token has the label {team}, so that no client can ask for them yet.", err=True)


@app.command("list")
def list_documents(team: TeamFilter = None, *, as_json: AsJson = False) -> None:
    """List documents by team and name: id, team, name, time of addition, and whether the schema still allows it."""
    with owner_engine().begin() as connection:
        rows = [
            _printed(
                row,
                f"added {row.created_at.astimezone(UTC):%Y-%m-%d %H:%M}Z",
                state := "invalid" if _problems(row.document) else "valid",
                created_at=row.created_at,
                state=state,
            )
            for row in trusted_documents.list_documents(connection, team)
        ]
    print_rows(rows, as_json=as_json)


@app.command("check")
def check_documents(team: TeamFilter = None, *, as_json: AsJson = False) -> None:
    """Check all documents against the schema and the limits of this version; exit with 1 if one is not valid."""
    with owner_engine().begin() as connection:
        rows = trusted_documents.list_documents(connection, team)
    invalid = [(row, problems) for row in rows if (problems := _problems(row.document))]
    printed = [_printed(row, problem, problem=problem) for row, problems in invalid for problem in problems]
    print_rows(printed, as_json=as_json)
    if invalid:
        raise OperatorError(f"{len(invalid)} of {len(rows)} documents are not valid: calls for them get these errors.")
    print_note(f"{len(rows)} documents are valid.", as_json=as_json)


@app.command("remove")
def remove_documents(ids: DocumentIds, team: TeamFilter = None, *, as_json: AsJson = False) -> None:
    """Remove documents, all or none, and print them. Running services may answer them for two more minutes."""
    malformed = next((each for each in ids if not is_document_id(each)), None)
    if malformed is not None:
        raise OperatorError(f"{malformed} is not an id: ids are sha256: and 64 hexadecimal digits in lower case.")
    with owner_engine().begin() as connection:
        removed = trusted_documents.remove_documents(connection, ids, team)
    print_rows(map(_printed, removed), as_json=as_json)


def _printed(row: Any, *columns: object, **values: object) -> PrintedRow:
    """A stored document, with further columns and values."""
    own = {"document_id": row.document_id, "team": row.team, "operation_name": row.operation_name}
    return PrintedRow({**own, **values}, (*own.values(), *columns))


def _operations(files: Sequence[Path]) -> "list[NamedOperation]":
    """The operations of all files. Raises OperatorError with all problems of all files."""
    from schema.documents.document_file import InvalidFile, operations_of

    problems: list[str] = []
    files_by_name: dict[str, Path] = {}
    operations: list[NamedOperation] = []
    for file in files:
        try:
            found = operations_of(file.read_text("utf-8-sig"))
        except UnicodeDecodeError:
            problems.append(f"{file}: The file is not UTF-8 text.")
            continue
        except InvalidFile as error:
            problems += (f"{file}:{problem}" for problem in error.problems)
            continue
        for operation in found:
            first = files_by_name.setdefault(operation.name, file)
            if first is not file:
                problems.append(f"{file}: {first} has an operation {operation.name}, too; ids are listed by name.")
        operations += found
    if problems:
        raise OperatorError("\n".join(["Nothing was added.", *problems]))
    return operations


def _problems(text: str) -> list[str]:
    """What is wrong with a stored document; empty if it is valid."""
    from schema.documents.document_file import InvalidFile, operations_of

    try:
        operations_of(text)
    except InvalidFile as error:
        return [problem.message for problem in error.problems]
    return []
