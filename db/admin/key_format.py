"""Format of API keys: `orgd_live_` + 8 characters public id + `_` + 32 characters secret + 6 characters checksum.

All characters are Base62. The checksum rejects mistyped and invented keys before any hashing or I/O; it is not secret.
"""

import hashlib
import re
import secrets
import zlib
from dataclasses import dataclass, field
from string import ascii_lowercase, ascii_uppercase, digits

from db.values.purpose import Purpose

ALPHABET = digits + ascii_uppercase + ascii_lowercase
DIGIT_PAIRS = [first + second for first in ALPHABET for second in ALPHABET]

PREFIXES = {Purpose.partner: "orgd_live_", Purpose.mcp: "orgd_mcp_", Purpose.internal: "orgd_int_"}
PURPOSES = {prefix: purpose for purpose, prefix in PREFIXES.items()}

KEY_PATTERN = re.compile(rf"({'|'.join(PURPOSES)})([0-9A-Za-z]{{8}})_([0-9A-Za-z]{{32}})([0-9A-Za-z]{{6}})", re.ASCII)
KEY_IN_TEXT = re.compile(rf"({'|'.join(PURPOSES)})\w+")
MAX_KEY_LENGTH = max(len(prefix) for prefix in PURPOSES) + 8 + 1 + 32 + 6


@dataclass(frozen=True)
class ParsedKey:
    """The parts of a well-formed key, which may not exist."""

    purpose: Purpose
    public_id: str
    digest: bytes = field(repr=False)


def generate_key(purpose: Purpose) -> tuple[str, ParsedKey]:
    """A new key: its text, which is shown once, and the parts that are stored."""
    public_id, secret = _random(8), _random(32)
    body = f"{PREFIXES[purpose]}{public_id}_{secret}"
    return body + checksum(body), ParsedKey(purpose, public_id, digest(secret))


def parse_key(text: str) -> ParsedKey | None:
    """The parts of a well-formed key; None for any other text."""
    match = KEY_PATTERN.fullmatch(text)
    if match is None or checksum(text[:-6]) != match[4]:
        return None
    return ParsedKey(PURPOSES[match[1]], match[2], digest(match[3]))


def without_secrets(text: str) -> str:
    """A text with the prefixes alone of the keys in it, and of what may be one that is mistyped."""
    return KEY_IN_TEXT.sub(r"\1[redacted]", text)


def digest(secret: str) -> bytes:
    """The SHA-256 of a secret, which is stored. A secret has 190 random bits, so it needs no slow hash."""
    return hashlib.sha256(secret.encode("ascii")).digest()


def checksum(body: str) -> str:
    """The CRC32 of `body` as six Base62 digits."""
    rest, last = divmod(zlib.crc32(body.encode("ascii")), len(DIGIT_PAIRS))
    first, middle = divmod(rest, len(DIGIT_PAIRS))
    return DIGIT_PAIRS[first] + DIGIT_PAIRS[middle] + DIGIT_PAIRS[last]


def _random(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
