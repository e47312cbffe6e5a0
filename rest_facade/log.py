"""The log: one event a line, JSON unless a person is watching. No key ever stands in it."""

import json
import logging
import re
import sys
from typing import Any, TextIO, cast

import orjson
import structlog
from structlog.typing import Processor, WrappedLogger

from rest_facade.lossy import Lossy

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


def configure() -> None:
    """Log to standard error, from structlog and from the libraries that use `logging`."""
    watched = sys.stderr.isatty()
    stream = Lossy(sys.stderr)
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
