"""CHECK constraints on values that PostgreSQL accepts and readers cannot answer with.

Examples are the time 'infinity', the number NaN, a null in an array, and a missing key in JSON. Constraints are checked
in the order of their names; the names of the general ones sort behind those of a table's own rules. Columns that only a
trigger sets, from values that were checked (`db.tables.remembered`), have none.
"""

from collections.abc import Iterator

from sqlalchemy import BigInteger, CheckConstraint, Date, DateTime, Integer, Numeric, Table
from sqlalchemy.dialects.postgresql import ARRAY


def value_checks(table: Table) -> Iterator[CheckConstraint]:
    """The constraints that follow from the types of the columns. Null is not checked."""
    columns = [column for column in table.columns if "remembered" not in column.info]
    by_type = {
        kind: ", ".join(column.name for column in columns if isinstance(column.type, kind))
        for kind in (DateTime, Date, (Integer, BigInteger), Numeric)
    }
    times, dates, integers, decimals = by_type.values()
    if times:
        between = f"least({times}) >= '1900-01-01Z' AND greatest({times}) < '3000-01-01Z'"
        yield CheckConstraint(between, name="years_1900_to_2999")
    if dates:
        between = f"least({dates}) >= '1900-01-01' AND greatest({dates}) <= '9999-12-31'"
        yield CheckConstraint(between, name="years_1900_to_9999")
    if integers:
        # All of them count something.
        yield CheckConstraint(f"least({integers}) >= 0", name="zero_or_more")
    if decimals:
        # NaN is greater than every number.
        yield CheckConstraint(f"greatest({decimals}) < 'NaN'", name="without_nan")
    for column in columns:
        if isinstance(column.type, ARRAY):
            name = column.name
            flat = f"CASE WHEN array_ndims({name}) > 1 THEN false ELSE array_position({name}, NULL) IS NULL END"
            yield CheckConstraint(flat, name=f"{name}_without_null")


def json_booleans(column: str, keys: tuple[str, ...]) -> Iterator[CheckConstraint]:
    """Each key of the object is there and true or false."""
    for key in keys:
        condition = f"(jsonb_typeof({column} -> '{key}') = 'boolean') IS TRUE"
        yield CheckConstraint(condition, name=f"{column}_{key}_is_boolean")


def json_day_counts(column: str, keys: tuple[str, ...]) -> Iterator[CheckConstraint]:
    """Each key of the object is there and a whole number of days, at most a century."""
    for key in keys:
        days = f"({column} -> '{key}')"
        condition = (
            f"CASE WHEN jsonb_typeof({days}) = 'number'"
            f" THEN {days}::numeric BETWEEN 0 AND 36500 AND {days}::numeric % 1 = 0 ELSE false END"
        )
        yield CheckConstraint(condition, name=f"{column}_{key}_is_days")


def json_path_check(column: str, name: str, wrong: str) -> CheckConstraint:
    """The column is null or an object in which the jsonpath `wrong` finds nothing."""
    condition = f"jsonb_typeof({column}) = 'object' AND NOT jsonb_path_exists({column}, '{wrong}')"
    return CheckConstraint(condition, name=f"{column}_{name}")
