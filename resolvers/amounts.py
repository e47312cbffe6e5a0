"""Decimal numbers as text: amounts with the digits of their currency, and other numbers. No float is used."""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from sqlalchemy import Case, ColumnElement, Numeric, Text, case, cast, func
from sqlalchemy.dialects.postgresql import ARRAY
from sqlalchemy.sql import any_
from strawberry import Parent

from db.tables.reference import MINOR_UNIT_DIGITS
from resolvers.relations.batching import depends_on_attributes
from resolvers.rendering.json_sql import constant

ROUNDING_UNITS = {digits: Decimal(1).scaleb(-digits) for digits in (0, 2, 3, 4)}

MIN_DECIMALS = 2
"""The fewest decimals of a quantity or a percentage."""


def amount_text(amount: Decimal | None, currency: str) -> str | None:
    """An amount: `1250.00`, `1250` in JPY, `1250.000` in KWD, rounded half up."""
    if amount is None:
        return None
    # Adding 0 turns -0.00 into 0.00.
    return str(amount.quantize(ROUNDING_UNITS[MINOR_UNIT_DIGITS.get(currency, 2)], ROUND_HALF_UP) + 0)


def amount_sql(amount: ColumnElement[Any], currency: ColumnElement[Any]) -> ColumnElement[str]:
    """`amount_text` in SQL."""
    return cast(func.round(amount, _digits_sql(currency), type_=Numeric()), Text)


def _digits_sql(currency: ColumnElement[Any]) -> Case[Any]:
    """The digits of a currency. The lists stand in the SQL as arrays."""
    currencies: dict[int, list[str]] = {}
    for name, digits in MINOR_UNIT_DIGITS.items():
        currencies.setdefault(digits, []).append(name)
    arrays = {digits: cast(constant(f"{{{','.join(names)}}}"), ARRAY(Text())) for digits, names in currencies.items()}
    return case(*((currency == any_(array), constant(digits)) for digits, array in arrays.items()), else_=constant(2))


def decimal_text(number: Decimal | None) -> str | None:
    """A quantity, a percentage or a factor with all its decimals, at least two: `1.50`, `0.3333`."""
    if number is None:
        return None
    exponent = number.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return f"{number:.{max(MIN_DECIMALS, -exponent)}f}"


def decimal_sql(number: ColumnElement[Any]) -> ColumnElement[str]:
    """`decimal_text` in SQL."""
    decimals = func.greatest(constant(MIN_DECIMALS), func.min_scale(number))
    return cast(func.round(number, decimals, type_=Numeric()), Text)


def amount_of(attribute: str) -> Callable[..., str | None]:
    """A resolver of an amount in the `currency` of its row."""

    @depends_on_attributes(attribute, "currency", sql=amount_sql)
    def resolve(root: Parent[Any]) -> str | None:
        return amount_text(getattr(root, attribute), root.currency)

    return resolve


def decimal_of(attribute: str) -> Callable[..., str | None]:
    """A resolver of a quantity, a percentage or a factor."""

    @depends_on_attributes(attribute, sql=decimal_sql)
    def resolve(root: Parent[Any]) -> str | None:
        return decimal_text(getattr(root, attribute))

    return resolve
