"""What follows from written rows: deletion and restoration of what belongs to them, and the time tracked last.

Triggers delete and restore where the database has them; a distributed one has none (`db.admin.triggers`). The state is
the same in both. Writers of timesheets keep the time until which members tracked last; it does not change `updated_at`.
"""

from collections.abc import Iterable, Sequence

from sqlalchemy import Connection, Table

from db.jobs.importing.import_table import IMPORT_TABLES
from db.jobs.importing.merging.merge import CHANGED_AT
from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.statements import ORGANIZATION, quoted, run
from db.tables.belonging import BELONGINGS, Belonging, deletion_time
from db.tables.people import members
from db.tables.timesheets import break_times, timesheets

SET_LAST_TRACKED = f"""
UPDATE members m SET last_tracked_at = latest.at
FROM (SELECT u.user_id, max(coalesce(s.ended_at, s.tracked_until)) AS at
      FROM (SELECT DISTINCT user_id FROM import_tracked) u
      LEFT JOIN timesheets s ON s.organization_id = {ORGANIZATION} AND s.user_id = u.user_id AND s.deleted_at IS NULL
      GROUP BY u.user_id) latest
WHERE m.organization_id = {ORGANIZATION} AND m.user_id = latest.user_id AND m.last_tracked_at IS DISTINCT FROM latest.at
"""
"""Sets, after the merge, the time of the members that `note_tracked_users` has noted."""


def _following(tables: Iterable[Table]) -> Sequence[Belonging]:
    """What may have to be deleted or restored if rows of the tables are."""
    reached = set(tables)
    found: list[Belonging] = []
    while more := [each for each in BELONGINGS if each.parent in reached and each not in found]:
        found += more
        reached |= {each.child for each in more}
    return [each for each in BELONGINGS if each in found]


def concerned(tables: Iterable[Table]) -> Sequence[Table]:
    """The tables themselves, those that they reference, those that belong to them, and what counts tracked time."""
    own = set(tables)
    belongings = _following(own)
    found = own | {each.child for each in belongings}
    found |= {each.parent for each in BELONGINGS if each.child in found}
    found |= {key.referred_table for table in own for key in table.foreign_key_constraints}
    if timesheets in own:
        found |= {members, break_times}
    return sorted(found, key=lambda table: str(table.name))


class Cascades:
    """What follows from the deleted rows that an import restores, and from those that it deletes.

    To be made before the merge: the rows that it will restore are noted with the times at which they were deleted.
    """

    def __init__(self, connection: Connection, tables: Sequence[StagedTable]) -> None:
        self._connection = connection
        self._belongings = _following(table.spec.table for table in tables)
        run(connection, "CREATE TEMP TABLE import_restored (parent text, id uuid, at timestamptz) ON COMMIT DROP")
        parents = {belonging.parent for belonging in self._belongings}
        for table in tables:
            spec = table.spec
            if spec.table in parents:
                old, new = deletion_time(spec.table, "s"), deletion_time(spec.table, "r")
                # Who is invited again has a new membership, and does not get the old teams and projects back.
                same = " AND s.membership_id = r.membership_id" if spec.table is members else ""
                run(
                    connection,
                    f"INSERT INTO import_restored SELECT {quoted(spec.name)}, s.{spec.id}, {old}"
                    f" FROM {spec.name} s JOIN {table.rows} r ON r.{spec.id} = s.{spec.id}"
                    f" WHERE s.organization_id = {ORGANIZATION} AND {old} IS NOT NULL AND {new} IS NULL{same}",
                )

    def follow(self) -> None:
        """Restore and delete what belongs to the rows that were changed so far. To be called after each change."""
        for change in (_restore, _delete):
            for belonging in self._belongings:
                changed = change(self._connection, belonging)
                while changed and belonging.child is belonging.parent:
                    changed = change(self._connection, belonging)


def _restore(connection: Connection, belonging: Belonging) -> int:
    parent, child = IMPORT_TABLES[str(belonging.parent.name)], IMPORT_TABLES[str(belonging.child.name)]
    update = (
        f"UPDATE {child.name} s SET deleted_at = NULL, {CHANGED_AT} FROM {parent.name} p JOIN import_restored i"
        f" ON i.parent = {quoted(parent.name)} AND i.id = p.{parent.id}"
        f" WHERE p.organization_id = {ORGANIZATION} AND {belonging.condition('s', 'p')} AND s.deleted_at = i.at"
        f" AND {deletion_time(parent.table, 'p')} IS NULL"
    )
    if child.id:
        noted = f"SELECT {quoted(child.name)}, {child.id}, at FROM restored"
        update = f"WITH restored AS ({update} RETURNING s.{child.id}, i.at) INSERT INTO import_restored {noted}"
    return run(connection, update).rowcount


def _delete(connection: Connection, belonging: Belonging) -> int:
    parent, child = belonging.parent, belonging.child
    at = deletion_time(parent, "p")
    # The rows that this transaction changed.
    recent = "p.updated_at >= transaction_timestamp()"
    return run(
        connection,
        f"UPDATE {child.name} s SET deleted_at = {at}, {CHANGED_AT} FROM {parent.name} p"
        f" WHERE p.organization_id = {ORGANIZATION} AND {recent} AND {belonging.condition('s', 'p')}"
        f" AND {at} IS NOT NULL AND s.deleted_at IS NULL",
    ).rowcount


def note_tracked_users(connection: Connection, tables: Sequence[StagedTable]) -> None:
    """Note, before the merge, the members whose timesheets it will change."""
    run(connection, "CREATE TEMP TABLE import_tracked (user_id uuid) ON COMMIT DROP")
    for table in tables:
        if table.spec.table is timesheets:
            rows = table.rows
            old = f"SELECT user_id FROM timesheets s WHERE organization_id = {ORGANIZATION}"
            if not table.replace:
                old += f" AND EXISTS (SELECT FROM {rows} r WHERE r.is_stored AND r.id = s.id)"
            if table.deletes:
                old += f" UNION SELECT user_id FROM timesheets s WHERE {table.missing}"
            run(connection, f"INSERT INTO import_tracked SELECT DISTINCT user_id FROM {rows} UNION {old}")
