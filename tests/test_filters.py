"""Filters, as a client sees them: what each leaves of a list of one small organization, written out.

Every filter of every endpoint is tried here, or in a file that ELSEWHERE names with a reason. Those by changes and for
deleted rows are asked of every list by `tests/polling/test_every_edit.py`, and here of the first one.
"""

import ast
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Any
from urllib.parse import quote
from uuid import UUID

import httpx2 as httpx
import pytest
from sqlalchemy import text

from rest_facade.rest.endpoint import Endpoint
from rest_facade.v1 import ENDPOINTS
from tests.conftest import Connect
from tests.errors import assert_error
from tests.factories.base import THEN
from tests.factories.rows import Rows

UNKNOWN = "0198c5a4-0000-7000-8000-000000000000"
LATER = THEN + timedelta(hours=1)


@dataclass
class Company:
    """An organization and the ids of its rows, by the names that this file gives them."""

    key: str
    ids: dict[str, UUID]

    def names(self, body: Any) -> set[str]:
        """The names of the rows of a list, which has each of them once, and as many as it counts."""
        known = {str(id_): name for name, id_ in self.ids.items()}
        names = [known[item.get("id") or item["user_id"]] for item in body["results"]]
        assert len(names) == len(set(names)) == body["count"]
        return set(names)


