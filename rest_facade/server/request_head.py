"""What is wrong with the head of a request that the parser refuses, and with some that it accepts (RFC 9112)."""

import re
from collections.abc import Sequence

import httptools
import structlog

from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import INTERNAL_ERROR, MALFORMED, METHOD_NOT_ALLOWED, ROUTE_NOT_FOUND, UNENCODED_URL

log = structlog.get_logger()

# RFC 9110, 5.6.2 (token) and RFC 9112, 3 (request line). A target has no fragment.
REQUEST_LINE = re.compile(rb"(?:\r\n)*([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!\"$-~]+) HTTP/1\.[01]\r\n")
UNENCODED_LINE = re.compile(rb"(?:\r\n)*[A-Z]+ /(?:[!-~]*[\x80-\xff]|[ -~]+ HTTP/1\.[01]\r\n)")
"""A request line with a character that a URL does not have, such as a space or ü."""
UNFINISHED_LINE = re.compile(rb"(?:\r\n)*[ -~]+\r?")


def require_single_spaces(head: bytes, method: bytes, target: bytes) -> None:
    """Raise Refused (400) unless one space separates the parts of the request line (RFC 9112, 3)."""
    line = b"%b %b HTTP/" % (method, target)
    # An empty line before the request line is allowed (RFC 9112, 2.2).
    if not head.startswith(line) and not head.lstrip(b"\r\n").startswith(line):
        raise Refused(MALFORMED)


def require_host(headers: Sequence[tuple[bytes, bytes]], version: str) -> None:
    """Raise Refused (400) unless there is one Host header; HTTP/1.0 has it not always (RFC 9112, 3.2)."""
    hosts = [name for name, _ in headers].count(b"host")
    if hosts != 1 and (hosts or version != "1.0"):
        raise Refused(MALFORMED)


def head_without_upgrade(request_line: bytes, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
    """The head of a request without its offer of another protocol."""
    fields = [b"%b: %b" % field for field in headers if field[0] != b"upgrade"]
    return b"\r\n".join([request_line, *fields, b"", b""])


def error_of_parser(raised: httptools.HttpParserError, head: bytes) -> Error | None:
    """The error to answer. None while the request line is incomplete: it decides between 400, 404 and 405."""
    if isinstance(raised, httptools.HttpParserCallbackError):
        cause = raised.__context__
        if isinstance(cause, Refused):
            return cause.error
        if not isinstance(cause, httptools.HttpParserError):
            log.error("exception in the HTTP protocol", exc_info=cause)
            return INTERNAL_ERROR
        return MALFORMED
    return None if UNFINISHED_LINE.fullmatch(head) else error_for_method(head)


def error_for_method(head: bytes) -> Error:
    """The error for a request that the parser refuses: 400, or 404 and 405 where only its method is unknown."""
    line = REQUEST_LINE.match(head)
    if line is None or is_parser_method(line[1]):
        return UNENCODED_URL if line is None and UNENCODED_LINE.match(head) else MALFORMED
    return METHOD_NOT_ALLOWED if line[2].startswith(b"/v1/") else ROUTE_NOT_FOUND


def origin_form(target: bytes, method: bytes) -> bytes:
    """The path and query of a target in absolute-form; `*` is returned unchanged (RFC 9112, 3.2). Raises Refused."""
    if target == b"*":
        return target
    try:
        url = httptools.parse_url(target)
    except httptools.HttpParserInvalidURLError:
        raise Refused(ROUTE_NOT_FOUND if method == b"CONNECT" else MALFORMED) from None
    return (url.path or b"/") + (b"" if url.query is None else b"?" + url.query)


def is_parser_method(method: bytes) -> bool:
    """Whether the parser accepts this method. httptools publishes no list, so a request is parsed."""
    try:
        httptools.HttpRequestParser(object()).feed_data(method + b" / HTTP/1.1\r\nHost: x\r\n\r\n")
    except httptools.HttpParserUpgrade:
        return True
    except httptools.HttpParserError:
        return False
    return True
