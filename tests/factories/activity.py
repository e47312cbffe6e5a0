"""One factory a table of activity."""

from tests.factories.base import Base
from tests.factories.world import World


class Activity(Base):
    """Factories of activity."""


def fill(rows: Activity, world: World) -> None:
    """What every list of activity shows in a world."""
