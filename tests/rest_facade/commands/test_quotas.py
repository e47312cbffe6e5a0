"""`orgdata quotas`: set, list and clear."""

from db.admin.quotas import PRESETS
from rest_facade.access.quota import DEFAULT_GROUP
from rest_facade.v1 import ENDPOINTS
from tests.factories.rows import Rows
from tests.rest_facade.commands.conftest import Run, succeed


def test_quotas_are_set_listed_and_cleared(operate: Run, rows: Rows) -> None:
    own, other = (str(rows.organization()) for _ in range(2))

    def quotas(*options: str) -> str:
        return succeed(operate("quotas", *options))

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


def test_preset_replaces_all_limits(operate: Run, own: str) -> None:
    for options in (["--limit", "5", "--group", "tasks"], ["--limit", "6"], ["--preset", "sync"], ["--preset", "sync"]):
        assert operate("quotas", "set", "--organization", own, *options).code == 0
    assert operate("quotas", "list", "--organization", own).out == (
        f"{own}\tall other groups\t120\n{own}\tpayroll\t600\n{own}\tscreenshots\t600\n"
    )


def test_unknown_group_is_refused(operate: Run, own: str) -> None:
    refused = operate("quotas", "set", "--organization", own, "--limit", "5", "--group", "member")
    assert refused.code == 2
    sentence = " ".join(refused.err.replace("│", " ").split())
    assert "Did you mean members? Groups are " in sentence
    assert " app_reports, " in sentence
    assert operate("quotas", "list", "--organization", own).out == ""


def test_groups_of_presets_exist() -> None:
    groups = {endpoint.group for endpoint in ENDPOINTS}
    assert {group for limits in PRESETS.values() for group in limits} <= groups | {DEFAULT_GROUP}