@pytest.fixture(scope="module")
def company(rows: Rows) -> Company:
    # Rows keep their times when those that they show are inserted.
    with rows.connection.begin():
        rows.connection.execute(text("SET app.restores = 'on'"))
    own = rows.organization()
    rows.quota(own, 1_000_000)
    ids = {
        "ada": rows.member(own, full_name="Ada Byron", last_name="Byron", email="Ada.Byron@Example.com", role="owner"),
        "bob": rows.member(own, full_name="Bob Ross", email="bob+1@example.com", status="invited"),
        "cyd": rows.member(own, full_name="Cyd Stone", email=None, status="suspended", role="manager"),
        "dan": rows.member(own, full_name="Dan Gone", email="dan@example.com", status="removed"),
        "eve": rows.member(own, full_name="Byron Eve", email="eve@example.com", role="admin", updated_at=LATER),
        "fay": rows.member(own, full_name="Fay Lost", email="fay@example.com", role="viewer", deleted_at=LATER),
        "design": rows.team(own, name="Design"),
        "lab": rows.team(own, name="Lab", is_active=False, updated_at=LATER),
        "past": rows.team(own, name="Past", deleted_at=LATER),
        "acme": rows.client(own, name="Acme", external_id="crm-1"),
        "zeno": rows.client(own, name="Zeno", archived_at=THEN, external_id="crm-2", updated_at=LATER),
        "lost": rows.client(own, name="Lost", external_id="crm-1", deleted_at=LATER),
    }

    def of(name: str) -> UUID:
        return ids[name]

    ids |= {
        "site": rows.project(own, client_id=of("acme"), name="Website", code="WEB-1", external_id="pm-1"),
        "app": rows.project(own, client_id=of("acme"), name="App", code="WEB-2", status="on_hold", is_billable=False),
        "old": rows.project(own, client_id=of("zeno"), name="Old", status="completed", updated_at=LATER),
        "attic": rows.project(own, name="Attic", status="archived", is_billable=False),
        "void": rows.project(own, client_id=of("acme"), name="Void", external_id="pm-1", deleted_at=LATER),
    }
    team, project = rows.team_member, rows.project_member
    ids |= {
        "ada in design": team(own, of("design"), of("ada"), role="lead"),
        "cyd in design": team(own, of("design"), of("cyd"), updated_at=LATER),
        "dan in design": team(own, of("design"), of("dan"), role="lead"),
        "eve in design": team(own, of("design"), of("eve"), deleted_at=LATER),
        "bob in lab": team(own, of("lab"), of("bob")),
        "ada on site": project(own, of("site"), of("ada"), role="manager"),
        "bob on site": project(own, of("site"), of("bob"), role="viewer", updated_at=LATER),
        "dan on site": project(own, of("site"), of("dan"), removed_at=THEN),
        "eve on site": project(own, of("site"), of("eve"), deleted_at=LATER),
        "ada on app": project(own, of("app"), of("ada"), removed_at=THEN),
        "dan on old": project(own, of("old"), of("dan")),
        "ada on void": project(own, of("void"), of("ada"), deleted_at=LATER),
        "plan": rows.task(own, of("site"), name="Plan", external_id="T-1"),
        "build": rows.task(own, of("site"), name="Build", status="in_progress"),
        "ship": rows.task(own, of("site"), name="Ship", status="completed", updated_at=LATER),
        "keep": rows.task(own, of("site"), name="Keep", status="archived"),
        "drop": rows.task(own, of("site"), name="Drop", external_id="T-1", deleted_at=LATER),
        "fix": rows.task(own, of("old"), name="Fix"),
    }
    ids["step"] = rows.task(own, of("site"), parent_task_id=of("plan"), name="Step")
    task = rows.task_member
    ids |= {
        "ada for plan": task(own, of("plan"), of("ada")),
        "bob for plan": task(own, of("plan"), of("bob"), role="watcher", updated_at=LATER),
        "cyd for plan": task(own, of("plan"), of("cyd"), deleted_at=LATER),
        "ada for fix": task(own, of("fix"), of("ada")),
        "bob for fix": task(own, of("fix"), of("bob"), deleted_at=LATER),
    }
    ids |= {
        "key repeat": rows.suspicious_activity_log(
            own, of("ada"), type="key_repeat", severity="medium", status="dismissed", project_id=of("site")
        ),
        "jiggler": rows.suspicious_activity_log(own, of("eve")),
        "gone log": rows.suspicious_activity_log(own, of("eve"), deleted_at=LATER),
        "asked": rows.manual_request(own, of("cyd"), project_id=of("site")),
        "granted": rows.manual_request(own, of("eve"), action="deleted", status="approved"),
        "withdrawn": rows.manual_request(own, of("eve"), status="approved", deleted_at=LATER),
        "open": rows.clock_record(own, of("cyd"), clock_out_at=None),
        "closed": rows.clock_record(own, of("eve")),
        "auto": rows.clock_record(own, of("eve"), status="auto_closed"),
        "gone record": rows.clock_record(own, of("eve"), deleted_at=LATER),
        "draft": rows.invoice(own, of("acme"), number="A", status="draft"),
        "sent": rows.invoice(own, of("acme"), number="B", status="sent", currency="USD"),
        "paid": rows.invoice(own, of("zeno"), number="C", status="paid", issue_date=date(2026, 2, 1)),
        "voided": rows.invoice(own, of("zeno"), number="D", status="void", updated_at=LATER, deleted_at=LATER),
    }
    for invoice, deleted_at in (("draft", None), ("draft", None), ("sent", None), ("paid", LATER)):
        rows.invoice_line(own, of(invoice), project_id=of("site"), deleted_at=deleted_at)
    weeks = [{"period_start": date(2026, 1, day), "period_end": date(2026, 1, day + 2)} for day in (10, 13)]
    spanning = {"period_start": date(2025, 1, 1), "period_end": date(2026, 12, 31)}
    ids |= {
        "first pay": rows.hourly_payment_log(own, of("ada"), status="paid", **weeks[0]),
        "second pay": rows.hourly_payment_log(own, of("ada"), status="failed", **weeks[1]),
        "gone pay": rows.hourly_payment_log(own, of("ada"), deleted_at=LATER),
        "bonus": rows.one_time_payment_log(own, of("ada"), status="paid", payment_date=date(2026, 1, 10), **spanning),
        "salary": rows.one_time_payment_log(own, of("ada"), type="fixed_salary", payment_date=date(2026, 1, 11)),
        "advance": rows.one_time_payment_log(own, of("ada"), type="advance", deleted_at=LATER),
        "hourly due": rows.payable(own, of("ada"), status="paid", is_final=True),
        "overtime due": rows.payable(own, of("ada"), kind="overtime"),
        "leave due": rows.payable(own, of("ada"), kind="leave", deleted_at=LATER),
        "due to eve": rows.payable(own, of("eve")),
        "vacation": rows.leave_type(own),
        "lieu": rows.leave_type(own, category="compensatory", unit="hour", is_active=False),
        "year": rows.leave_period(own, start_date="2025-01-01", end_date="2025-12-31", status="closed"),
        "always": rows.leave_period(own),
    }
    ids |= {"full": rows.leave_policy(own, of("vacation")), "comp": rows.leave_policy(own, of("lieu"), is_active=False)}
    apply, assign, balance = rows.leave_application, rows.leave_assignment, rows.leave_balance
    ids |= {
        "trip": apply(own, of("vacation"), of("ada"), leave_policy_id=of("full"), leave_period_id=of("always")),
        "rest": apply(
            own, of("lieu"), of("eve"), leave_policy_id=of("comp"), leave_period_id=of("year"), status="rejected"
        ),
        "ada has full": assign(own, of("full"), of("ada")),
        "eve has comp": assign(own, of("comp"), of("eve"), is_active=False),
        "left to ada": balance(own, of("full"), of("always"), of("ada")),
        "left to eve": balance(own, of("comp"), of("always"), of("eve")),
        "left of the year": balance(own, of("full"), of("year"), of("ada")),
    }
    rows.payment_setting(own, of("ada"), updated_at=LATER, deleted_at=LATER)
    rows.hourly_payment_log(own, of("bob"), updated_at=LATER)
    rows.one_time_payment_log(own, of("cyd"), updated_at=LATER)
    rows.payable(own, of("dan"), updated_at=LATER)
    rows.timesheet(own, of("bob"))
    rows.timesheet(own, of("cyd"), ended_at=None)
    rows.timesheet(own, of("eve"), ended_at=None, deleted_at=LATER)
    rows.screenshot(own, of("ada"))
    rows.screenshot(own, of("bob"), updated_at=LATER, deleted_at=LATER)
    with rows.connection.begin():
        rows.connection.execute(text("RESET app.restores"))
    return Company(rows.partner_key(own), ids)


