"""What the database itself says of a table: types, required columns, defaults and CHECK constraints."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, text


@dataclass(frozen=True)
class CatalogColumn:
    type: str
    is_required: bool
    default: str | None


@dataclass(frozen=True)
class CatalogCheck:
    name: str
    condition: str
    columns: Sequence[str]


@dataclass(frozen=True)
class CatalogTable:
    columns: Mapping[str, CatalogColumn]
    checks: Sequence[CatalogCheck]


COLUMNS = """
SELECT attname, format_type(atttypid, atttypmod) AS type, attnotnull, pg_get_expr(adbin, adrelid) AS default
FROM pg_attribute LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE attrelid = to_regclass(:table) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""

CHECK_CONSTRAINTS = """
SELECT conname, pg_get_expr(conbin, conrelid) AS condition,
       ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey) ORDER BY attnum)
         AS columns
FROM pg_constraint WHERE contype = 'c' AND conrelid = to_regclass(:table) ORDER BY conname
"""


def read_catalog(connection: Connection, table: str) -> CatalogTable:
    """The columns and the CHECK constraints of a table of the schema `public`."""
    name = {"table": f"public.{table}"}
    columns = {
        row.attname: CatalogColumn(row.type, row.attnotnull, row.default)
        for row in connection.execute(text(COLUMNS), name)
    }
    checks = [CatalogCheck(*row) for row in connection.execute(text(CHECK_CONSTRAINTS), name)]
    return CatalogTable(columns, checks)
