"""Header X-Data-As-Of: the moment up to which a response has every change (`db.reading.data_as_of`)."""

from db.reading.data_as_of import UNKNOWN
from db.reading.query_stats import QueryStats

DATA_AS_OF_HEADER = "X-Data-As-Of"


def data_as_of(stats: QueryStats) -> str | None:
    """The value of the header, as RFC 3339 in UTC; None if nothing was read, or if the moment is not known."""
    moment = stats.data_as_of
    if moment is None or moment == UNKNOWN:
        return None
    return f"{moment.isoformat(timespec='microseconds').removesuffix('+00:00')}Z"
