"""What is published of leaves."""

from rest_facade.endpoint import Endpoint

ENDPOINTS: list[Endpoint] = []
