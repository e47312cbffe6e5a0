"""The log: one event a line, JSON unless a person is watching. No key ever stands in it."""

import logging
import re
import sys
from typing import Any

import structlog
from structlog.typing import Processor, WrappedLogger

KEY = re.compile(r"(orgd_(?:live|mcp|int)_)\w+")


def redact(logger: WrappedLogger, method: str, event: Any) -> Any:
    """Cut the secret out of every key in a line that is ready to be written, wherever in it the key turned up."""
    return KEY.sub(r"\1[redacted]", event) if isinstance(event, str) else event


def configure() -> None:
    """Log to standard error, from structlog and from the libraries that use `logging`."""
    watched = sys.stderr.isatty()
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.processors.add_log_level,
        structlog.processors.TimeStamper("iso"),
        # Plain tracebacks: those of rich print local variables, and with them whatever a request carried.
        structlog.processors.format_exc_info,
    ]
    renderer: Processor = structlog.processors.JSONRenderer()
    if watched:
        renderer = structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)
    structlog.configure(
        processors=[*shared, renderer, redact],
        logger_factory=structlog.WriteLoggerFactory(sys.stderr),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer, redact],
        )
    )
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
