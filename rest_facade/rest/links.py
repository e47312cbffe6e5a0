"""Paging links of a response: URLs of pages, cursors, and the position from which a request continues."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from resolvers.reports.walk_cursor import INVALID_CURSOR
from rest_facade.errors.envelope import Refused
from rest_facade.errors.refusals import invalid
from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.request import Request
from rest_facade.rest.signed_tokens import TokenSigner, token_subject


@dataclass(frozen=True)
class RequestLinks:
    """The links of one request (see `envelopes.Links`). URLs start with the configured base URL, never with Host."""

    signer: TokenSigner
    base_url: str
    organization_id: UUID
    endpoint: Endpoint
    variables: Mapping[str, Any]
    request: Request

    def page_url(self, number: int, position: str | None) -> str:
        page_token = self.signer.sign(position, self._subject(number)) if position is not None else None
        path = self.endpoint.path.format_map(self.variables)
        return f"{self.base_url}{path}?{self.request.page_query(number, page_token)}"

    def cursor(self, position: str) -> str:
        return self.signer.sign(position, self._subject(None))

    def start_position(self) -> dict[str, str]:
        """The variable with the position at which the previous page ended; empty without one.

        Raises Refused (400) for a cursor that does not verify. A page token that does not verify is ignored: then the
        page number decides.
        """
        query = self.request.query_values
        if "cursor" in self.endpoint.query_names and "cursor" in query:
            position = self.signer.verify(query["cursor"][0], self._subject(None))
            if position is None:
                raise Refused(invalid(INVALID_CURSOR, "cursor"))
            return {"cursor": position}
        if "after" in self.endpoint.query_names and "after" in query:
            position = self.signer.verify(query["after"][0], self._subject(self.variables["page"]))
            return {} if position is None else {"after": position}
        return {}

    def _subject(self, page: int | None) -> bytes:
        return token_subject(self.organization_id, self.endpoint.operation, self.variables, page)
