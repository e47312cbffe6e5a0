"""One factory a table of money."""

from tests.factories.base import Base
from tests.factories.world import World


class Money(Base):
    """Factories of money."""


def fill(rows: Money, world: World) -> None:
    """What every list of money shows in a world."""
