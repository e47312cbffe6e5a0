"""Amounts as somebody can pay them."""

from decimal import ROUND_HALF_UP, Decimal

DIGITS = {"JPY": 0, "KWD": 3}
"""Decimals of the currencies that do not have two."""

HOUR = 3600


def smallest(count: int, currency: str) -> Decimal:
    """So many of the smallest unit of a currency: cents, yen, fils."""
    return Decimal(count).scaleb(-DIGITS.get(currency, 2))


def rounded(amount: Decimal, currency: str) -> Decimal:
    """Half up, once, to what the currency can pay."""
    return amount.quantize(smallest(1, currency), ROUND_HALF_UP)


def earned(seconds: int, rate: Decimal, currency: str) -> Decimal:
    """What so many seconds make at a rate per hour."""
    return rounded(seconds * rate / HOUR, currency)
