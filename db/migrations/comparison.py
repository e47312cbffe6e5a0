"""What Alembic compares between the declared tables and a database, to draft a migration."""

from typing import Any

from sqlalchemy import Column, Index


def is_compared(item: Any, name: str | None, kind: str, is_reflected: bool, counterpart: Any) -> bool:
    """Whether an item is compared with its counterpart, which is None if there is none.

    Alembic reads neither the collation of a column in an index nor the lines of a CASE, and would draft each index with
    an expression again. Whether these indexes are as declared is tested in `tests/db/admin/test_migrate.py`.
    """
    return counterpart is None or not (isinstance(item, Index) and has_expressions(item))


def has_expressions(index: Index) -> bool:
    """Whether an index has more than columns."""
    return any(not isinstance(expression, Column) for expression in index.expressions)
