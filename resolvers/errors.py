"""What a resolver refuses. Each carries its code as data, so that no layer above imports these classes."""

from collections.abc import Mapping
from typing import Any


class Refusal(Exception):
    """An expected failure: `extensions` travel with the GraphQL error, `message` is for the client."""

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


class Invalid(Refusal):
    """An argument that only the data could prove wrong."""

    code = "VALIDATION_ERROR"
