"""Existing rows that break a rule that a migration adds: they stop it, with a sentence that names them."""

from collections.abc import Iterable
from typing import NamedTuple

from alembic import op
from sqlalchemy import inspect, text

from db.admin.errors import MigrationError

NAMED = 5
"""Rows of a rule that the sentence names."""


class Rule(NamedTuple):
    """What rows of `table` must meet: `broken` is the SQL condition of others, `columns` are shown."""

    table: str
    columns: str
    broken: str
    sentence: str


def require(rules: Iterable[Rule]) -> None:
    """Raise MigrationError if rows break a rule; row-level security must show all rows (`all_organizations`)."""
    problems = [problem for rule in rules for problem in _problems(rule)]
    if problems:
        raise MigrationError(
            f"Rows break rules that the database now has. {' '.join(problems)} Correct them (SET app.organization_id ="
            " 'ID' before), then run orgdata migrate again. Nothing was changed."
        )


def _problems(rule: Rule) -> list[str]:
    connection = op.get_bind()
    key = inspect(connection).get_pk_constraint(rule.table)["constrained_columns"]
    shown = dict.fromkeys([*key, *rule.columns.split(", ")])
    found = connection.execute(
        text(
            f"SELECT {', '.join(shown)}, count(*) OVER () AS total FROM {rule.table} WHERE {rule.broken}"
            f" ORDER BY {', '.join(key)} LIMIT {NAMED}"
        )
    ).all()
    if not found:
        return []
    rows = "; ".join(", ".join(f"{name} {getattr(row, name)}" for name in shown) for row in found)
    more = found[0].total - len(found)
    return [f"{rule.table}: {rule.sentence}, unlike in {rows}{f' and {more} more' if more else ''}."]
