"""Amounts as text, with as many digits as their currency has. No amount ever passes through a float."""

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from strawberry import Parent

from resolvers.relations.batching import depends_on_attributes

# ISO 4217, the currencies whose minor unit is not a hundredth.
DIGITS = {
    **dict.fromkeys("BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF".split(), 0),
    **dict.fromkeys("BHD IQD JOD KWD LYD OMR TND".split(), 3),
    **dict.fromkeys("CLF UYW".split(), 4),
}
UNITS = {digits: Decimal(1).scaleb(-digits) for digits in (0, 2, 3, 4)}

FEWEST_DECIMALS = 2
"""Decimals of a quantity or a percentage at least."""


def written(amount: Decimal | None, currency: str) -> str | None:
    """`1250.00`, `1250` in JPY, `1250.000` in KWD; rounded half up, once."""
    if amount is None:
        return None
    # Adding nothing makes 0.00 of -0.00.
    return str(amount.quantize(UNITS[DIGITS.get(currency, 2)], ROUND_HALF_UP) + 0)


def exact(number: Decimal | None) -> str | None:
    """`1.50`, `0.3333`: a quantity, a percentage or a factor, with all the decimals that it has and two at least."""
    if number is None:
        return None
    exponent = number.normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return f"{number:.{max(FEWEST_DECIMALS, -exponent)}f}"


def amount_of(attribute: str) -> Callable[..., str | None]:
    """A resolver of an amount that stands beside its row's `currency`."""

    @depends_on_attributes(attribute, "currency")
    def resolve(root: Parent[Any]) -> str | None:
        return written(getattr(root, attribute), root.currency)

    return resolve


def exact_of(attribute: str) -> Callable[..., str | None]:
    """A resolver of a number that is no money: a quantity, a percentage or a factor."""

    @depends_on_attributes(attribute)
    def resolve(root: Parent[Any]) -> str | None:
        return exact(getattr(root, attribute))

    return resolve
