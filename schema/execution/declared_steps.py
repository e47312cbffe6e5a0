"""The steps that fields of the schema declare."""

from dataclasses import replace
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, cast

from graphql import GraphQLField, GraphQLSchema

from resolvers.relations.strawberry_internals import definition_behind
from resolvers.steps.attribute import Attribute
from resolvers.steps.computed import Computed
from resolvers.steps.step import STEP, FieldStep


@lru_cache(1_024)
def _attribute(name: str) -> Attribute:
    """One for all documents: the garbage collector goes through what they keep."""
    return Attribute(name)


def declared_step(definition: GraphQLField) -> FieldStep | None:
    """The step that a field declares; None for introspection, and for a field that is an attribute."""
    step: FieldStep | None = getattr(definition_behind(definition), "metadata", {}).get(STEP)
    return step


def step_of_field(coordinate: str, definition: GraphQLField, schema: GraphQLSchema) -> FieldStep:
    """The step of any field. Raises TypeError for one that Strawberry would execute in its own way."""
    declared, step = definition_behind(definition), declared_step(definition)
    if declared is None:
        resolve, info = definition.resolve, cast("Any", SimpleNamespace(schema=schema))
        assert resolve is not None
        step = Computed(lambda root, **given: resolve(root, info, **given))
    elif declared.base_resolver is not None or declared.extensions:
        raise TypeError(f"{coordinate} has a resolver or extensions of Strawberry: declare a step.")
    if isinstance(step, Computed) and not definition.args:
        return replace(step, name=f"resolve_{coordinate.replace('.', '_')}")
    return step or _attribute(declared.python_name)
