"""Where pictures are fetched from: addresses that are signed, and good for a while only."""

import hmac
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import quote

LIFETIME = timedelta(minutes=15)


@dataclass(frozen=True)
class UrlSigner:
    """The store of objects at `base_url`, which shares `secret` with us.

    It serves what has such an address, until `expires` (Unix time, seconds):

        <base_url>/<object key>?expires=<expires>&signature=<hex>

    The signature is HMAC-SHA256 over the object key, a line feed, and `expires`.
    """

    base_url: str
    secret: str = field(repr=False)

    def expiry(self, now: datetime) -> datetime:
        """Until when an address that is given now is good, in whole seconds."""
        return now.replace(microsecond=0) + LIFETIME

    def url(self, key: str, expires_at: datetime) -> str:
        """The address of one object until a moment."""
        expires = int(expires_at.timestamp())
        signature = hmac.digest(self.secret.encode(), f"{key}\n{expires}".encode(), "sha256").hex()
        return f"{self.base_url}/{quote(key)}?expires={expires}&signature={signature}"