@pytest.fixture
async def http(company: Company, client: Connect) -> AsyncIterator[httpx.AsyncClient]:
    async with client(company.key) as http:
        yield http


ODOS = ("\u039f\u0394\u039f\u03a3", "\u03bf\u03b4\u03bf\u03c2", "\u03bf\u03b4\u03bf\u03c3")
"""A Greek word: in capitals, with the final sigma of small letters, and as its capitals are lower-cased."""


@pytest.mark.parametrize(
    ("name", "searched"),
    [
        ("Stra\u00dfe 1", ["stra\u00df", "STRASSE", "strasse 1", "Stra\u1e9ee"]),
        ("STRASSE", ["stra\u00dfe"]),
        *((f"{word} AE", list(ODOS)) for word in ODOS),
        ("Zo\u00e9", ["zoe\u0301", "ZO\u00c9"]),
        ("Zoe\u0301", ["zo\u00e9", "ZOE\u0301"]),
        ("\u0130pek", ["\u0130PEK", "i\u0307pek", "ipek"]),
        ("O\u2019Brien\u00a0\uff21", ["o'brien a", "O\u2019BRIEN A"]),
        ("\ufb01rst\u2010rate", ["FIRST-R", "first\u2011rate"]),
        ("\u200fDal\u00ada\u200b", ["dala", "\u200eD\u200bal\u00ada"]),
    ],
    ids=ascii,
)
async def test_search_compares_folded_texts(name: str, searched: list[str], client: Connect, rows: Rows) -> None:
    with rows.connection.begin():
        lowered = rows.connection.execute(text("SELECT lower('\u00c9')")).scalar_one()
    if lowered != "\u00e9":
        pytest.skip("The locale of this server's databases lowers ASCII letters only.")
    own = rows.organization()
    rows.client(own, name=name)
    async with client(rows.partner_key(own)) as http:
        for text_ in searched:
            response = await http.get("/v1/clients/", params={"search": text_})
            assert [each["name"] for each in response.json()["results"]] == [name], ascii(text_)
        assert (await http.get("/v1/clients/", params={"search": "Strato"})).json()["results"] == []


