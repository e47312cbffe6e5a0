"""Nested: five GraphQL documents, one of which never came before, served by the service and by its peers."""

from collections.abc import Callable
from contextlib import ExitStack
from itertools import islice

from bench import nested_documents
from bench.data import organization_id
from bench.http_requests import send
from bench.measure import Competitor
from bench.nested_documents import AD_HOC, DOCUMENTS, leaves, variants, whole
from bench.parts.page import MERCURIUS, NODE_PEERS, POSTGRAPHILE, node_peer
from bench.section import Bench, Section, compared, table

OURS = "ours"
NEVER_BEFORE = "ad-hoc, never before"

VARIANTS = 20_000
"""Ad-hoc documents of a run: more than a round sends, and than a peer keeps."""


def measure(bench: Bench) -> Section:
    bench.data.run(nested_documents.ROWS)
    bench.data.analyze()
    organization, token = str(organization_id(nested_documents.ORGANIZATION)), bench.data.token()
    notes: list[str] = []

    def requests(server: str) -> dict[str, list[bytes]]:
        camel = server == POSTGRAPHILE
        write: Callable[[str], bytes] = (
            (lambda document: nested_documents.postgraphile(document, organization))
            if camel
            else (lambda document: nested_documents.ours(document, organization, token))
        )
        texts = {name: each.postgraphile if camel else each.ours for name, each in DOCUMENTS.items()}
        bodies = {name: [write(whole(text, camel=camel))] for name, text in texts.items()}
        unlike = islice(variants(texts[AD_HOC], camel=camel), VARIANTS)
        return {**bodies, NEVER_BEFORE: [write(document) for document in unlike]}

    with ExitStack() as stack:
        _, internal = stack.enter_context(bench.service_with_graphql("ours-nested"))
        servers = {OURS: internal}
        for package, (name, _) in NODE_PEERS.items():
            if (peer := node_peer(bench, stack, package, notes)) is not None:
                servers[name] = peer
        competitors = {
            (document, server): Competitor(f"{document}: {server}", process, bodies)
            for server, process in servers.items()
            for document, bodies in requests(server).items()
        }
        for document in (*DOCUMENTS, NEVER_BEFORE):
            _check([competitors[document, server] for server in servers])
        ordered = [competitors[document, server] for document in (*DOCUMENTS, NEVER_BEFORE) for server in servers]
        rows = {row.name: row for row in bench.plan.results(ordered, connections=4, share=0.5)}
    for server in (POSTGRAPHILE, MERCURIUS):
        ours = {document: rows[f"{document}: {OURS}"] for document in (*DOCUMENTS, NEVER_BEFORE)}
        notes.append(
            compared(f"Total CPU compared with {server}", ours, {each: rows.get(f"{each}: {server}") for each in ours})
        )
    notes.append(
        "PostGraphile sums with SQL functions, Mercurius in its statements; neither splits days or time zones."
    )
    return Section("GraphQL documents over 1,000 projects, 4 connections", table(list(rows.values())), [], notes)


def _check(competitors: list[Competitor]) -> None:
    """SystemExit if two competitors return different values."""
    first = None
    for each in competitors:
        status, answer = send(each.process.port, each.requests[0])
        if status != 200 or answer.get("errors"):
            raise SystemExit(f"bench: {each.name} answered {status}: {str(answer)[:500]}")
        first = first or leaves(answer["data"])
        if different := (leaves(answer["data"]) - first) + (first - leaves(answer["data"])):
            raise SystemExit(f"bench: {each.name} differs in {str(different)[:500]}.")
