"""JSON schemas of response bodies: items with formats, units and descriptions, and the envelopes around them."""

from typing import Any

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Cursor, Offset
from schema.documents.result_types import (
    DocumentTypes,
    EnumType,
    ListType,
    ObjectType,
    ResultField,
    ResultType,
    ScalarType,
)
from schema.scalars import scalar_named

Schema = dict[str, Any]

COUNT = {"type": "integer", "minimum": 0, "description": "Number of rows on all pages."}
NEXT = {
    "type": ["string", "null"],
    "format": "uri",
    "description": "URL of the next page; null on the last page. Use it unchanged.",
}
PREVIOUS = {"type": ["string", "null"], "format": "uri", "description": "URL of the previous page; null on page 1."}


def reference(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


class Schemas:
    """The component schemas, collected while operations are described. A type with other keys has a name of its own."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}

    def body(self, endpoint: Endpoint, types: DocumentTypes) -> Schema:
        """The schema of the response body of an endpoint."""
        result = types.result()
        keys = {key.name: key for key in result.type.keys} if isinstance(result.type, ObjectType) else {}
        if isinstance(endpoint.envelope, Offset):
            return self._offset(keys["results"], endpoint.operation)
        if isinstance(endpoint.envelope, Cursor):
            return self._page(keys["results"], endpoint.operation, {"pagination": self._key(keys["pagination"], "")})
        return self._schema(result.type, endpoint.operation)

    def enum(self, enum: EnumType) -> Schema:
        """A reference to an enumeration, for parameters and items."""
        values = [f"- `{each}`: {text}" for each, text in zip(enum.values, enum.value_descriptions, strict=True)]
        description = "\n".join((enum.description, "", *values))
        schema = {"type": "string", "description": description, "enum": list(enum.values)}
        return self._component(enum.name, schema)

    def _offset(self, results: ResultField, operation: str) -> Schema:
        return self._page(results, operation, {"count": COUNT, "next": NEXT, "previous": PREVIOUS})

    def _page(self, results: ResultField, operation: str, others: Schema) -> Schema:
        rows = self._key(results, operation)
        item = rows["items"]["$ref"].rpartition("/")[2]
        return self._component(
            f"{item}Page",
            {
                "type": "object",
                "description": "One page of a list.",
                "properties": {**others, "results": rows},
                "required": [*others, "results"],
            },
        )

    def _schema(self, type_: ResultType, operation: str) -> Schema:
        match type_:
            case ScalarType(name):
                return dict(scalar_named(name).json)
            case EnumType():
                return self.enum(type_)
            case ListType(item):
                return {"type": "array", "items": self._schema(item, operation)}
            case ObjectType():
                return self._object(type_, operation)

    def _object(self, type_: ObjectType, operation: str) -> Schema:
        schema = {
            "type": "object",
            "description": type_.description,
            "properties": {key.name: self._key(key, operation) for key in type_.keys},
            "required": [key.name for key in type_.keys if not key.is_optional],
        }
        name = type_.name
        if self.components.get(name, schema) != schema:
            # The same type with other keys: the name of the operation distinguishes it.
            name = f"{type_.name}Of{operation[0].upper()}{operation[1:]}"
        return self._component(name, schema)

    def _key(self, key: ResultField, operation: str) -> Schema:
        schema = self._schema(key.type, operation)
        if key.is_nullable:
            schema = _or_null(schema)
        unit = scalar_named(key.type.name).unit if isinstance(key.type, ScalarType) else ""
        return {**schema, "description": " ".join(filter(None, [key.description, unit]))}

    def _component(self, name: str, schema: Schema) -> Schema:
        existing = self.components.setdefault(name, schema)
        assert existing == schema, f"Two schemas are called {name}."
        return reference(name)


def _or_null(schema: Schema) -> Schema:
    if "type" in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