LISTS: dict[str, dict[str, str]] = {
    # A list, the queries that can be asked of it, and what each leaves.
    "/v1/members/": {
        "": "ada bob cyd eve",
        "id={ada},{eve},{UNKNOWN}": "ada eve",
        "id={ada},{ada}": "ada",
        "id={dan}": "",
        "id={dan}&status=removed": "dan",
        "user_id={ada}": "ada",
        "email=ADA.BYRON@EXAMPLE.COM": "ada",
        "email=bob+1@example.com": "bob",
        "email=bob%2B1@EXAMPLE.com": "bob",
        "email=ada": "",
        "email=dan@example.com": "",
        "search=BYRON": "ada eve",
        "search=eve@": "eve",
        "search=tone": "",
        "status=active": "ada eve",
        "status=invited&status=suspended": "bob cyd",
        "id={ada},{bob}&role=owner&id={eve}&role=admin": "ada eve",
        "is_active=true": "ada eve",
        "is_active=false": "bob cyd",
        "has_running_timer=true": "cyd",
        "has_running_timer=false": "ada bob eve",
        "is_active=false&status=removed,active": "dan",
        "role=member,admin": "bob eve",
        "team_id={design}": "ada cyd",
        "team_id={UNKNOWN}": "",
        "team_id={design}&status=removed": "dan",
        "project_id={site}": "ada bob",
        "project_id={UNKNOWN}": "",
        "updated_since={LATER}": "eve",
        "payroll_updated_since={LATER}": "ada bob cyd",
        "payroll_updated_since={LATER}&include_deleted=true": "ada bob cyd dan",
        "payroll_updated_since={LATER}&role=owner": "ada",
        "payroll_updated_since=2999-01-01": "",
        "screenshots_updated_since={THEN}": "ada bob",
        "screenshots_updated_since={LATER}": "bob",
        "include_deleted=true": "ada bob cyd dan eve fay",
        "include_deleted=true&status=active": "ada eve fay",
    },
    "/v1/teams/": {
        "": "design lab",
        "id={design},{UNKNOWN}": "design",
        "is_active=true": "design",
        "user_id={bob}": "lab",
        "user_id={eve}": "",
        "search=de": "design",
    },
    "/v1/teams/{design}/members/": {
        "": "ada_in_design cyd_in_design",
        "status=suspended,removed": "cyd_in_design dan_in_design",
        "role=lead&status=active,removed": "ada_in_design dan_in_design",
        "role=lead,member": "ada_in_design cyd_in_design",
    },
    "/v1/clients/": {
        "": "acme zeno",
        "id={acme},{lost},{UNKNOWN}": "acme",
        "is_active=false": "zeno",
        "search=ACM": "acme",
        "external_id=crm-1": "acme",
        "external_id=CRM-1": "",
        "include_deleted=true&external_id=crm-1": "acme lost",
    },
    "/v1/clients/{acme}/projects/": {"": "site app", "is_active=true": "site app", "status=active,on_hold": "site app"},
    "/v1/projects/": {
        "": "site app old attic",
        "id={site},{UNKNOWN},{void}": "site",
        "client_id={acme}": "site app",
        "is_active=true": "site app",
        "status=completed,archived": "old attic",
        "is_billable=false": "app attic",
        "search=web": "site app",
        "search=web-2": "app",
        "external_id=pm-1": "site",
        "client_id={acme}&is_billable=false&status=on_hold": "app",
    },
    "/v1/projects/{site}/members/": {
        "": "ada_on_site bob_on_site dan_on_site",
        "user_id={bob}": "bob_on_site",
        "role=viewer,member": "bob_on_site dan_on_site",
        "is_active=false": "dan_on_site",
    },
    "/v1/projects/{site}/tasks/": {
        "": "plan build ship keep step",
        "id={plan},{fix},{UNKNOWN}": "plan",
        "status=in_progress,archived": "build keep",
        "is_active=true": "plan build step",
        "assignee={ada}": "plan",
        "user_id={bob}": "plan build ship keep step",
        "parent_task_id={plan}": "step",
    },
    "/v1/members/{ada}/projects/": {"": "site app", "is_active=true": "site app", "client_id={acme}": "site app"},
    "/v1/project_memberships/": {
        "": "ada_on_site bob_on_site dan_on_site ada_on_app dan_on_old",
        "id={ada_on_app},{UNKNOWN},{eve_on_site}": "ada_on_app",
        "project_id={site}": "ada_on_site bob_on_site dan_on_site",
        "user_id={ada}": "ada_on_site ada_on_app",
        "is_active=false": "dan_on_site ada_on_app",
        "role=manager,viewer": "ada_on_site bob_on_site",
        "include_deleted=true&user_id={ada}": "ada_on_site ada_on_app ada_on_void",
    },
    "/v1/tasks/": {
        "": "plan build ship keep step fix",
        "id={plan},{fix},{drop},{UNKNOWN}": "plan fix",
        "project_id={old}": "fix",
        "client_id={acme}": "plan build ship keep step",
        "user_id={ada}": "plan fix",
        "status=completed,archived": "ship keep",
        "is_active=true": "plan build step fix",
        "external_id=T-1": "plan",
        "include_deleted=true&external_id=T-1": "plan drop",
        "user_id={ada}&client_id={zeno}": "fix",
    },
    "/v1/tasks/{plan}/members/": {"": "ada_for_plan bob_for_plan", "user_id={ada}": "ada_for_plan"},
    "/v1/suspicious_activity_logs/": {
        "": "key_repeat jiggler",
        "id={jiggler},{UNKNOWN}": "jiggler",
        "user_id={ada}": "key_repeat",
        "team_id={design}": "key_repeat",
        "team_id={UNKNOWN}": "",
        "type=key_repeat,other": "key_repeat",
        "severity=medium,high": "key_repeat",
        "status=open": "jiggler",
        "status=open,dismissed": "key_repeat jiggler",
        "project_id={site}": "key_repeat",
        "start_date=2026-01-05&end_date=2026-01-05&timezone=UTC": "key_repeat jiggler",
    },
    "/v1/manual_timesheet_reports/": {
        "start_date=2026-01-05&end_date=2026-01-06&timezone=UTC": "asked granted",
        "{DAY}&user_id={cyd}": "asked",
        "{DAY}&team_id={design}": "asked",
        "{DAY}&project_id={site}": "asked",
        "{DAY}&project_id={UNKNOWN}": "",
        "{DAY}&status=pending": "asked",
        "{DAY}&status=approved,cancelled": "granted",
        "{DAY}&action=added": "asked",
        "{DAY}&action=deleted,edited": "granted",
    },
    "/v1/clockinouts/": {
        "start_date=2026-01-05&end_date=2026-01-06&timezone=UTC": "open closed auto",
        "{DAY}&user_id={eve}": "closed auto",
        "{DAY}&team_id={design}": "open",
        "{DAY}&status=open&include_open=true": "open",
        "{DAY}&status=closed,auto_closed": "closed auto",
    },
    "/v1/invoices/": {
        "": "draft sent paid",
        "id={paid},{sent},{UNKNOWN}": "sent paid",
        "client_id={acme}": "draft sent",
        "client_id={UNKNOWN}": "",
        "project_id={site}": "draft sent",
        "project_id={UNKNOWN}": "",
        "status=draft,paid,void": "draft paid",
        "is_overdue=true": "",
        "number=B&include=line_items": "sent",
        "number=b": "",
        "number=%25": "",
        "currency=USD": "sent",
        "currency=usd": "sent",
        "start_date=2026-01-05&end_date=2026-01-05": "draft sent",
        "start_date=2026-01-06&end_date=2026-01-31": "",
        "start_date=2026-02-01&end_date=2026-02-28": "paid",
        "start_date=2026-01-05&end_date=2026-01-05&timezone=Pacific/Kiritimati": "draft sent",
        "updated_since={LATER}&include_deleted=true&status=void": "voided",
        "client_id={acme}&status=sent&currency=USD&project_id={site}": "sent",
    },
    "/v1/members/{ada}/hourly_payment_logs/": {
        "": "first_pay second_pay",
        "id={first_pay},{due_to_eve}": "first_pay",
        "status=paid": "first_pay",
        "status=paid,failed,pending,processing,cancelled,refunded": "first_pay second_pay",
        # Periods that overlap the range, with both of its days.
        "start_date=2026-01-01&end_date=2026-01-09": "",
        "start_date=2026-01-01&end_date=2026-01-10": "first_pay",
        "start_date=2026-01-11&end_date=2026-01-11": "first_pay",
        "start_date=2026-01-12&end_date=2026-01-13": "first_pay second_pay",
        "start_date=2026-01-13&end_date=2026-01-30": "second_pay",
        "start_date=2026-01-16&end_date=2026-01-30": "",
    },
    "/v1/members/{ada}/one_time_payment_logs/": {
        "": "bonus salary",
        "id={bonus}": "bonus",
        "status=paid": "bonus",
        "status=pending": "salary",
        "type=bonus": "bonus",
        "type=bonus,fixed_salary": "bonus salary",
        "type=other": "",
        # By the day of the payment, whatever it was for.
        "start_date=2026-01-10&end_date=2026-01-10": "bonus",
        "start_date=2026-01-11&end_date=2026-01-31": "salary",
        "start_date=2026-01-01&end_date=2026-01-09": "",
        "include_deleted=true&type=advance": "advance",
    },
    "/v1/members/{ada}/payables/": {
        "": "hourly_due overtime_due",
        "id={hourly_due},{due_to_eve}": "hourly_due",
        "status=paid": "hourly_due",
        "status=open,approved,partially_paid,void": "overtime_due",
        "kind=overtime": "overtime_due",
        "kind=hourly,overtime,leave": "hourly_due overtime_due",
        "is_final=true": "hourly_due",
        "is_final=false&kind=overtime&status=open&start_date=2026-01-05&end_date=2026-01-05": "overtime_due",
    },
    "/v1/leave_types/": {
        "": "vacation lieu",
        "is_active=true": "vacation",
        "is_active=false": "lieu",
        "id={lieu},{UNKNOWN}": "lieu",
    },
    "/v1/leave_policies/": {
        "is_active=true": "full",
        "is_active=false": "comp",
        "id={comp}": "comp",
        "leave_type_id={lieu}": "comp",
    },
    "/v1/leave_periods/": {"status=closed": "year", "status=open,closed": "year always", "id={always}": "always"},
    "/v1/leave_applications/": {
        "": "trip rest",
        "id={rest}": "rest",
        "user_id={eve}": "rest",
        "team_id={design}": "trip",
        "team_id={UNKNOWN}": "",
        "status=pending": "trip",
        "status=rejected,pending,approved,cancelled,withdrawn": "trip rest",
        "leave_type_id={lieu}": "rest",
        "leave_policy_id={full}": "trip",
        "leave_period_id={year}": "rest",
        "user_id={ada}&leave_type_id={lieu}": "",
        "start_date=2026-01-05&end_date=2026-01-05": "trip rest",
    },
    "/v1/leave_assignments/": {
        "": "ada_has_full eve_has_comp",
        "user_id={eve}": "eve_has_comp",
        "team_id={design}": "ada_has_full",
        "leave_policy_id={full}": "ada_has_full",
        "leave_type_id={lieu}": "eve_has_comp",
        "is_active=true": "ada_has_full",
        "is_active=false": "eve_has_comp",
    },
    "/v1/leave_balances/": {
        "user_id={eve}": "left_to_eve",
        "team_id={design}": "left_to_ada",
        "leave_policy_id={full}": "left_to_ada",
        "leave_type_id={lieu}": "left_to_eve",
        "leave_period_id={year}": "left_of_the_year",
        "leave_period_id={year}&user_id={eve}": "",
        "leave_period_id={UNKNOWN}": "",
    },
}

