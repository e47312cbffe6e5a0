"""The resources of an export: every table of an organization, with the fields of the schema."""

from collections.abc import Collection, Sequence

from db.jobs.exporting.exported_rows import EXPORTED_TABLES, ExportedRows
from resolvers.lists.flat_rows import flat_rows
from schema.execution.row_fields import row_fields
from schema.schema import GRAPHQL_SCHEMA


def exported_resources(names: Collection[str] = ()) -> Sequence[ExportedRows]:
    """The resources with these names; all without names. Raises ValueError for a name that none has."""
    known = {table.name: table for table in EXPORTED_TABLES}
    for name in names:
        if name not in known:
            raise ValueError(f"{name!r} is none of {', '.join(sorted(known))}")
    fields = row_fields(GRAPHQL_SCHEMA)
    return [flat_rows(table, fields.get(table, {})) for name, table in known.items() if not names or name in names]
