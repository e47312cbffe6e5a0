"""The format of a key: `orgd_live_` + 8 characters public id + `_` + 32 characters secret + 6 characters checksum.

The checksum is no secret. It only lets a mistyped or made-up key be refused before any hashing or I/O.
"""

import hashlib
import re
import secrets
import zlib
from dataclasses import dataclass, field
from string import ascii_lowercase, ascii_uppercase, digits

from db.tables.keys import Purpose

ALPHABET = digits + ascii_uppercase + ascii_lowercase


FAMILIES = frozenset(
    "organization members teams clients projects tasks time attendance activity screenshots invoices payroll leave"
    " security".split()
)
"""What the scopes of a key can be about: `<family>:read`."""

PREFIXES = {Purpose.partner: "orgd_live_", Purpose.mcp: "orgd_mcp_", Purpose.internal: "orgd_int_"}
PURPOSES = {prefix: purpose for purpose, prefix in PREFIXES.items()}

KEY_PATTERN = re.compile(rf"({'|'.join(PURPOSES)})([0-9A-Za-z]{{8}})_([0-9A-Za-z]{{32}})([0-9A-Za-z]{{6}})", re.ASCII)
LONGEST_KEY = max(len(prefix) for prefix in PURPOSES) + 8 + 1 + 32 + 6


@dataclass(frozen=True)
class ParsedKey:
    """A well-formed key. Whether it exists is for the table to say."""

    purpose: Purpose
    public_id: str
    digest: bytes = field(repr=False)


def generate_key(purpose: Purpose) -> tuple[str, ParsedKey]:
    """A new key: the text to hand out once, and what is stored of it."""
    public_id, secret = _random(8), _random(32)
    body = f"{PREFIXES[purpose]}{public_id}_{secret}"
    return body + checksum(body), ParsedKey(purpose, public_id, digest(secret))


def parse_key(text: str) -> ParsedKey | None:
    """The parts of a well-formed key; None for anything else. Bounded work, whatever the input."""
    if len(text) > LONGEST_KEY:
        return None
    match = KEY_PATTERN.fullmatch(text)
    if match is None or checksum(text[:-6]) != match[4]:
        return None
    return ParsedKey(PURPOSES[match[1]], match[2], digest(match[3]))


def digest(secret: str) -> bytes:
    """What is stored of a secret. With 190 random bits, one round of SHA-256 leaves nothing to guess."""
    return hashlib.sha256(secret.encode("ascii")).digest()


def checksum(body: str) -> str:
    """The CRC32 of `body` as six Base62 digits."""
    number = zlib.crc32(body.encode("ascii"))
    letters = []
    for _ in range(6):
        number, rest = divmod(number, 62)
        letters.append(ALPHABET[rest])
    return "".join(reversed(letters))


def _random(length: int) -> str:
    return "".join(secrets.choice(ALPHABET) for _ in range(length))
