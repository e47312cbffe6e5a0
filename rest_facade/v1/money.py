"""What is published of money."""

from rest_facade.endpoint import Endpoint

ENDPOINTS: list[Endpoint] = []
