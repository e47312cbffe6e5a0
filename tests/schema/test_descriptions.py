"""The descriptions in `schema/schema.graphql`: each element has one, and it is a sentence that a stranger can use."""

import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from graphql import DocumentNode, GraphQLObjectType, build_schema, get_named_type, is_introspection_type, parse
from graphql.language import ast

TEXT = (Path(__file__).parents[2] / "schema" / "schema.graphql").read_text()
SCHEMA = build_schema(TEXT)

SENTENCE = re.compile(r"[A-Z0-9`].*[^.\s]\.", re.DOTALL)
PLACEHOLDER = re.compile(r"\b(TODO|TBD|FIXME|XXX|lorem)\b|\.\.\.|[<{]|  ", re.IGNORECASE)

UNITS = ("inclusive", "exclusive", "ISO 4217", "ISO 3166-1", "IANA", "four decimals", "decimals of the currency")
OTHER_UNITS = {"Address.country": "is free text on invoices, not a code"}
"""Fields that have another unit than those of the same name, with the reason."""


def elements(document: DocumentNode) -> Iterator[tuple[str, ast.Node]]:
    """Everything that can have a description, by its schema coordinate."""
    for definition in document.definitions:
        assert isinstance(definition, ast.TypeDefinitionNode | ast.DirectiveDefinitionNode)
        is_directive = isinstance(definition, ast.DirectiveDefinitionNode)
        yield from _with_parts(definition, f"@{definition.name.value}" if is_directive else definition.name.value)


def _with_parts(node: ast.Node, coordinate: str) -> Iterator[tuple[str, ast.Node]]:
    yield coordinate, node
    for child in (*(getattr(node, "fields", None) or ()), *(getattr(node, "values", None) or ())):
        yield from _with_parts(child, f"{coordinate}.{child.name.value}")
    for argument in getattr(node, "arguments", None) or ():
        yield from _with_parts(argument, f"{coordinate}({argument.name.value}:)")


def without_sentence(document: DocumentNode) -> list[str]:
    """The coordinates of what has no description, or one that is no sentence or only repeats the name."""
    return [coordinate for coordinate, node in elements(document) if not _is_described(node)]


def _is_described(node: Any) -> bool:
    text = "" if node.description is None else node.description.value
    words = re.sub(r"[\W_]+", "_", text.lower()).strip("_")
    is_name = isinstance(node, ast.FieldDefinitionNode) and words == node.name.value
    return SENTENCE.fullmatch(text) is not None and PLACEHOLDER.search(text) is None and not is_name


def fields() -> dict[str, str]:
    """The description of each field by its coordinate."""
    return {
        f"{type_.name}.{name}": field.description or ""
        for type_ in SCHEMA.type_map.values()
        if isinstance(type_, GraphQLObjectType) and not is_introspection_type(type_)
        for name, field in type_.fields.items()
    }


def test_every_element_is_described_by_a_sentence() -> None:
    assert len(list(elements(parse(TEXT)))) > 1900
    missing = without_sentence(parse(TEXT))
    assert missing == [], "describe these where they are declared: enumerations in db/tables/, others in schema/"


def test_fields_of_one_name_have_the_same_units() -> None:
    units: dict[tuple[str, str], dict[frozenset[str], list[str]]] = defaultdict(lambda: defaultdict(list))
    for coordinate, text in fields().items():
        type_, _, name = coordinate.partition(".")
        of = SCHEMA.type_map[type_]
        assert isinstance(of, GraphQLObjectType)
        if coordinate not in OTHER_UNITS:
            named = frozenset(unit for unit in UNITS if unit in text)
            units[name, get_named_type(of.fields[name].type).name][named].append(coordinate)
    assert [list(places.values()) for places in units.values() if len(places) > 1] == []
    assert set(OTHER_UNITS) <= set(fields())


def test_id_and_its_object_are_null_for_the_same_reason() -> None:
    described = fields()
    differing = [
        (coordinate, edge)
        for coordinate, text in described.items()
        for edge in (coordinate.removesuffix("_id"), coordinate.removesuffix("_user_id"))
        if edge != coordinate
        and edge in described
        and text.partition("null")[2] != described[edge].partition("null")[2]
    ]
    assert differing == []
