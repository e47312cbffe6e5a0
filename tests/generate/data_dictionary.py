"""The data dictionary in `docs/`, written from the declared tables. `make generated` calls it."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import ModuleType

from sqlalchemy import Column, ForeignKeyConstraint, Table
from sqlalchemy.dialects import postgresql

from db.tables import activity, keys, leaves, money, payroll, people, reference, timesheets, work
from db.tables.columns import metadata

FOLDER = Path(__file__).parents[2] / "docs"

FIRST = "data.md"
PAGES: Mapping[str, tuple[ModuleType, ...]] = {
    FIRST: (reference, keys),
    "data-people.md": (people, leaves),
    "data-work.md": (work, timesheets),
    "data-activity.md": (activity,),
    "data-money.md": (money, payroll),
}
"""The areas of each page."""

HEAD = "| column | type | |\n|---|---|---|"

COMMON = ("organization_id", "created_at", "updated_at", "deleted_at")
"""Columns that all tables of organizations have; the dictionary explains them once."""

INTRODUCTION = """\
# Data dictionary

Every table and column. The database explains them, too (`\\d+ timesheets` in psql). [data-people.md](data-people.md),
[data-work.md](data-work.md), [data-activity.md](data-activity.md) and [data-money.md](data-money.md) have the tables of
each area; [feeding.md](feeding.md) says how to write rows. These pages are generated: write comments into the
declarations in `db/tables/`, run `make generated`, and `orgdata migrate` puts them into databases.

- Times are `timestamptz`: instants, which the API shows in UTC. Times of events have whole seconds. Intervals are
  half-open: they include their start and not their end. Dates are calendar dates without a time zone.
- Durations are whole seconds. Amounts of money have four decimals, in the currency of their row.
- Ids are UUIDs; version 7 keeps indexes compact. A row can reference rows of its own organization only: every key and
  foreign key starts with `organization_id`.
- **Bold** columns are required and have no default.

## Entities

A table is under the table that its rows cannot be without; arrows lead to others that its rows may reference.

```text
"""


CONTINUED = """\
[data.md](data.md) says how all tables are related, and which columns every table has. **Bold** columns are required and
have no default.

"""


def pages() -> dict[str, str]:
    """The pages by file name."""
    return {name: _page(name, areas) for name, areas in PAGES.items()}


def main() -> None:
    for name, text in pages().items():
        (FOLDER / name).write_text(text)


def _page(name: str, areas: tuple[ModuleType, ...]) -> str:
    if name == FIRST:
        parts = [INTRODUCTION, "\n".join(_tree()), "\n```\n\n", _common()]
    else:
        titles = [_title(area) for area in areas]
        parts = [f"# Data: {' and '.join(title.lower() for title in titles)}\n\n", CONTINUED]
    for area in areas:
        tables = [table for table in metadata.sorted_tables if any(value is table for value in vars(area).values())]
        parts += [f"## {_title(area)}\n\n", *map(_section, tables)]
    return "".join(parts).rstrip("\n") + "\n"


def _title(area: ModuleType) -> str:
    return area.__name__.rpartition(".")[2].capitalize()


def _references(table: Table) -> dict[str, Table]:
    """The tables that columns reference, without the organization's."""
    keys = (each for each in table.constraints if isinstance(each, ForeignKeyConstraint))
    found = {key.column_keys[-1]: key.referred_table for key in keys}
    return {column.name: found[column.name] for column in table.columns if column.name in found}


def _parent(table: Table) -> Table | None:
    """The table of the first required reference, which may be that of the organization."""
    references = _references(table)
    own = references.pop("organization_id", None)
    needed = (target for name, target in references.items() if not table.c[name].nullable and target is not table)
    first = next((target for target in needed if target.info.get("tenant")), None)
    return first if first is not None else own


def _tree(parent: Table | None = None, indent: str = "") -> Iterator[str]:
    """The tables below `parent`, a line each."""
    tables = [table for table in metadata.sorted_tables if _parent(table) is parent]
    for table in tables:
        is_last = table is tables[-1]
        branch = "" if parent is None else "└── " if is_last else "├── "
        others = {target.name for target in _references(table).values()} - {parent.name if parent is not None else ""}
        others.discard("organizations")
        yield f"{indent}{branch}{table.name}{' -> ' + ', '.join(sorted(others)) if others else ''}"
        yield from _tree(table, indent + ("" if parent is None else "    " if is_last else "│   "))


def _common() -> str:
    example = metadata.tables["members"]
    rows = "\n".join(f"| `{name}` | {_type(example.c[name])} | {example.c[name].comment} |" for name in COMMON)
    return f"## Common columns\n\nEvery table of an organization has them.\n\n{HEAD}\n{rows}\n\n"


def _section(table: Table) -> str:
    lines = [f"### {table.name}", "", str(table.comment), "", HEAD]
    hidden = COMMON if table.info.get("tenant") and "updated_at" in table.c else ()
    lines += [_row(table, column) for column in table.columns if column.name not in hidden]
    return "\n".join([*lines, "", ""])


def _row(table: Table, column: Column[object]) -> str:
    needed = not column.nullable and column.server_default is None
    name = f"**`{column.name}`**" if needed else f"`{column.name}`"
    parts = [str(column.comment)]
    if "values" in column.info:
        parts.append(f"One of {', '.join(f'`{value.value}`' for value in column.info['values'])}.")
    target = _references(table).get(column.name)
    if target is not None:
        parts.append(f"References `{target.name}`.")
    return f"| {name} | {_type(column)} | {' '.join(parts)} |"


def _type(column: Column[object]) -> str:
    kind = str(column.type.compile(postgresql.dialect())).lower()  # type: ignore[no-untyped-call]
    kind = kind.replace(" with time zone", "").replace("timestamp", "timestamptz")
    return f"{kind}, null" if column.nullable else kind
