"""Merged selections: an operation in which fields with one response key are one field, as they are executed.

Teams write a fragment for each part of a page, so one list often stands in several fragments.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from graphql import print_ast
from graphql.language import ast

from schema.execution.compiler import response_key

MAX_FIELDS = 5_000
"""Fields of a merged operation at most. Nested fragments could have astronomically many."""

Fragments = Mapping[str, ast.FragmentDefinitionNode]
LeavesOut = Callable[[ast.DirectiveNode], bool]


class TooManyFields(Exception):
    """The merged operation would have more than MAX_FIELDS fields."""


class MergedFields:
    """Merges the fields of a selection, level by level.

    Only fields of one name and the same arguments are merged: others under one response key are invalid.
    """

    def __init__(self, fragments: Fragments, leaves_out: LeavesOut) -> None:
        self._fragments = fragments
        self._leaves_out = leaves_out
        self._number = 0

    def merge(self, sets: Sequence[ast.SelectionSetNode]) -> ast.SelectionSetNode:
        """One selection without fragments and without fields that are left out."""
        groups: dict[tuple[str, ...], list[ast.FieldNode]] = {}
        spread: set[str] = set()
        for each in sets:
            for node in self._fields(each, spread):
                arguments = sorted(map(print_ast, node.arguments or ()))
                groups.setdefault((response_key(node), node.name.value, *arguments), []).append(node)
        return ast.SelectionSetNode(selections=tuple(map(self._merged, groups.values())))

    def _merged(self, nodes: Sequence[ast.FieldNode]) -> ast.FieldNode:
        below = [node.selection_set for node in nodes if node.selection_set is not None]
        return replace(nodes[0], selection_set=self.merge(below) if below else None)

    def _fields(self, selection: ast.SelectionSetNode, spread: set[str]) -> Iterator[ast.FieldNode]:
        """The fields of a selection and of its fragments, each fragment once."""
        for node in selection.selections:
            if any(map(self._leaves_out, node.directives or ())):
                continue
            if isinstance(node, ast.FieldNode):
                self._number += 1
                if self._number > MAX_FIELDS:
                    raise TooManyFields
                yield node
            elif isinstance(node, ast.InlineFragmentNode):
                yield from self._fields(node.selection_set, spread)
            elif isinstance(node, ast.FragmentSpreadNode) and node.name.value not in spread:
                spread.add(node.name.value)
                if fragment := self._fragments.get(node.name.value):
                    yield from self._fields(fragment.selection_set, spread)
