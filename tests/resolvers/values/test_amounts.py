"""Amounts as text with the digits of their currency, rounded half up; other numbers with all decimals."""

from collections.abc import Iterator
from decimal import Decimal

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sqlalchemy import ARRAY, Connection, Numeric, Text, cast, column, func, select

from db.admin.engine import connect
from db.tables.reference import MINOR_UNIT_DIGITS
from resolvers.values.amounts import amount_text, decimal_text
from tests.amounts import amount_text as amounts_oracle
from tests.amounts import decimal_text as decimals_oracle
from tests.property_tests import examples

stored = st.decimals(Decimal("-999999999999999.9999"), Decimal("999999999999999.9999"), places=4)
"""What a column of money can hold."""


@pytest.fixture
def connection(owner_url: str) -> Iterator[Connection]:
    with connect(owner_url).connect() as connection:
        yield connection


@pytest.mark.hypothesis
@settings(max_examples=examples(20), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(given=st.lists(st.tuples(st.none() | stored, st.sampled_from([*MINOR_UNIT_DIGITS, "EUR", ""])), max_size=50))
def test_numbers_are_those_of_exact_arithmetic(given: list[tuple[Decimal | None, str]], connection: Connection) -> None:
    given += [(Decimal(text), "EUR") for text in ("-0.0049", "0.005", "1250", "999999999999999.9999", "0.0001", "1.5")]
    amounts, currencies = zip(*given, strict=True)
    columns = column("amount", Numeric(19, 4)), column("currency", Text)
    rows = func.unnest(cast(list(amounts), ARRAY(Numeric(19, 4))), cast(list(currencies), ARRAY(Text)))
    table = rows.table_valued(*columns).render_derived("rows")
    query = select(amount_text(table.c.amount, table.c.currency), decimal_text(table.c.amount)).select_from(table)
    found = [tuple(row) for row in connection.execute(query)]
    assert found == [(amounts_oracle(amount, currency), decimals_oracle(amount)) for amount, currency in given]
