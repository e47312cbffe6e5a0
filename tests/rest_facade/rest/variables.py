"""Variables of documents, and how their parameters parse or refuse a text."""

from typing import Any

import pytest

from rest_facade.errors.envelope import Refused
from rest_facade.rest.parameters import parameter_of
from schema.execution.operation import Variable

ID = "0198c5a4-7a1b-7c2d-8e3f-0123456789ab"


def variable(name: str, scalar: str, **properties: Any) -> Variable:
    return Variable(name, scalar, **{"is_list": False, "is_required": False, "choices": None} | properties)


STATUS = variable("status", "TaskStatus", is_list=True, choices=("open", "in_progress", "completed"))


def parsed(variable: Variable, text: str) -> Any:
    return parameter_of(variable).value({variable.name: [text]})


def refusal(variable: Variable, text: str) -> tuple[str, Any]:
    """The message and the details with which a text is refused."""
    with pytest.raises(Refused) as raised:
        parsed(variable, text)
    error = raised.value.error
    assert (error.status, error.code) == (400, "VALIDATION_ERROR")
    return error.message, error.details


def short(value: object) -> str:
    """The id of a test case, cut to a readable length."""
    return repr(value)[:40]
