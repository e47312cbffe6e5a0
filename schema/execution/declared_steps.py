"""The steps that fields of the schema declare."""

from dataclasses import replace
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, cast

from graphql import GraphQLField, GraphQLSchema

from resolvers.relations.strawberry_internals import declared_function, definition_behind
from resolvers.steps.attribute import Attribute
from resolvers.steps.computed import Computed
from resolvers.steps.step import STEP, FieldStep


@lru_cache(1_024)
def _attribute(name: str) -> Attribute:
    """One for all documents: the garbage collector goes through what they keep."""
    return Attribute(name)


def declared_step(definition: GraphQLField) -> FieldStep | None:
    """The step that a field declares; None for introspection, and for a field that is an attribute or a function."""
    step: FieldStep | None = getattr(definition_behind(definition), "metadata", {}).get(STEP)
    return step


def step_of_field(coordinate: str, definition: GraphQLField, schema: GraphQLSchema) -> FieldStep:
    """The step of any field. Raises TypeError for one that cannot be executed."""
    name = f"resolve_{coordinate.replace('.', '_')}"
    in_code = "" if definition.args else name
    declared = definition_behind(definition)
    if declared is None:
        resolve, info = definition.resolve, cast("Any", SimpleNamespace(schema=schema))
        assert resolve is not None
        return Computed(lambda parent, **given: resolve(parent, info, **given), None, "parent", in_code)
    if declared.extensions:
        raise TypeError(f"{coordinate} has Strawberry extensions, which the compiler does not run.")
    step, resolver = declared_step(definition), declared.base_resolver
    if step is not None:
        return replace(step, name=name) if isinstance(step, Computed) else step
    if resolver is None:
        return _attribute(declared.python_name)
    if resolver.is_async:
        raise TypeError(f"The resolver of {coordinate} is a coroutine function: declare it as a batch resolver.")
    function, parent = declared_function(resolver)
    return Computed(function, None, parent, "" if parent is None else in_code)
