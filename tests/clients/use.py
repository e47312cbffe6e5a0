"""What an author of a client writes against the generated package; run with its folder, the address and a key."""

import sys
from importlib import import_module

folder, address, key = sys.argv[1:]
sys.path.insert(0, folder)
client = import_module("orgdata_client").AuthenticatedClient(
    base_url=address, token=key, prefix="", auth_header_name="X-SERVICE-API-KEY"
)
members = import_module("orgdata_client.api.people.list_members")
models = import_module("orgdata_client.models")

page = members.sync(client=client, limit=2, status=[models.MemberStatus.ACTIVE])
assert isinstance(page, models.MemberPage)
assert len(page.results) == 2
assert page.count > 2
assert page.next_
for member in page.results:
    assert member.status is models.MemberStatus.ACTIVE
    assert member.created_at.tzinfo is not None
    print(member.user_id, member.full_name)  # noqa: T201

refused = members.sync_detailed(client=client, limit=101)
assert refused.status_code == 400
assert isinstance(refused.parsed, models.BadRequest)
assert refused.parsed.error.message == "limit cannot exceed 100."
