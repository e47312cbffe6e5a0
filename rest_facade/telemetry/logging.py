"""Logging: one event a line, as JSON, or as text on a terminal. API keys are redacted from every line."""

import json
import logging
import sys
import time
from collections.abc import Callable
from typing import Any, TextIO, cast

import orjson
import structlog
from structlog.typing import Processor, WrappedLogger

from db.admin.key_format import without_secrets
from rest_facade.telemetry.nonblocking_stream import NonblockingStream

REPEAT_SECONDS = 10.0
"""Seconds between two lines with the same message: the connection pool retries, and clients poll, again and again."""


def redact(logger: WrappedLogger, method: str, event: Any) -> Any:
    """Structlog processor: replace the secret of every key in the rendered line."""
    return without_secrets(event) if isinstance(event, str) else event


def _json(event: Any, **_: Any) -> str:
    """The event as one line of JSON. Values that JSON has no type for are written as their `repr`."""
    try:
        return orjson.dumps(event, default=repr, option=orjson.OPT_PASSTHROUGH_DATACLASS).decode()
    except TypeError:
        # Such as a lone surrogate, which is not UTF-8; the slower encoder writes ASCII.
        return json.dumps(event, default=repr)


class RepeatFilter(logging.Filter):
    """Passes a message once in REPEAT_SECONDS, whatever its arguments are."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._last_passed: dict[str, float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Whether the record is written."""
        now = self._clock()
        if now - self._last_passed.get(record.msg, -REPEAT_SECONDS) < REPEAT_SECONDS:
            return False
        self._last_passed[record.msg] = now
        return True


def configure() -> None:
    """Send the events of structlog and of `logging` to standard error."""
    is_terminal = sys.stderr.isatty()
    stream = NonblockingStream(sys.stderr)
    shared: list[Processor] = [
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper("iso"),
        # Plain tracebacks: those of rich print local variables, and so data of requests.
        structlog.processors.format_exc_info,
    ]
    renderer: Processor = structlog.processors.JSONRenderer(_json)
    if is_terminal:
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
    for repeating in ("db.reading.pool", "schema.execution.operation"):
        logging.getLogger(repeating).filters = [RepeatFilter()]