QUERIES = [(path, query) for path, queries in LISTS.items() for query in queries]
DAY = "start_date=2026-01-05&end_date=2026-01-05"
WORDS = {"DAY": DAY, "UNKNOWN": UNKNOWN, "THEN": quote(THEN.isoformat()), "LATER": quote(LATER.isoformat())}


@pytest.mark.parametrize("path", LISTS)
async def test_a_filter_leaves(path: str, company: Company, http: httpx.AsyncClient) -> None:
    words = {name.replace(" ", "_"): id_ for name, id_ in company.ids.items()}
    found = {}
    for query in LISTS[path]:
        response = await http.get(f"{path}?{query}".format_map(WORDS | words))
        assert response.status_code == 200, response.text
        found[query] = company.names(response.json())
    assert found == {query: {name.replace("_", " ") for name in names.split()} for query, names in LISTS[path].items()}


# What is tried elsewhere, and why: the file, and the words by which its tests of the operation are known.
RANGE = "its rows are found by a range of days, which has a file of its own"
REFERENCES = "../../resolvers/reports"
ELSEWHERE = {
    "listTimesheetIdleTime": ("test_idle_time.py", "", RANGE),
    "listTimeActivityReport": (
        f"test_time_activity.py test_timesheets.py {REFERENCES}/test_time_activity.py",
        "",
        RANGE,
    ),
    **dict.fromkeys(
        ("listAppReports", "listUrlReports"), (f"test_activity.py {REFERENCES}/test_usage_report.py", "", RANGE)
    ),
    "listScreenshots": ("test_screenshots.py", "", RANGE),
}

