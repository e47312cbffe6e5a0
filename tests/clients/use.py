"""What an author of a client writes against the generated package; run with its folder, the address and a key.

Prints one line for each thing that it reads.
"""

import sys
from importlib import import_module

folder, address, key = sys.argv[1:]
sys.path.insert(0, folder)
client = import_module("orgdata_client").AuthenticatedClient(
    base_url=address, token=key, prefix="", auth_header_name="X-SERVICE-API-KEY"
)
models = import_module("orgdata_client.models")
people, timesheets, money = [import_module(f"orgdata_client.api.{area}") for area in ("people", "timesheets", "money")]
members = import_module(f"{people.__name__}.list_members")
idle_times = import_module(f"{timesheets.__name__}.list_timesheet_idle_time")
settings = import_module(f"{money.__name__}.list_member_payment_settings")
organization = import_module(f"{people.__name__}.retrieve_organization")


def show(what: str, *values: object) -> None:
    print(what, *values)  # noqa: T201


# Two values of a list parameter, and all pages of a list.
statuses = [models.MemberStatus.ACTIVE, models.MemberStatus.INVITED]
ids = []
page = members.sync(client=client, limit=3, status=statuses)
while True:
    assert isinstance(page, models.MemberPage), page
    for member in page.results:
        assert member.status in statuses
        assert member.created_at.tzinfo is not None
        ids.append(member.user_id)
    if page.next_ is None:
        break
    page = members.sync(client=client, limit=3, status=statuses, page=len(ids) // 3 + 1)
assert len(ids) == page.count
show("members", *ids)
chosen = members.sync(client=client, id=ids[:2])
show("chosen", *(member.user_id for member in chosen.results))

# A walk by cursor.
walked: list[object] = []
cursor: dict[str, str] = {}
while True:
    idle_page = idle_times.sync(client=client, limit=3, **cursor)
    assert isinstance(idle_page, models.UserIdleTimePage), idle_page
    walked += [result.user.user_id for result in idle_page.results]
    if not idle_page.pagination.has_more:
        break
    cursor = {"cursor": idle_page.pagination.next_cursor}
assert len(walked) == idle_page.pagination.total_users
show("walked", *walked)

# Arrays, and the error of a person whose membership is not active.
arrays = [settings.sync(user_id, client=client) for user_id in ids]
assert all(isinstance(array, list | models.NotFound) for array in arrays), arrays
show("settings", *(setting.id for array in arrays if isinstance(array, list) for setting in array))

# An error.
refused = members.sync_detailed(client=client, limit=101)
assert isinstance(refused.parsed, models.BadRequest)
show("refused", int(refused.status_code), refused.parsed.error.message)

# More requests than the quota.
while (limited := organization.sync_detailed(client=client)).status_code == 200:
    assert limited.parsed.members_count
assert isinstance(limited.parsed, models.TooManyRequests)
assert 1 <= int(limited.headers["Retry-After"]) <= 60
show("limited", int(limited.status_code), limited.parsed.error.code)
