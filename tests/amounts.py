"""The oracle of amounts and other decimal numbers as text, in exact arithmetic of Python."""

from decimal import ROUND_HALF_UP, Decimal

from db.tables.reference import MINOR_UNIT_DIGITS


def amount_text(amount: Decimal | None, currency: str) -> str | None:
    """An amount with the digits of its currency, rounded half up."""
    if amount is None:
        return None
    unit = Decimal(1).scaleb(-MINOR_UNIT_DIGITS.get(currency, 2))
    # Adding 0 turns -0.00 into 0.00.
    return str(amount.quantize(unit, ROUND_HALF_UP) + 0)


def decimal_text(number: Decimal | None) -> str | None:
    """A number with all its decimals, at least two."""
    if number is None:
        return None
    exponent = number.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return f"{number:.{max(2, -exponent)}f}"
