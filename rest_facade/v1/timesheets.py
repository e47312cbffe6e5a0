"""What is published of timesheets."""

from rest_facade.endpoint import Endpoint

ENDPOINTS: list[Endpoint] = []
