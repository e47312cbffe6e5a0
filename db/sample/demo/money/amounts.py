"""Amounts of money, rounded to the minor unit of their currency."""

from decimal import ROUND_HALF_UP, Decimal

DECIMAL_PLACES = {"JPY": 0, "KWD": 3}
"""Decimal places of currencies (ISO 4217) that do not have two."""

HOUR = 3600


def minor_units(count: int, currency: str) -> Decimal:
    """`count` minor units of a currency: cents, yen, fils."""
    return Decimal(count).scaleb(-DECIMAL_PLACES.get(currency, 2))


def rounded(amount: Decimal, currency: str) -> Decimal:
    """Rounded half up to the minor unit of a currency."""
    return amount.quantize(minor_units(1, currency), ROUND_HALF_UP)


def hourly_amount(seconds: int, rate: Decimal, currency: str) -> Decimal:
    """The amount for `seconds` at a rate per hour."""
    return rounded(seconds * rate / HOUR, currency)
