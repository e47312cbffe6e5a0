"""Expected errors of resolvers. The code is data (`extensions`), so no layer above imports these classes."""

from collections.abc import Mapping
from typing import Any


class Refusal(Exception):
    """An expected error: `message` is for the client, `extensions` become those of the GraphQL error."""

    code: str

    def __init__(self, message: str, details: Mapping[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.extensions: dict[str, Any] = {"code": self.code}
        if details is not None:
            self.extensions["details"] = dict(details)


class NotFound(Refusal):
    """The entity does not exist in the organization of the request."""

    code = "RESOURCE_NOT_FOUND"

    def __init__(self, noun: str) -> None:
        super().__init__(f"{noun} not found.")


class StatementTooSlow(Refusal):
    """A statement was cancelled at the limit of a statement."""

    code = "STATEMENT_TIMEOUT"

    def __init__(self, seconds: float) -> None:
        super().__init__(
            f"The database did not answer within {seconds:g} seconds: ask for fewer days, people or fields,"
            " or try again later."
        )


class DatabaseBusy(Refusal):
    """Other reads had all connections that this one could use."""

    code = "SERVICE_UNAVAILABLE"

    def __init__(self, seconds: float) -> None:
        super().__init__(f"Other operations had the database connections for {seconds:g} seconds: try again later.")


class Invalid(Refusal):
    """An argument is invalid, by a rule that the type of the argument cannot express."""

    code = "VALIDATION_ERROR"