POLLED = {"updated_since", "include_deleted"}


def endpoint_of(path: str) -> Endpoint:
    """The endpoint of a path in LISTS, in which names of rows stand for ids."""
    plain = re.sub(r"\{\w+\}", "{}", path)
    return next(endpoint for endpoint in ENDPOINTS if re.sub(r"\{\w+\}", "{}", endpoint.path) == plain)


def source_of(files: str, word: str) -> str:
    """The functions of those files of tests/rest_facade/v1, with their decorators, that contain the word."""
    texts = [(Path(__file__).parent / "rest_facade" / "v1" / name).read_text() for name in files.split()]
    nodes = [node for text in texts for node in ast.parse(text).body]
    functions = [ast.unparse(node) for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)]
    return "\n".join(text for text in functions if word in text)


def test_every_filter_is_tried() -> None:
    found = [(endpoint.operation, *untried_filters(endpoint)) for endpoint in ENDPOINTS]
    forgotten = [f"{where}: say what {untried} of {operation} leave" for operation, where, untried in found if untried]
    assert not forgotten, "\n".join(forgotten)


def untried_filters(endpoint: Endpoint) -> tuple[str, list[str]]:
    """The files that try the filters of an endpoint, and the filters that they do not try."""
    if endpoint.operation in ELSEWHERE:
        files, word, _ = ELSEWHERE[endpoint.operation]
        text = source_of(files, word)
        tried = {each.name for each in endpoint.query_parameters if re.search(rf"\b{each.name}\b['\"]?[:=]", text)}
        where = files
    else:
        queries = [query for path, query in QUERIES if endpoint_of(path) is endpoint]
        tried = {part.partition("=")[0] for query in queries for part in query.split("&")}
        where = "LISTS of tests/test_filters.py"
    return where, [each.name for each in endpoint.query_parameters if each.name not in tried | POLLED]


