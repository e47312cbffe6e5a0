"""Hints at fields that a document may have meant."""

import pytest

from schema.execution.operation import InvalidDocument, Operation


@pytest.mark.parametrize(
    ("document", "message"),
    [
        (
            "{ members { full_name } }",
            "Cannot query field 'full_name' on type 'MemberPage'. Did you mean 'results { full_name }'?",
        ),
        (
            "{ tasks { results { members { results { member { full_name } } } } } }",
            "Cannot query field 'member' on type 'TaskMember'. Did you mean 'user'?",
        ),
        ("{ teams { nodes { name } } }", "Cannot query field 'nodes' on type 'TeamPage'. Did you mean 'results'?"),
        ("{ members { salary } }", "Cannot query field 'salary' on type 'MemberPage'."),
        (
            "{ leave_types(where: {days: {}}) { count } }",
            "Expected value of type 'LeaveTypeWhere' not to include unknown field 'days', found: {",
        ),
        (
            '{ members(where: {ful_name: {_eq: "x"}}) { count } }',
            "Expected value of type 'MemberWhere' not to include unknown field 'ful_name'. Did you mean 'full_name'",
        ),
    ],
)
def test_unknown_field_is_refused_with_a_hint(document: str, message: str) -> None:
    with pytest.raises(InvalidDocument) as caught:
        Operation(document)
    (error,) = caught.value.errors
    assert error.message.startswith(message)


def test_hint_at_columns_names_those_that_can_be_compared() -> None:
    with pytest.raises(InvalidDocument) as caught:
        Operation("{ members(where: {custom_fields: {}}) { count } }")
    assert "Did you mean one of the columns is_active, has_running_timer, user_id, " in caught.value.errors[0].message
