"""The caller of an MCP message: throttle and authentication as in /v1, for messages that are not requests of /v1."""

import asyncio

import structlog

from rest_facade.access.authentication import Caller
from rest_facade.errors.envelope import Error, Refused
from rest_facade.errors.refusals import INTERNAL_ERROR
from rest_facade.rest.app import RestApp
from rest_facade.rest.request import Request

log = structlog.get_logger()


async def authenticated_caller(public: RestApp, request: Request) -> Caller:
    """The caller. Raises Refused: 401 and 429 as in /v1, and 500 if the key could not be looked up."""
    try:
        async with asyncio.timeout(public.settings.deadline):
            await public.throttle.admit(request.address)
            caller = await public.authenticate(request)
    except Refused:
        raise
    except Exception as error:
        log.exception("key lookup failed", request_id=request.id)
        raise Refused(INTERNAL_ERROR) from error
    if isinstance(caller, Error):
        raise Refused(caller)
    return caller
