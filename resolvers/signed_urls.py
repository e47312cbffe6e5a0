"""Signed URLs: clients download screenshots from the object store until the URL expires."""

import hmac
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from urllib.parse import quote

URL_LIFETIME = timedelta(minutes=15)


@dataclass(frozen=True)
class UrlSigner:
    """Signs URLs of the object store at `base_url`, which knows the same `secret`.

    The store serves such a URL until `expires` (Unix time, seconds):

        <base_url>/<object key>?expires=<expires>&signature=<hex>

    The signature is HMAC-SHA256 over the object key, a line feed, and `expires`.
    """

    base_url: str
    secret: str = field(repr=False)

    def expiry(self, now: datetime) -> datetime:
        """The time at which a URL that is signed now expires, in whole seconds."""
        return now.replace(microsecond=0) + URL_LIFETIME

    def url(self, key: str, now: datetime) -> str:
        """The signed URL of one object, which expires at `expiry(now)`."""
        expires = int(self.expiry(now).timestamp())
        signature = hmac.digest(self.secret.encode(), f"{key}\n{expires}".encode(), "sha256").hex()
        return f"{self.base_url}/{quote(key)}?expires={expires}&signature={signature}"
