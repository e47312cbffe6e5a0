"""One factory a table of leaves."""

from tests.factories.base import Base
from tests.factories.world import World


class Leaves(Base):
    """Factories of leaves."""


def fill(rows: Leaves, world: World) -> None:
    """What every list of leaves shows in a world."""