def test_what_is_tried_elsewhere_is_published() -> None:
    assert ELSEWHERE.keys() <= {endpoint.operation for endpoint in ENDPOINTS}
    assert not {endpoint_of(path).operation for path in LISTS} & ELSEWHERE.keys()


@pytest.fixture(scope="module")
def odd(rows: Rows) -> Company:
    """Clients whose names contain what SQL reads as something else."""
    own = rows.organization()
    rows.quota(own, 1_000_000)
    names = ["50% off", "50 off", "a_b", "axb", "back\\slash", "back/slash", "O'Hara", "\N{SNOWMAN} Ltd", "Zo\xeb", "%"]
    return Company(rows.partner_key(own), {name: rows.client(own, name=name, external_id=name) for name in names})


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("50%", {"50% off"}),
        ("50% OFF", {"50% off"}),
        ("%", {"%"}),
        ("_", set()),
        ("a_", {"a_b"}),
        ("a", {"a_b", "axb"}),
        ("back\\", {"back\\slash"}),
        ("back\\\\", set()),
        ("back\\s", {"back\\slash"}),
        ("\\%", set()),
        ("o'h", {"O'Hara"}),
        ("' OR 1=1 --", set()),
        ("\N{SNOWMAN}", {"\N{SNOWMAN} Ltd"}),
        ("zo\xeb", {"Zo\xeb"}),
        ("50% off ", set()),
        ("x" * 255, set()),
    ],
    ids=lambda value: repr(sorted(value) if isinstance(value, set) else value)[:20],
)
async def test_a_search_is_a_start_of_a_name_in_whatever_case_and_nothing_in_it_is_a_wildcard(
    text: str, names: set[str], odd: Company, client: Connect
) -> None:
    async with client(odd.key) as http:
        assert odd.names((await http.get("/v1/clients/", params={"search": text})).json()) == names


