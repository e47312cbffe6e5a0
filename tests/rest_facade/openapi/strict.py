"""Schemas of the document as tests read them: stricter than for clients, who must bear keys that they don't know."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

FORMATS = FormatChecker(("uuid", "date", "date-time"))


def strict(schema: Any) -> Any:
    """The same, but an object has no other keys than those that are described."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    closed = {"additionalProperties": False} if isinstance(schema.get("properties"), Mapping) else {}
    return closed | {name: strict(item) for name, item in schema.items()}


class Validator:
    """Judges bodies by a whole document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self._strict = strict(document)

    def response(self, path: str, status: int) -> Mapping[str, Any]:
        """What is described as the response of a path."""
        response: Mapping[str, Any] = self.document["paths"][path]["get"]["responses"][str(status)]
        name = response.get("$ref", "").rpartition("/")[2]
        return self.document["components"]["responses"][name] if name else response

    def check(self, path: str, status: int, body: Any, headers: Mapping[str, str]) -> None:
        """Raises AssertionError for a body or headers that are not as described."""
        response = self.response(path, status)
        self.check_body(response["content"]["application/json"]["schema"], body)
        for name in response["headers"]:
            header = self.document["components"]["headers"][name]
            assert name in headers or not header.get("required"), name
            if name in headers:
                integer = header["schema"]["type"] == "integer"
                self.check_body(header["schema"], int(headers[name]) if integer else headers[name])

    def check_body(self, schema: Mapping[str, Any], body: Any) -> None:
        whole = {**strict(schema), "components": self._strict["components"]}
        found = Draft202012Validator(whole, format_checker=FORMATS).iter_errors(body)
        assert [f"{error.json_path}: {error.message}" for error in found] == []
