"""Forms of values: the SQL that says why a text is no value of a column, and the SQL that casts it.

PostgreSQL's own casts accept too much (`tomorrow`, times without a zone, rounded fractions), and an error of one ends
the whole transaction without naming the line. So a text is checked by these expressions first, and cast if it passes.
"""

from collections.abc import Iterable
from typing import Any

from sqlalchemy import Boolean, Column, Date, DateTime, Integer, Numeric, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TIMESTAMP
from sqlalchemy.types import TypeEngine

from db.importing.statements import quoted

MAX_NAME, MAX_TEXT = 255, 4000
"""Characters of a name, and of any other text."""

MAX_SQL_INTEGER = 2_147_483_647

# Removed from text: the control characters, except tab and newline.
_CONTROL = "".join(chr(code) for code in (*range(1, 9), *range(11, 32), 127))

UUID_PATTERN = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_DAY = r"(19|20|21)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_CLOCK = r"[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d"
_ZONE = r"([Zz]|[+-](0\d|1[0-5])(:?[0-5]\d)?)"

JSON_FUNCTION = """
CREATE OR REPLACE FUNCTION pg_temp.import_json_kind(value text) RETURNS text LANGUAGE plpgsql IMMUTABLE AS $$
BEGIN
  RETURN jsonb_typeof(value::jsonb);
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$
"""
"""The kind of a JSON text, or null for other text. PostgreSQL 15 has no other way to ask without an error."""


def reason_sql(column: Column[Any], value: str) -> str:
    """SQL: why the text `value` is no value of the column; null if it is one, or null."""
    cases = " ".join(f"WHEN {condition} THEN {quoted(reason)}" for condition, reason in _reasons(column, value))
    return f"CASE WHEN {value} IS NULL THEN NULL {cases} END"


def cast_sql(column: Column[Any], value: str) -> str:
    """SQL: the value of a text that has no reason against it."""
    kind = column.type
    if isinstance(kind, ARRAY):
        return f"CASE WHEN {value} IS NOT NULL THEN ARRAY(SELECT jsonb_array_elements_text({value}::jsonb)) END"
    if isinstance(kind, Text) and "values" not in column.info:
        return f"nullif(translate({value}, {quoted(_CONTROL)}, ''), '')"
    return f"{value}::{sql_type(kind)}"


def sql_type(kind: TypeEngine[Any]) -> str:
    """The name of a column's type in PostgreSQL."""
    match kind:
        case TIMESTAMP(precision=0):
            return "timestamptz(0)"
        case DateTime():
            return "timestamptz"
        case ARRAY():
            return "text[]"
        case JSONB():
            return "jsonb"
        case Uuid():
            return "uuid"
        case _:
            return str(kind.compile()).lower()


def _reasons(column: Column[Any], value: str) -> Iterable[tuple[str, str]]:
    kind = column.type
    if "values" in column.info:
        values = [member.value for member in column.info["values"]]
        listed = ", ".join(map(quoted, values))
        return [(f"{value} NOT IN ({listed})", f"is not one of {', '.join(values)}")]
    match kind:
        case Uuid():
            return [(f"{value} !~ '{UUID_PATTERN}'", "is not a UUID")]
        case Boolean():
            return [(f"lower({value}) NOT IN ('true', 'false')", "is not true or false")]
        case DateTime():
            return _time_reasons(value, whole_seconds=isinstance(kind, TIMESTAMP) and kind.precision == 0)
        case Date():
            return [(f"{value} !~ '^{_DAY}$'", "is not a date such as 2026-03-01"), *_calendar_reasons(value)]
        case Integer():
            return _integer_reasons(column.name, value, is_small=type(kind) is Integer)
        case Numeric():
            digits, decimals = (kind.precision or 0) - (kind.scale or 0), kind.scale
            pattern = rf"^-?\d{{1,{digits}}}(\.\d{{1,{decimals}}}0*)?$"
            return [
                (f"{value} !~ '{pattern}'", f"is not a number with at most {digits} digits and {decimals} decimals")
            ]
        case JSONB():
            return [(f"pg_temp.import_json_kind({value}) IS DISTINCT FROM 'object'", "is not a JSON object")]
        case ARRAY():
            return [
                (
                    f"pg_temp.import_json_kind({value}) IS DISTINCT FROM 'array'",
                    'is not a JSON array such as ["a", "b"]',
                )
            ]
        case _:
            longest = MAX_NAME if column.name.endswith("name") else MAX_TEXT
            return [(f"length({value}) > {longest}", f"is longer than {longest:,} characters")]


def _time_reasons(value: str, *, whole_seconds: bool) -> list[tuple[str, str]]:
    fraction = r"(\.0+)?" if whole_seconds else r"(\.\d{1,6}0*)?"
    return [
        (
            f"{value} ~ '^{_DAY}{_CLOCK}(\\.\\d+)?$'",
            "has no time zone: write 2026-03-01T09:00:00Z or +01:00 at its end",
        ),
        (
            f"{value} !~ '^{_DAY}{_CLOCK}{fraction}{_ZONE}$' AND {value} ~ '^{_DAY}{_CLOCK}\\.\\d+{_ZONE}$'",
            "has a fraction of a second, but events are in whole seconds"
            if whole_seconds
            else "has more than six decimals of a second",
        ),
        (f"{value} !~ '^{_DAY}{_CLOCK}{fraction}{_ZONE}$'", "is not a time such as 2026-03-01T09:00:00Z"),
        *_calendar_reasons(value),
    ]


def _calendar_reasons(value: str) -> list[tuple[str, str]]:
    # Days after the first of the month: another month means that this one has no such day.
    day = f"(substr({value}, 1, 7) || '-01')::date + (substr({value}, 9, 2)::int - 1)"
    other_month = f"extract(month FROM {day}) <> substr({value}, 6, 2)::int"
    return [(f"substr({value}, 9, 2) > '28' AND {other_month}", "is not a day of the calendar")]


def _integer_reasons(name: str, value: str, *, is_small: bool) -> list[tuple[str, str]]:
    reasons = [(f"{value} ~ '^-?\\d+\\.\\d+$'", "has a fraction: write a whole number")]
    if name.endswith("_seconds"):
        reasons.append((f"{value} ~ '^-\\d+$'", "is negative"))
    reasons.append((f"{value} !~ '^-?\\d{{1,18}}$'", "is not a whole number"))
    if is_small:
        reasons.append((f"abs({value}::bigint) > {MAX_SQL_INTEGER}", f"is beyond {MAX_SQL_INTEGER:,}"))
    return reasons
