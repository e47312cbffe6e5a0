"""Validation of documents by graphql-core, without the rules that a document cannot break.

All rules together visit each node of a document, and those of variables hash all of it: half of the time is saved for
documents without variables, fragments and directives, which is what most ad-hoc documents are.
"""

from collections.abc import Sequence

from graphql import DocumentNode, GraphQLError, GraphQLSchema, specified_rules, validate

MAX_VALIDATION_ERRORS = 20
"""Reported validation errors of a document at most."""

RULES_OF_TOKENS = {
    ("$",): """NoUndefinedVariables NoUnusedVariables UniqueVariableNames VariablesAreInputTypes
        VariablesInAllowedPosition""",
    ("...", "fragment"): """FragmentsOnCompositeTypes KnownFragmentNames NoFragmentCycles NoUnusedFragments
        PossibleFragmentSpreads UniqueFragmentNames""",
    ("@",): """KnownDirectives UniqueDirectivesPerLocation DeferStreamDirectiveOnRootField DeferStreamDirectiveLabel
        DeferStreamDirectiveOnValidOperations StreamDirectiveOnListField""",
}
"""The names of rules that no document without one of the tokens can break."""

_TOKENS_OF_RULE = {name: tokens for tokens, names in RULES_OF_TOKENS.items() for name in names.split()}
_RULES = [(rule, _TOKENS_OF_RULE.get(rule.__name__.removesuffix("Rule"), ("",))) for rule in specified_rules]


def validation_errors(document: DocumentNode, text: str | None, schema: GraphQLSchema) -> Sequence[GraphQLError]:
    """The errors of a parsed document, whose text tells what it may have; all rules are applied if it is unknown."""
    rules = [rule for rule, tokens in _RULES if text is None or any(token in text for token in tokens)]
    return validate(schema, document, rules, max_errors=MAX_VALIDATION_ERRORS, allow_empty_selection_sets=False)
