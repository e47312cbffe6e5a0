"""Declarations of checks: what contradicts itself is refused."""

from typing import Any

import pytest

from db.jobs.doctor.check import Check, Severity

OWN = "SELECT id AS example FROM tasks WHERE organization_id = :organization_id"

RIGHT: dict[str, Any] = {
    "name": "some-tasks",
    "severity": Severity.info,
    "sentence": "There are tasks.",
    "remedy": "Do them.",
    "statement": OWN,
}


def test_sound_declarations_are_accepted() -> None:
    assert Check(**RIGHT).is_of_organization
    assert not Check(**RIGHT | {"statement": "SELECT 'a\\:b' AS example, 1\\:\\:text"}).is_of_organization


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "Some tasks"}, "is not a name"),
        ({"sentence": "there are tasks."}, "some-tasks: 'there are tasks.' is not a sentence"),
        ({"remedy": "Do them"}, "'Do them' is not a sentence"),
        ({"statement": OWN.replace("SELECT", "DELETE")}, "the statement is not one SELECT"),
        ({"statement": f"{OWN}; {OWN}"}, "the statement is not one SELECT"),
        ({"statement": OWN.replace("example", "id")}, "the statement has no column `example`"),
        ({"statement": f"{OWN} AND name = :name"}, r"\['name'\] are no parameters of checks"),
    ],
)
def test_contradictory_declaration_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Check(**RIGHT | wrong)
