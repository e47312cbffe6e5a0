"""The body of a POST of JSON: its media type, its size, its bytes."""

from starlette.datastructures import Headers
from starlette.types import Receive

from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import Code

JSON_MEDIA_TYPE = "application/json"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

MAX_BODY = 64 * 1024
"""Bytes of a body at most. A list of 100 ids takes about 4,000."""

UNSUPPORTED_MEDIA_TYPE = Error(415, Code.VALIDATION_ERROR, "Content-Type must be application/json.")
ENCODED_BODY = Error(415, Code.VALIDATION_ERROR, "Content-Encoding is not supported: send the body uncompressed.")
# The rest of the body is not read, so the connection can't be used again.
BODY_TOO_LARGE = Error(413, Code.VALIDATION_ERROR, f"The body exceeds {MAX_BODY} bytes.", {"Connection": "close"})


def require_json(headers: Headers) -> None:
    """Raise Refused (415) unless the body is JSON, not compressed. Parameters of the media type are ignored."""
    if headers.get("content-type", "").split(";")[0].strip().lower() != JSON_MEDIA_TYPE:
        raise Refused(UNSUPPORTED_MEDIA_TYPE)
    if headers.get("content-encoding", "identity").strip().lower() != "identity":
        raise Refused(ENCODED_BODY)


async def read_body(headers: Headers, receive: Receive) -> bytes:
    """The body, without a byte order mark (RFC 8259, 8.1).

    Raises Refused (413) as soon as it is too large, by Content-Length or by the bytes received.
    """
    length = headers.get("content-length", "")
    if length.isdecimal() and (len(length) > 18 or int(length) > MAX_BODY):
        raise Refused(BODY_TOO_LARGE)
    body = b""
    more = True
    while more:
        message = await receive()
        body += message.get("body", b"")
        if len(body) > MAX_BODY:
            raise Refused(BODY_TOO_LARGE)
        more = message.get("more_body", False)
    return body.removeprefix(BYTE_ORDER_MARK)
