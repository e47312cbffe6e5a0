"""Parsed SQL: placeholders. Parameters and rows are tested with the connection."""

from hypothesis import given
from hypothesis import strategies as st

from db.reading.parsed_sql import ParsedSql


@given(st.lists(st.sampled_from(["a", "b", "c"]), max_size=6), st.text("%()s$1a ", max_size=8))
def test_parsed_sql_matches_reference(names: list[str], literal: str) -> None:
    doubled = literal.replace("%", "%%")
    sql = f"{doubled} " + " ".join(f"%({name})s {doubled}" for name in names)
    order = list(dict.fromkeys(names))
    expected = f"{literal} " + " ".join(f"${order.index(name) + 1} {literal}" for name in names)
    assert (ParsedSql(sql).sql.decode(), [*ParsedSql(sql).numbers]) == (expected, order)
