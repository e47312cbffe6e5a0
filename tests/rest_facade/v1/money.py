"""Requests for lists of money, and what they find or refuse."""

from uuid import UUID

import httpx2 as httpx


async def filtered(http: httpx.AsyncClient, path: str, key: str, expected: dict[str, str]) -> None:
    """Each query, as it stands in the URL, finds those rows."""
    for query, names in expected.items():
        response = await http.get(f"{path}?{query}")
        assert response.status_code == 200, (query, response.text)
        assert [item[key] for item in response.json()["results"]] == names.split(), query


def of(user_id: UUID, pay: str) -> str:
    return f"/v1/members/{user_id}/{pay}/"
