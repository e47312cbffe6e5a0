"""Signed tokens: the hint in `next` and the cursor, both the place where the page before ended.

With it a deep page costs what the first does. A hint speaks for one organization, operation, set of filters, page and
limit; anything else that carries it is answered by the page number alone. A cursor speaks for one organization,
operation and set of filters; anything else that carries it is refused.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as NotBase64
from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

import orjson

MAC = 16
"""Bytes of the signature: enough against guessing, short enough for a URL."""


class TokenSigner:
    """Signs with the first key and verifies with all, so that keys can be rotated."""

    def __init__(self, keys: Sequence[str]) -> None:
        if not keys:
            raise ValueError("At least one signing key is needed.")
        self._keys = [key.encode() for key in keys]

    def seal(self, position: str, subject: bytes) -> str:
        """The position, signed together with what it is about."""
        text = position.encode()
        return _written(_mac(self._keys[0], text, subject) + text)

    def open(self, hint: str, subject: bytes) -> str | None:
        """The position that `seal` was given; None unless it was signed by us for the same subject."""
        try:
            sealed = urlsafe_b64decode(hint + "=" * (-len(hint) % 4))
        except (NotBase64, ValueError):
            return None
        # Decoding overlooks what does not belong to Base64; a token is accepted only as it was given.
        if _written(sealed) != hint:
            return None
        mac, text = sealed[:MAC], sealed[MAC:]
        if not any(hmac.compare_digest(mac, _mac(key, text, subject)) for key in self._keys):
            return None
        return text.decode()


def subject(organization_id: UUID, operation: str, variables: Mapping[str, Any], page: int | None) -> bytes:
    """What a token is about: all that decides which rows follow. A cursor (no page) may go on with another limit."""
    apart = ("page", "after", "cursor") if page is not None else ("cursor", "limit")
    filters = {name: value for name, value in variables.items() if name not in apart}
    return orjson.dumps([organization_id, operation, page, filters], option=orjson.OPT_SORT_KEYS)


def _written(sealed: bytes) -> str:
    return urlsafe_b64encode(sealed).rstrip(b"=").decode()


def _mac(key: bytes, text: bytes, subject: bytes) -> bytes:
    return hmac.digest(key, len(text).to_bytes(4) + text + subject, "sha256")[:MAC]
