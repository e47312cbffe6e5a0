"""Forms of values: the SQL that says why a text is no value of a column, and the SQL that casts it.

PostgreSQL's own casts accept too much (`tomorrow`, times without a zone, rounded fractions), and an error of one ends
the whole transaction without naming the line. So a text is checked by these expressions first, and cast if it passes.
"""

from collections.abc import Sequence
from typing import Any

from sqlalchemy import Boolean, Column, Connection, Date, DateTime, Integer, Numeric, Text, Uuid
from sqlalchemy.dialects.postgresql import ARRAY, JSONB, TIMESTAMP
from sqlalchemy.types import TypeEngine

from db.jobs.importing.statements import quoted, run

MAX_NAME, MAX_TEXT = 255, 4000
"""Characters of a name, and of any other text."""

MAX_INTEGER = 2_147_483_647

# Removed from text: the control characters, except tab and newline.
_CONTROL = "".join(chr(code) for code in (*range(1, 9), *range(11, 32), 127))

_UUID = "^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$"
_DAY = r"(19|20|21)\d\d-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])"
_CLOCK = r"[Tt ]([01]\d|2[0-3]):[0-5]\d:[0-5]\d"
_ZONE = r"([Zz]|[+-](0\d|1[0-5])(:?[0-5]\d)?)"

# PostgreSQL 15 has no way to ask whether a text is a value, except a regular expression, or an error that is caught.
IS_UUID = """
CREATE OR REPLACE FUNCTION pg_temp.import_is_uuid(value text) RETURNS boolean LANGUAGE sql STABLE AS $$
  SELECT {condition}
$$
"""

JSON_KIND = """
CREATE OR REPLACE FUNCTION pg_temp.import_json_kind(value text) RETURNS text LANGUAGE plpgsql STABLE AS $$
BEGIN
  RETURN jsonb_typeof(value::jsonb);
EXCEPTION WHEN OTHERS THEN
  RETURN NULL;
END $$
"""

FIRST_WITH_INPUT_CHECKS = 16

Reasons = Sequence[tuple[str, str]]
"""Conditions of texts, each with the reason against a text that meets it."""


def create_functions(connection: Connection) -> None:
    (version,) = run(connection, "SELECT current_setting('server_version_num')::int / 10000").one()
    has_checks = version >= FIRST_WITH_INPUT_CHECKS
    condition = "pg_input_is_valid(value, 'uuid')" if has_checks else f"value ~ '{_UUID}'"
    run(connection, IS_UUID.format(condition=condition))
    run(connection, JSON_KIND)


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
            return f"{sql_type(kind.item_type)}[]"
        case JSONB():
            return "jsonb"
        case Uuid():
            return "uuid"
        case _:
            return str(kind.compile()).lower()


def reason_sql(column: Column[Any], value: str) -> str:
    """SQL: why the text `value` is no value of the column; null if it is one, or null."""
    kind = column.type
    if "values" in column.info:
        values = [member.value for member in column.info["values"]]
        return _reason(value, f"{value} IN ({', '.join(map(quoted, values))})", f"is not one of {', '.join(values)}")
    match kind:
        case Uuid():
            return _reason(value, f"pg_temp.import_is_uuid({value})", "is not a UUID")
        case Boolean():
            return _reason(value, f"lower({value}) IN ('true', 'false')", "is not true or false")
        case DateTime():
            return _time_reason(value, whole_seconds=isinstance(kind, TIMESTAMP) and kind.precision == 0)
        case Date():
            reason = "is not a date such as 2026-03-01"
            return _reason(value, f"{value} ~ '^{_DAY}$'", reason, reasons_after=_calendar_reasons(value))
        case Integer():
            return _integer_reason(column.name, value, is_small=type(kind) is Integer)
        case Numeric():
            digits, decimals = (kind.precision or 0) - (kind.scale or 0), kind.scale
            valid = rf"{value} ~ '^-?\d{{1,{digits}}}(\.\d{{1,{decimals}}}0*)?$'"
            return _reason(value, valid, f"is not a number with at most {digits} digits and {decimals} decimals")
        case JSONB():
            return _reason(value, f"pg_temp.import_json_kind({value}) = 'object'", "is not a JSON object")
        case ARRAY():
            valid = f"pg_temp.import_json_kind({value}) = 'array'"
            return _reason(value, valid, 'is not a JSON array such as ["a", "b"]')
        case _:
            longest = MAX_NAME if column.info.get("is_name") else MAX_TEXT
            return _reason(value, f"length({value}) <= {longest}", f"is longer than {longest:,} characters")


def _reason(value: str, valid: str, reason: str, reasons_before: Reasons = (), reasons_after: Reasons = ()) -> str:
    """SQL: the reason against a text.

    `valid` is whether it has the form, which is all that most texts need. `reasons_before` are better reasons for texts
    without the form, and `reasons_after` those for texts that have it.
    """
    before, after = (
        "".join(f" WHEN {condition} THEN {quoted(text)}" for condition, text in reasons)
        for reasons in (reasons_before, reasons_after)
    )
    own = f"CASE{after} END" if after else "NULL"
    return f"CASE WHEN {value} IS NULL THEN NULL WHEN {valid} THEN {own}{before} ELSE {quoted(reason)} END"


def _time_reason(value: str, *, whole_seconds: bool) -> str:
    fraction = r"(\.0+)?" if whole_seconds else r"(\.\d{1,6}0*)?"
    too_fine = (
        "has a fraction of a second, but events are in whole seconds"
        if whole_seconds
        else "has more than six decimals of a second"
    )
    no_zone = "has no time zone: write 2026-03-01T09:00:00Z, or +01:00 instead of the Z"
    return _reason(
        value,
        f"{value} ~ '^{_DAY}{_CLOCK}{fraction}{_ZONE}$'",
        "is not a time such as 2026-03-01T09:00:00Z",
        reasons_before=[
            (rf"{value} ~ '^{_DAY}{_CLOCK}(\.\d+)?$'", no_zone),
            (rf"{value} ~ '^{_DAY}{_CLOCK}\.\d+{_ZONE}$'", too_fine),
        ],
        reasons_after=_calendar_reasons(value),
    )


def _calendar_reasons(value: str) -> Reasons:
    # Days after the first of the month: in another month means that this one has no such day.
    day = f"(substr({value}, 1, 7) || '-01')::date + (substr({value}, 9, 2)::int - 1)"
    other_month = f"extract(month FROM {day}) <> substr({value}, 6, 2)::int"
    late = f"CASE WHEN substr({value}, 9, 2) > '28' THEN {other_month} ELSE false END"
    return [(late, "is not a day of the calendar")]


def _integer_reason(name: str, value: str, *, is_small: bool) -> str:
    is_negative = [(f"left({value}, 1) = '-'", "is negative")] if name.endswith("_seconds") else []
    is_large = [(f"abs({value}::bigint) > {MAX_INTEGER}", f"is beyond {MAX_INTEGER:,}")] if is_small else []
    return _reason(
        value,
        rf"{value} ~ '^-?\d{{1,18}}$'",
        "is not a whole number",
        reasons_before=[(rf"{value} ~ '^-?\d+\.\d+$'", "has a fraction: write a whole number")],
        reasons_after=[*is_negative, *is_large],
    )
