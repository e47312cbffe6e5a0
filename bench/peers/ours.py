"""The service with its whole public path, and one more endpoint for the page that the peers serve.

The quota is too high to refuse anything. Other settings are defaults, or come from the environment.
"""

from argparse import ArgumentParser

from bench.page_requests import PATH, SELECTION
from rest_facade.composition import build_service
from rest_facade.rest.endpoint import Endpoint, Router
from rest_facade.rest.envelopes import STANDARD
from rest_facade.server.process import ShutdownPolicy, run_server
from rest_facade.server.sockets import address, bind_socket
from rest_facade.settings import load
from rest_facade.telemetry import logging as log
from rest_facade.v1 import ENDPOINTS

PAGE = Endpoint(
    "benchProjects", PATH, STANDARD, "projects", " ".join([*SELECTION, "client { id name }"]), scope="projects:read"
)


def main() -> None:
    parser = ArgumentParser()
    parser.add_argument("--url", required=True)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--internal-port", type=int, default=0)
    options = parser.parse_args()
    log.configure()
    settings = load({"signing_keys": "a key for this bench only", "quota_limit": 1_000_000_000})
    with bind_socket("127.0.0.1", options.port) as public, bind_socket("127.0.0.1", options.internal_port) as internal:
        service = build_service(settings, url=options.url, base_url=address(public))
        service.public.endpoints = Router([*ENDPOINTS, PAGE])
        run_server(service, public, internal, ShutdownPolicy(grace=1))


if __name__ == "__main__":
    main()