@pytest.mark.parametrize("text", ["%", "a_b", "back\\slash", "O'Hara", "\N{SNOWMAN} Ltd"])
async def test_an_exact_filter_takes_its_text_to_the_letter(text: str, odd: Company, client: Connect) -> None:
    async with client(odd.key) as http:
        assert odd.names((await http.get("/v1/clients/", params={"external_id": text})).json()) == {text}


async def test_bytes_that_are_not_utf_8_are_400(odd: Company, client: Connect) -> None:
    message = "search must have 1 to 255 characters of UTF-8, none of them a control character."
    async with client(odd.key) as http:
        for raw in ("%FF", "M%FCller", "%C3", "%ED%A0%80", "%F4%90%80%80"):
            response = await http.get(f"/v1/clients/?search={raw}")
            assert (response.status_code, response.json()["error"]["message"]) == (400, message), raw


# Where inactive and former are told apart


async def test_an_inactive_client_is_shown_but_not_its_projects(company: Company, http: httpx.AsyncClient) -> None:
    zeno = company.ids["zeno"]
    shown = await http.get(f"/v1/clients/{zeno}/")
    assert shown.status_code == 200
    assert (shown.json()["is_active"], shown.json()["archived_at"]) == (False, "2026-01-05T09:00:00Z")
    assert_error(await http.get(f"/v1/clients/{zeno}/projects/"), 404, "RESOURCE_NOT_FOUND", "Client not found.")
    # The filter checks nothing.
    assert company.names((await http.get(f"/v1/projects/?client_id={zeno}")).json()) == {"old"}


async def test_inactive_project_is_shown_with_all_that_belongs_to_it(company: Company, http: httpx.AsyncClient) -> None:
    old = company.ids["old"]
    shown = await http.get(f"/v1/projects/{old}/")
    assert (shown.status_code, shown.json()["is_active"], shown.json()["status"]) == (200, False, "completed")
    assert company.names((await http.get(f"/v1/projects/{old}/members/")).json()) == {"dan on old"}
    assert company.names((await http.get(f"/v1/projects/{old}/tasks/")).json()) == {"fix"}


async def test_former_member_keeps_projects_and_stranger_has_none(company: Company, http: httpx.AsyncClient) -> None:
    assert company.names((await http.get(f"/v1/members/{company.ids['dan']}/projects/")).json()) == {"site", "old"}
    assert_error(await http.get(f"/v1/members/{UNKNOWN}/projects/"), 404, "RESOURCE_NOT_FOUND", "Member not found.")


async def test_a_membership_tells_how_a_person_belongs_to_a_project(company: Company, http: httpx.AsyncClient) -> None:
    items = (await http.get(f"/v1/members/{company.ids['ada']}/projects/")).json()["results"]
    assert {item["name"]: item["membership"] for item in items} == {
        "Website": {
            "id": str(company.ids["ada on site"]),
            "role": "manager",
            "is_active": True,
            "joined_at": "2026-01-05T09:00:00Z",
        },
        "App": {
            "id": str(company.ids["ada on app"]),
            "role": "member",
            "is_active": False,
            "joined_at": "2026-01-05T09:00:00Z",
        },
    }


@pytest.mark.parametrize("resource", ["payroll", "screenshots"])
async def test_filter_by_changes_of_a_resource_needs_its_scope(resource: str, rows: Rows, client: Connect) -> None:
    own = rows.organization()
    query = f"/v1/members/?{resource}_updated_since=2026-01-01"
    async with client(rows.mcp_key(own, "members:read")) as http:
        assert_error(await http.get(query), 403, "SCOPE_DENIED")
        assert (await http.get("/v1/members/")).status_code == 200
    async with client(rows.mcp_key(own, "members:read", f"{resource}:read")) as http:
        assert (await http.get(query)).status_code == 200
