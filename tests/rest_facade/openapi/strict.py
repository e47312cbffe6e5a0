"""A validator of the OpenAPI document that refuses undeclared keys, which clients must accept."""

from collections.abc import Mapping
from typing import Any

from jsonschema import Draft202012Validator, FormatChecker

FORMATS = FormatChecker(("uuid", "date", "date-time"))


def strict(schema: Any) -> Any:
    """The schema, with `additionalProperties: false` in every described object."""
    if isinstance(schema, list):
        return [strict(item) for item in schema]
    if not isinstance(schema, Mapping):
        return schema
    closed = {"additionalProperties": False} if isinstance(schema.get("properties"), Mapping) else {}
    return closed | {name: strict(item) for name, item in schema.items()}


class Validator:
    """Validates bodies and headers against a document."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self.document = document
        self._strict = strict(document)

    def response(self, path: str, status: int) -> Mapping[str, Any]:
        """The declared response of a path and status."""
        response: Mapping[str, Any] = self.document["paths"][path]["get"]["responses"][str(status)]
        name = response.get("$ref", "").rpartition("/")[2]
        return self.document["components"]["responses"][name] if name else response

    def check(self, path: str, status: int, body: Any, headers: Mapping[str, str]) -> None:
        """Raises AssertionError if a body or its headers do not match."""
        response = self.response(path, status)
        self.check_body(response["content"]["application/json"]["schema"], body)
        known = self.document["components"]["headers"]
        assert {name for name in known if name in headers} <= response["headers"].keys()
        for name in response["headers"]:
            header = known[name]
            assert name in headers or not header.get("required"), name
            if name in headers:
                integer = header["schema"]["type"] == "integer"
                self.check_body(header["schema"], int(headers[name]) if integer else headers[name])

    def check_body(self, schema: Mapping[str, Any], body: Any) -> None:
        whole = {**strict(schema), "components": self._strict["components"]}
        found = Draft202012Validator(whole, format_checker=FORMATS).iter_errors(body)
        assert [f"{error.json_path}: {error.message}" for error in found] == []
