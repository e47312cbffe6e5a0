"""Rows that a command prints: lines of columns for people, or with `--json` one array for programs."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Annotated, Any, NamedTuple

import orjson
import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print the rows as a JSON array, for programs.")]


class PrintedRow(NamedTuple):
    """A row: its values by name, and its columns as text."""

    values: Mapping[str, Any]
    columns: Sequence[object]


def print_rows(rows: Iterable[PrintedRow], *, as_json: bool) -> None:
    """Print the rows to standard output; times are in UTC."""
    if as_json:
        content = [{name: _in_utc(value) for name, value in row.values.items()} for row in rows]
        typer.echo(orjson.dumps(content, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z).decode())
        return
    for row in rows:
        typer.echo("\t".join(map(str, row.columns)))


def print_note(text: str, *, as_json: bool) -> None:
    """Print a sentence beside the rows: with `--json` to standard error, so that the output is JSON alone."""
    typer.echo(text, err=as_json)


def _in_utc(value: Any) -> Any:
    return value.astimezone(UTC) if isinstance(value, datetime) else value
