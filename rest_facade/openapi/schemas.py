"""JSON schemas of response bodies: items with formats, units and descriptions, and the envelopes around them."""

from typing import Any

from graphql import get_nullable_type, is_enum_type, is_list_type, is_scalar_type

from rest_facade.rest.endpoint import Endpoint
from rest_facade.rest.envelopes import Cursor, Offset
from schema.documents.result_types import DocumentTypes, ResultField
from schema.scalars import scalar_named
from schema.schema import GRAPHQL_SCHEMA

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
        keys = {key.name: key for key in types.result.keys}
        if isinstance(endpoint.envelope, Offset):
            counted = {"count": COUNT, "next": NEXT, "previous": PREVIOUS}
            return self._page(keys["results"], endpoint.operation, counted)
        if isinstance(endpoint.envelope, Cursor):
            return self._page(keys["results"], endpoint.operation, {"pagination": self._key(keys["pagination"], "")})
        return self._schema(types.result, types.result.type, endpoint.operation)

    def enum(self, name: str) -> Schema:
        """A reference to an enumeration of the GraphQL schema, for parameters and items."""
        enum: Any = GRAPHQL_SCHEMA.type_map[name]
        values = [f"- `{each}`: {value.description}" for each, value in enum.values.items()]
        description = "\n".join((enum.description, "", *values))
        return self._component(name, {"type": "string", "description": description, "enum": list(enum.values)})

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

    def _schema(self, field: ResultField, type_: Any, operation: str) -> Schema:
        """The schema of the type of a field, or of its items."""
        type_ = get_nullable_type(type_)
        if is_list_type(type_):
            return {"type": "array", "items": self._schema(field, type_.of_type, operation)}
        if is_enum_type(type_):
            return self.enum(type_.name)
        return dict(scalar_named(type_.name).json) if is_scalar_type(type_) else self._object(field, operation)

    def _object(self, field: ResultField, operation: str) -> Schema:
        name, description = field.object_type
        schema = {
            "type": "object",
            "description": description,
            "properties": {key.name: self._key(key, operation) for key in field.keys},
            "required": [key.name for key in field.keys if not key.is_optional],
        }
        if self.components.get(name, schema) != schema:
            # The same type with other keys: the name of the operation distinguishes it.
            name = f"{name}Of{operation[0].upper()}{operation[1:]}"
        return self._component(name, schema)

    def _key(self, key: ResultField, operation: str) -> Schema:
        schema = self._schema(key, key.type, operation)
        if key.is_nullable:
            schema = _or_null(schema)
        type_ = get_nullable_type(key.type)
        unit = scalar_named(type_.name).unit if is_scalar_type(type_) else ""
        return {**schema, "description": " ".join(filter(None, [key.description, unit]))}

    def _component(self, name: str, schema: Schema) -> Schema:
        existing = self.components.setdefault(name, schema)
        assert existing == schema, f"Two schemas are called {name}."
        return reference(name)


def _or_null(schema: Schema) -> Schema:
    if "type" in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
