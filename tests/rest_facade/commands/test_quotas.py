"""`orgdata quotas`: set, list and clear."""

from uuid import uuid4

from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run, assert_refused


def test_quotas_are_set_listed_and_cleared(operate: Run, rows: Rows) -> None:
    own, other = (str(rows.organization()) for _ in range(2))

    def quotas(*options: str) -> str:
        result = operate("quotas", *options)
        assert (result.code, result.err) == (0, "")
        return result.out

    assert quotas("set", "--organization", own, "--limit", "50") == ""
    assert quotas("set", "--organization", own, "--limit", "60") == ""
    assert quotas("set", "--organization", own, "--limit", "100", "--group", "members") == ""
    assert quotas("set", "--organization", other, "--limit", "5") == ""
    kept = f"{own}\tall other groups\t60\n{own}\tmembers\t100\n"
    assert quotas("list", "--organization", own) == kept
    assert kept in quotas("list")
    assert f"{other}\tall other groups\t5\n" in quotas("list")
    assert quotas("clear", "--organization", own, "--group", "members") == "Removed 1.\n"
    assert quotas("clear", "--organization", own) == "Removed 1.\n"
    assert quotas("clear", "--organization", own) == "Removed 0.\n"
    assert quotas("list", "--organization", other) == f"{other}\tall other groups\t5\n"


def test_unknown_organization_is_refused(operate: Run) -> None:
    absent = str(uuid4())
    result = operate("quotas", "set", "--organization", absent, "--limit", "5")
    assert_refused(result, f"There is no organization {absent}.")
