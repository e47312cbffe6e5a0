"""Amounts as somebody can pay them."""

from decimal import ROUND_HALF_UP, Decimal

DECIMAL_PLACES = {"JPY": 0, "KWD": 3}
"""Decimals of the currencies that do not have two."""

HOUR = 3600


def minor_units(count: int, currency: str) -> Decimal:
    """So many of the smallest unit of a currency: cents, yen, fils."""
    return Decimal(count).scaleb(-DECIMAL_PLACES.get(currency, 2))


def rounded(amount: Decimal, currency: str) -> Decimal:
    """Half up, once, to what the currency can pay."""
    return amount.quantize(minor_units(1, currency), ROUND_HALF_UP)


def hourly_amount(seconds: int, rate: Decimal, currency: str) -> Decimal:
    """What so many seconds make at a rate per hour."""
    return rounded(seconds * rate / HOUR, currency)
