"""The tables as they are declared, which a database should have."""

from collections.abc import Mapping

from sqlalchemy import Table

from db.tables.areas import AREAS
from db.tables.columns import metadata

assert AREAS, "all tables are declared"

DECLARED_TABLES: Mapping[str, Table] = dict(sorted(metadata.tables.items()))
"""Tables by name."""
