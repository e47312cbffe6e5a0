"""What is published of activity."""

from rest_facade.endpoint import Endpoint

ENDPOINTS: list[Endpoint] = []
