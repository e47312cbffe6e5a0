"""Checks of the rows, found for all of them at once and before they are written.

First of the texts: their form, and whether each row says which one it is. Then of the typed rows: what the table
requires of them.
"""

from collections.abc import Iterator, Mapping

from sqlalchemy import Connection, text

from db.jobs.importing.import_table import EXTERNAL_ID, ImportTable, Reference, UniqueKey
from db.jobs.importing.problems import RowCheck
from db.jobs.importing.staged_table import StagedTable
from db.jobs.importing.statements import ORGANIZATION, quoted, run
from db.jobs.importing.typed.identities import identity_sql, name_sql, name_table
from db.jobs.importing.typed.text_forms import reason_sql, sql_type
from db.tables.columns import Erasure

SEVERAL = "names more than one row: give the id instead"

IMPORT_IT = ": correct it, or import that row, too"

RULES = {
    "interval": "is not after the start",
    "longest": "is more than 24 hours after the start: split the interval",
    "original": "is not after the original start",
    "tracked_until": "is after tracked_until, where its time ends",
    "years_1900_to_2999": "is not a time of the years 1900 to 2999",
    "years_1900_to_9999": "is not a day of the years 1900 to 9999",
    "zero_or_more": "is less than 0",
    "without_nan": "is not a number",
}
"""Reasons in words, by the last part of a constraint's name. Others are given as they are."""

ERASED = f"SELECT e.user_id FROM erasures e WHERE e.organization_id = {ORGANIZATION}"

CHECK_CONSTRAINTS = """
SELECT conname, pg_get_expr(conbin, conrelid) AS condition,
       ARRAY(SELECT attname::text FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY (conkey) ORDER BY attnum)
         AS columns
FROM pg_constraint WHERE contype = 'c' AND conrelid = to_regclass(:table) ORDER BY conname
"""


def check_forms(connection: Connection, table: StagedTable) -> None:
    """Find the texts that are no value of their column. Most rows have none, and are read once."""
    reasons = {
        name: reason_sql(table.spec.columns[name], f"t.{name}") for name in table.given if name in table.spec.columns
    }
    if not reasons or table.query:
        return
    values = ", ".join(f"({quoted(name)}, t.{name}, {reason})" for name, reason in reasons.items())
    any_reason = " OR ".join(f"({reason}) IS NOT NULL" for reason in reasons.values())
    run(
        connection,
        f"INSERT INTO import_problems SELECT {quoted(table.spec.name)}, t.row, c.name, c.value, c.reason"
        f" FROM (SELECT * FROM {table.staging} t WHERE {any_reason} OFFSET 0) t"
        f" CROSS JOIN LATERAL (VALUES {values}) c (name, value, reason) WHERE c.reason IS NOT NULL",
    )


def identity_checks(table: StagedTable) -> Iterator[RowCheck]:
    """Staged rows that nothing tells from others, and those that two names tell apart in two ways."""
    spec = table.spec
    if spec.id is None:
        return
    names = [name for name in (spec.id, *spec.own_names) if name in table.given]
    if len(spec.natural_key) < 2:
        empty = " AND ".join(f"r.{name} IS NULL" for name in names) or "true"
        wanted = " or ".join([spec.id, *spec.own_names])
        yield RowCheck(names[0] if names else spec.id, f"is missing: give each row a value of {wanted}", empty)
    if not spec.is_looked_up(EXTERNAL_ID) and {spec.id, EXTERNAL_ID} <= set(names):
        reason = f"is not kept in {spec.name}: give it or {spec.id}, not both"
        yield RowCheck(EXTERNAL_ID, reason, f"r.{spec.id} IS NOT NULL AND r.{EXTERNAL_ID} IS NOT NULL")
    for name in spec.own_names:
        if name in names and spec.is_looked_up(name):
            others = "" if spec.id not in names else f" AND r.{spec.id} IS NULL"
            yield RowCheck(name, SEVERAL, _is_named(spec, name, name, "n.live > 1") + others)


