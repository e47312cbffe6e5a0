"""Decimal numbers as text, which PostgreSQL writes: amounts with the digits of their currency, and other numbers.

Numbers are read as PostgreSQL has them, and not as Python, which reads more.
"""

import re
from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from sqlalchemy import ColumnElement, Numeric, Table, Text, cast, func

from db.tables.columns import constant
from db.tables.reference import minor_unit_digits

MIN_DECIMALS = 2
"""The fewest decimals of a quantity or a percentage."""


def amount_text(amount: ColumnElement[Any], currency: ColumnElement[Any]) -> ColumnElement[str]:
    """An amount: `1250.00`, `1250` in JPY, `1250.000` in KWD, rounded half up."""
    return cast(rounded_amount(amount, currency), Text)


def rounded_amount(amount: ColumnElement[Any], currency: ColumnElement[Any]) -> ColumnElement[Any]:
    """An amount with the digits of its currency, rounded half up."""
    return func.round(amount, minor_unit_digits(currency), type_=Numeric())


def decimal_text(number: ColumnElement[Any]) -> ColumnElement[str]:
    """A quantity, a percentage or a factor with all its decimals, at least two: `1.50`, `0.3333`."""
    return cast(decimal_number(number), Text)


def decimal_number(number: ColumnElement[Any]) -> ColumnElement[Any]:
    """Such a number with these decimals."""
    return func.round(number, func.greatest(constant(MIN_DECIMALS), func.min_scale(number)), type_=Numeric())


def columns_of(
    table: Table, *, decimals: Iterable[str] = (), **computed: ColumnElement[Any]
) -> list[ColumnElement[Any]]:
    """The columns of a table as the API shows them, and `computed` ones beside them or in place of stored ones.

    Those that are `unlisted` in their information, which reports alone need, are left out.
    Decimal numbers are texts, which keep the decimals of their column, such as the four of a rate; amounts in the
    currency of the row have those of the currency, `decimals` those that they need.
    """
    shown = (column for column in table.columns if "unlisted" not in column.info)
    stored = [column for column in shown if column.name != "organization_id"]
    decimal_columns = [column for column in stored if isinstance(column.type, Numeric)]
    numbers: dict[str, ColumnElement[Any]] = {column.name: cast(column, Text) for column in decimal_columns}
    amounts = (column for column in decimal_columns if column.info.get("currency_of") == "")
    numbers |= {column.name: amount_text(column, table.c.currency) for column in amounts}
    numbers |= {name: decimal_text(table.c[name]) for name in decimals}
    labelled = {name: value.label(name) for name, value in (numbers | computed).items()}
    return list(({column.name: column for column in stored} | labelled).values())


MAX_LONG = 2**63 - 1

_DECIMAL = re.compile(r"-?[0-9]{1,20}(\.[0-9]{1,20})?", re.ASCII)


def parse_decimal(text: str) -> Decimal:
    """A decimal number without an exponent. Raises ValueError."""
    if not _DECIMAL.fullmatch(text):
        raise ValueError("Not a decimal number.")
    return Decimal(text)


def parse_long(text: str) -> int:
    """A whole number of 64 bits. Raises ValueError."""
    number = parse_decimal(text)
    if "." in text or not -MAX_LONG <= number + (number < 0) <= MAX_LONG:
        raise ValueError("Not a whole number of 64 bits.")
    return int(number)
