"""Validation without the rules that a document cannot break: it finds what all rules find."""

import pytest
from graphql import parse, specified_rules, validate

from schema.execution.operation import RULES_OF_TOKENS, validation_errors
from schema.schema import GRAPHQL_SCHEMA


def test_every_named_rule_is_one_of_graphql_core() -> None:
    named = {name for names in RULES_OF_TOKENS.values() for name in names.split()}
    assert named <= {rule.__name__.removesuffix("Rule") for rule in specified_rules}


@pytest.mark.parametrize(
    ("document", "message"),
    [
        ("{ projects(limit: $limit) { count } }", "Variable '$limit' is not defined."),
        ("query ($limit: Int) { projects { count } }", "Variable '$limit' is never used."),
        ("query ($limit: Project) { projects(limit: $limit) { count } }", "Variable '$limit' cannot be non-input type"),
        ("{ projects { ...page } }", "Unknown fragment 'page'."),
        ("{ projects { count } } fragment page on ProjectPage { count }", "Fragment 'page' is never used."),
        ("{ projects { ... on Client { id } } }", "Fragment cannot be spread here"),
        ("{ projects { count @upper } }", "Unknown directive '@upper'."),
        ("{ projects { count @skip(if: true) @skip(if: true) } }", "can only be used once"),
        ("{ projects { sum } }", "Cannot query field 'sum'"),
        ("{ projects { count } } { clients { count } }", "must be the only defined operation"),
    ],
)
def test_invalid_document_has_errors_of_all_rules(document: str, message: str) -> None:
    parsed = parse(document)
    errors = validation_errors(parsed, document, GRAPHQL_SCHEMA)
    assert errors == validation_errors(parsed, None, GRAPHQL_SCHEMA) == validate(GRAPHQL_SCHEMA, parsed)
    assert message in errors[0].message
