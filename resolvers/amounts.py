"""Decimal numbers as text: amounts with the digits of their currency, and other numbers. No float is used."""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from strawberry import Parent

from db.tables.reference import MINOR_UNIT_DIGITS
from resolvers.relations.batching import depends_on_attributes

ROUNDING_UNITS = {digits: Decimal(1).scaleb(-digits) for digits in (0, 2, 3, 4)}

MIN_DECIMALS = 2
"""The fewest decimals of a quantity or a percentage."""


def amount_text(amount: Decimal | None, currency: str) -> str | None:
    """An amount: `1250.00`, `1250` in JPY, `1250.000` in KWD, rounded half up."""
    if amount is None:
        return None
    # Adding 0 turns -0.00 into 0.00.
    return str(amount.quantize(ROUNDING_UNITS[MINOR_UNIT_DIGITS.get(currency, 2)], ROUND_HALF_UP) + 0)


def decimal_text(number: Decimal | None) -> str | None:
    """A quantity, a percentage or a factor with all its decimals, at least two: `1.50`, `0.3333`."""
    if number is None:
        return None
    exponent = number.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return f"{number:.{max(MIN_DECIMALS, -exponent)}f}"


def amount_of(attribute: str) -> Callable[..., str | None]:
    """A resolver of an amount in the `currency` of its row."""

    @depends_on_attributes(attribute, "currency")
    def resolve(root: Parent[Any]) -> str | None:
        return amount_text(getattr(root, attribute), root.currency)

    return resolve


def decimal_of(attribute: str) -> Callable[..., str | None]:
    """A resolver of a quantity, a percentage or a factor."""

    @depends_on_attributes(attribute)
    def resolve(root: Parent[Any]) -> str | None:
        return decimal_text(getattr(root, attribute))

    return resolve
