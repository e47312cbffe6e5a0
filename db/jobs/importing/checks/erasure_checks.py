"""Check of erased people: an import does not bring back what `orgdata erase` replaced."""

from collections.abc import Iterator

from sqlalchemy import Connection

from db.jobs.importing.checks.problems_sql import Refusal
from db.jobs.importing.staging import StagedTable
from db.jobs.importing.statements import ORGANIZATION, run
from db.tables.columns import Erasure

ERASED = f"SELECT e.user_id FROM erasures e WHERE e.organization_id = {ORGANIZATION}"

REASON = "is of a person whose data was erased: leave it out"


def erasure_checks(connection: Connection, table: StagedTable) -> Iterator[Refusal]:
    """Rows that give an erased person a value which an erasure replaces. It is seldom that there are any."""
    by_people: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for column in table.spec.table.columns:
        erasure: Erasure | None = column.info.get("erasure")
        if erasure is not None and erasure.of and erasure.value is not None:
            by_people.setdefault(erasure.of, []).append((column.name, str(erasure.value)))
    if not by_people or not run(connection, f"SELECT EXISTS ({ERASED})").scalar_one():
        return
    for people, replaced in by_people.items():
        is_erased = " OR ".join(f"r.{name} IN ({ERASED})" for name in people)
        differs = " OR ".join(f"r.{column} IS DISTINCT FROM {value}" for column, value in replaced)
        given = [column for column, _ in replaced if column in table.given]
        rows = f"SELECT r.row FROM {table.rows} r WHERE ({is_erased}) AND ({differs})"
        yield given[0] if given else people[0], REASON, rows
