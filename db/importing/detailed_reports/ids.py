"""Ids of imported rows: UUIDs of version 7, which begin with a time, so that rows of one time lie together."""

from datetime import UTC, datetime
from hashlib import sha256
from secrets import randbits
from uuid import UUID

_RANDOM_BITS = 74
_LOW_BITS = 62


def stable_id(moment: datetime, *parts: object) -> UUID:
    """The id of what the parts identify: the same in each import. Its time is `moment`."""
    digest = int.from_bytes(sha256("\0".join(map(str, parts)).encode()).digest())
    return _version_7(moment, digest)


def new_id() -> UUID:
    """An id that no row has."""
    return _version_7(datetime.now(UTC), randbits(_RANDOM_BITS))


def _version_7(moment: datetime, bits: int) -> UUID:
    milliseconds = round(moment.timestamp() * 1000)
    version = 7 << 76 | (bits >> _LOW_BITS & 0xFFF) << 64
    variant = 0b10 << _LOW_BITS | bits & (1 << _LOW_BITS) - 1
    return UUID(int=milliseconds << 80 | version | variant)
