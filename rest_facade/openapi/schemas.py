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
    """Collects the schemas of components: a name for each shape in which a type is answered."""

    def __init__(self) -> None:
        self.components: dict[str, Schema] = {}

    def body(self, endpoint: Endpoint, answer: DocumentTypes) -> Schema:
        """The body with which an endpoint answers."""
        about = answer.about()
        keys = {key.name: key for key in about.shape.keys} if isinstance(about.shape, ObjectType) else {}
        if isinstance(endpoint.envelope, Offset):
            return self._offset(keys["results"], endpoint.operation)
        if isinstance(endpoint.envelope, Cursor):
            return self._page(keys["results"], endpoint.operation, {"pagination": self._key(keys["pagination"], "")})
        return self._of(about.shape, endpoint.operation)

    def choice(self, choice: EnumType) -> Schema:
        """One word for an enumeration, in parameters and in items."""
        made = {"type": "string", "description": choice.description, "enum": list(choice.values)}
        return self._named(choice.name, made)

    def _offset(self, results: ResultField, operation: str) -> Schema:
        return self._page(results, operation, {"count": COUNT, "next": NEXT, "previous": PREVIOUS})

    def _page(self, results: ResultField, operation: str, others: Schema) -> Schema:
        rows = self._key(results, operation)
        item = rows["items"]["$ref"].rpartition("/")[2]
        return self._named(
            f"{item}Page",
            {
                "type": "object",
                "description": "One page of a list.",
                "properties": {**others, "results": rows},
                "required": [*others, "results"],
            },
        )

    def _of(self, shape: ResultType, operation: str) -> Schema:
        match shape:
            case ScalarType(name):
                return dict(scalar_named(name).json)
            case EnumType():
                return self.choice(shape)
            case ListType(item):
                return {"type": "array", "items": self._of(item, operation)}
            case ObjectType():
                return self._object(shape, operation)

    def _object(self, shape: ObjectType, operation: str) -> Schema:
        made = {
            "type": "object",
            "description": shape.description,
            "properties": {key.name: self._key(key, operation) for key in shape.keys},
            "required": [key.name for key in shape.keys if not key.is_optional],
        }
        name = shape.name
        if self.components.get(name, made) != made:
            # The same type with other keys: the operation tells it apart.
            name = f"{shape.name}Of{operation[0].upper()}{operation[1:]}"
        return self._named(name, made)

    def _key(self, key: ResultField, operation: str) -> Schema:
        schema = self._of(key.shape, operation)
        if key.is_nullable:
            schema = _or_null(schema)
        unit = scalar_named(key.shape.name).unit if isinstance(key.shape, ScalarType) else ""
        return {**schema, "description": " ".join(filter(None, [key.description, unit]))}

    def _named(self, name: str, schema: Schema) -> Schema:
        known = self.components.setdefault(name, schema)
        assert known == schema, f"Two schemas are called {name}."
        return reference(name)


def _or_null(schema: Schema) -> Schema:
    if "type" in schema:
        return {**schema, "type": [schema["type"], "null"]}
    return {"anyOf": [schema, {"type": "null"}]}
