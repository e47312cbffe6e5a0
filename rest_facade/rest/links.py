"""How one answer leads to the next: URLs of pages, cursors, and the place from which a request reads on."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.errors import Refused, invalid
from rest_facade.rest.request import Request
from rest_facade.rest.signed_tokens import TokenSigner, subject


@dataclass(frozen=True)
class RequestLinks:
    """The links of one request (see `envelopes.Links`). URLs start with the configured address, never with Host."""

    signer: TokenSigner
    base_url: str
    organization_id: UUID
    endpoint: Endpoint
    variables: Mapping[str, Any]
    request: Request

    def page(self, number: int, position: str | None) -> str:
        hint = self.signer.seal(position, self._about(number)) if position is not None else None
        path = self.endpoint.path.format_map(self.variables)
        return f"{self.base_url}{path}?{self.request.query_for(number, hint)}"

    def cursor(self, position: str) -> str:
        return self.signer.seal(position, self._about(None))

    def position(self) -> dict[str, str]:
        """The variable that holds the place where the page before ended. Raises Refused for a cursor that isn't ours.

        A hint that was not given for this very page is overlooked: the number of the page decides.
        """
        given = self.request.given
        if "cursor" in self.endpoint.names and "cursor" in given:
            position = self.signer.open(given["cursor"][0], self._about(None))
            if position is None:
                raise Refused(invalid("Invalid cursor.", "cursor"))
            return {"cursor": position}
        if "after" in self.endpoint.names and "after" in given:
            position = self.signer.open(given["after"][0], self._about(self.variables["page"]))
            return {} if position is None else {"after": position}
        return {}

    def _about(self, page: int | None) -> bytes:
        return subject(self.organization_id, self.endpoint.operation, self.variables, page)