def name_checks(table: StagedTable) -> Iterator[RowCheck]:
    """Names of referenced rows that no row has, or several have, and references by two names at once."""
    for column, reference in table.spec.references.items():
        target = reference.target
        given = table.given_names(column)
        if len(given) > 1:
            two = " + ".join(f"(r.{name} IS NOT NULL)::int" for name in given)
            yield RowCheck(given[1], f"names the row a second time: give one of {', '.join(given)}", f"{two} > 1")
        for name in given:
            named = reference.names.get(name)
            if named is not None and target.is_looked_up(named):
                unknown = f"r.{name} IS NOT NULL AND NOT {_is_named(target, named, name)}"
                yield RowCheck(name, f"is not in {target.name}{IMPORT_IT}", unknown)
                yield RowCheck(name, SEVERAL, _is_named(target, named, name, "n.live > 1"))


def _is_named(target: ImportTable, named: str, column: str, condition: str = "true") -> str:
    """SQL: whether a row of the target, for which the condition holds, has the name in a column."""
    same = f"n.name = {name_sql(named, f'r.{column}')}"
    return f"EXISTS (SELECT FROM {name_table(target.name, named)} n WHERE {same} AND {condition})"


def row_checks(connection: Connection, table: StagedTable, staged: Mapping[str, StagedTable]) -> Iterator[RowCheck]:
    """All checks of typed rows. `staged`: the tables of which the import has rows."""
    spec = table.spec
    yield from _required(table)
    for reference in spec.references.values():
        yield _unknown(reference, staged.get(reference.target.name))
    for column, key in spec.lists.items():
        known = f"SELECT FROM {key.table.name} k WHERE k.{key.name} = r.{column}"
        reason = f"is not in the list of {key.table.name}: correct it"
        yield RowCheck(column, reason, f"r.{column} IS NOT NULL AND NOT EXISTS ({known})")
    yield from _erased(table)
    yield from _broken_rules(connection, table)
    for column in spec.immovable:
        stored = f"SELECT FROM {spec.name} o WHERE o.organization_id = {ORGANIZATION} AND {spec.same_key('o', 'r')}"
        reason = "differs from the stored row: delete that row, and add a new one"
        yield RowCheck(column, reason, f"EXISTS ({stored} AND o.{column} <> r.{column})")
    yield _repeated(table)
    for unique in spec.unique_keys:
        yield _shared(table, unique)
    if spec.id and len(spec.natural_key) == 1 and spec.natural_key not in [key.columns for key in spec.unique_keys]:
        yield _named_alike(table, spec.natural_key[0])


def _required(table: StagedTable) -> Iterator[RowCheck]:
    """Rows without a value that they must have. A column that no file has is one problem, not one for each row."""
    for column, declared in table.spec.columns.items():
        if column in table.spec.key or column == "created_at" or declared.nullable:
            continue
        if table.given_names(column):
            yield RowCheck(column, "is required: fill it in", f"r.{column} IS NULL")
        else:
            first = f"SELECT min(row) FROM {table.rows} WHERE {column} IS NULL"
            reference = table.spec.references.get(column)
            others = f" (or {', '.join(reference.names)})" if reference else ""
            yield RowCheck("", f"new rows need the column {column}{others}: add it", f"r.row = ({first})")


def _unknown(reference: Reference, staged: StagedTable | None) -> RowCheck:
    """References to rows that neither the organization nor the import has.

    `staged`: the referenced table, if the import has rows of it. Those that were refused themselves are known, too: one
    mistake is one problem.
    """
    target = reference.target
    known = [f"SELECT {target.id} AS id FROM {target.name} WHERE organization_id = {ORGANIZATION}"]
    if staged is not None:
        joins, id_ = identity_sql(staged)
        known.append(f"SELECT {target.id} AS id FROM {staged.rows}")
        known.append(f"SELECT {id_} AS id FROM {staged.staging} t {joins} WHERE {staged.refused}")
    absent = "".join(f" AND NOT EXISTS (SELECT FROM ({ids}) k WHERE k.id = r.{reference.column})" for ids in known)
    return RowCheck(
        reference.column, f"is not in {target.name}{IMPORT_IT}", f"r.{reference.column} IS NOT NULL{absent}"
    )


