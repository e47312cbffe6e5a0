"""One factory a table of timesheets."""

from tests.factories.base import Base
from tests.factories.world import World


class Timesheets(Base):
    """Factories of timesheets."""


def fill(rows: Timesheets, world: World) -> None:
    """What every list of timesheets shows in a world."""
