"""The log: one event a line, JSON unless a person is watching. No key ever stands in it."""

import json
import logging
import re
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO, cast

import orjson
import structlog
from structlog.typing import Processor, WrappedLogger

from rest_facade.telemetry.nonblocking_stream import NonblockingStream

QUIET = 10.0
"""Seconds between two lines of a pool that can't connect. It tries several times a second, and says so each time."""

KEY = re.compile(r"(orgd_(?:live|mcp|int)_)\w+")


def redact(logger: WrappedLogger, method: str, event: Any) -> Any:
    """Cut the secret out of every key in a line that is ready to be written, wherever in it the key turned up."""
    return KEY.sub(r"\1[redacted]", event) if isinstance(event, str) else event


def _json(event: Any, **_: Any) -> str:
    """One line, whatever the event holds: what JSON does not know is shown as Python shows it."""
    try:
        return orjson.dumps(event, default=repr, option=orjson.OPT_PASSTHROUGH_DATACLASS).decode()
    except TypeError:
        # Half a surrogate, say, which is no UTF-8; the slower encoder writes all of it in ASCII.
        return json.dumps(event, default=repr)


class RepeatFilter(logging.Filter):
    """Lets a message pass once in QUIET seconds; what differs in its arguments is the same message."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._passed: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        now = self._clock()
        if now - self._passed.get(record.msg, -QUIET) < QUIET:
            return False
        self._passed[record.msg] = now
        return True


def configure() -> None:
    """Log to standard error, from structlog and from the libraries that use `logging`."""
    watched = sys.stderr.isatty()
    stream = NonblockingStream(sys.stderr)
    shared: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper("iso"),
        # Plain tracebacks: those of rich print local variables, and with them whatever a request carried.
        structlog.processors.format_exc_info,
    ]
    renderer: Processor = structlog.processors.JSONRenderer(_json)
    if watched:
        renderer = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(
        processors=[*shared, renderer, redact],
        logger_factory=structlog.WriteLoggerFactory(cast("TextIO", stream)),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(stream)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer, redact],
        )
    )
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    pool = logging.getLogger("db.reading.pool")
    pool.filters = [RepeatFilter()]