def _erased(table: StagedTable) -> Iterator[RowCheck]:
    """Rows that give an erased person a value which an erasure replaces."""
    by_people: dict[tuple[str, ...], list[tuple[str, str]]] = {}
    for column in table.spec.table.columns:
        erasure: Erasure | None = column.info.get("erasure")
        if erasure is not None and erasure.of and erasure.value is not None:
            by_people.setdefault(erasure.of, []).append((column.name, str(erasure.value)))
    for people, replaced in by_people.items():
        is_erased = " OR ".join(f"r.{name} IN ({ERASED})" for name in people)
        differs = " OR ".join(f"r.{column} IS DISTINCT FROM {value}" for column, value in replaced)
        shown = next((name for name, _ in replaced if name in table.given), people[0])
        yield RowCheck(shown, "is of a person whose data was erased: leave it out", f"({is_erased}) AND ({differs})")


def _broken_rules(connection: Connection, table: StagedTable) -> Iterator[RowCheck]:
    name = {"table": f"public.{table.spec.name}"}
    for constraint, condition, columns in connection.execute(text(CHECK_CONSTRAINTS), name):
        if constraint.endswith("_no_negative_parts_check"):
            # Of several numbers, the negative one is named.
            yield from (RowCheck(each, "is less than 0", f"r.{each} < 0") for each in columns if each in table.columns)
            continue
        reason = RULES.get(constraint.removeprefix(f"{table.spec.name}_").removesuffix("_check"))
        column = next((name for name in reversed(columns) if name in table.given), columns[-1])
        # Columns that the database sets, and no file has, are null here: that breaks no rule.
        absent = [name for name in columns if name not in table.columns]
        nulls = ", ".join(f"NULL::{sql_type(table.spec.table.c[name].type)} AS {name}" for name in absent)
        join = f" CROSS JOIN (SELECT {nulls}) absent" if absent else ""
        yield RowCheck(column, reason or f"breaks the rule {condition}", f"NOT ({condition})", join=join)


def _repeated(table: StagedTable) -> RowCheck:
    """Rows of the import that are the same row of the table."""
    spec = table.spec
    names = [*([spec.id] if spec.id else []), *spec.own_names, *spec.natural_key, *spec.key]
    column = next((name for name in names if name in table.given), spec.key[0])
    key = ", ".join(spec.key)
    several = f"SELECT {key} FROM {table.rows} GROUP BY {key} HAVING count(*) > 1"
    return RowCheck(column, "stands more than once: keep one of the lines", f"({key}) IN ({several})")


def _named_alike(table: StagedTable, column: str) -> RowCheck:
    """Rows that get the name of another row that is not deleted: whatever gives the name would mean either."""
    spec, name = table.spec, name_sql(column, column)
    rows = f"SELECT {name} AS name, {spec.id} AS id FROM {table.rows} WHERE deleted_at IS NULL"
    if not table.replace:
        rows += f" UNION ALL SELECT {name}, {spec.id} FROM {spec.name} s WHERE {table.others}"
    several = f"SELECT name FROM ({rows}) u GROUP BY name HAVING count(DISTINCT id) > 1"
    stored = f"SELECT {spec.id}, {name} FROM {spec.name} WHERE organization_id = {ORGANIZATION}"
    own = name_sql(column, f"r.{column}")
    gets_it = (
        f"r.deleted_at IS NULL AND {own} IN ({several}) AND (r.{spec.id}, {own}) NOT IN ({stored} AND {column} <> '')"
    )
    reason = "is of another row, too: leave it empty, or leave out the external_id to mean that row"
    return RowCheck(column, reason, gets_it)


def _shared(table: StagedTable, key: UniqueKey) -> RowCheck:
    """Rows that share a unique key with another row, of the import or of the table."""
    columns = ", ".join(key.columns)
    live = " AND r.deleted_at IS NULL" if key.is_of_live_rows else ""
    rows = [f"SELECT {columns} FROM {table.rows} r WHERE true{live}"]
    if not (table.replace and key.is_of_live_rows):
        rows.append(
            f"SELECT {columns} FROM {table.spec.name} r WHERE organization_id = {ORGANIZATION}{live}"
            f" AND NOT EXISTS (SELECT FROM {table.rows} o WHERE {table.spec.same_key('o', 'r')})"
        )
    several = f"SELECT {columns} FROM ({' UNION ALL '.join(rows)}) u GROUP BY {columns} HAVING count(*) > 1"
    reason = f"is in another row, too, with the same {columns}"
    return RowCheck(key.columns[-1], reason, f"({columns}) IN ({several}){live}")
