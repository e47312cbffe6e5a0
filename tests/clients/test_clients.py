"""The document as authors of clients meet it: linters pass it, generators take it, their clients read all responses.

Generated clients poll with a day, too, and the JDK's own client gets through. `make test-clients` runs these and
nothing else does: they need node, and packages that are fetched. A program that is missing is named where its test is
skipped.
"""

import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import orjson
import pytest

from rest_facade.openapi.document import openapi
from rest_facade.v1 import ENDPOINTS
from tests.clients.tools import HERE, NODE, PYTHON, TSC, run, tool
from tests.rest_facade.commands.demo_process import Demo

pytestmark = pytest.mark.clients


@pytest.fixture
def document(tmp_path: Path) -> Path:
    file = tmp_path / "openapi.json"
    file.write_bytes(orjson.dumps(openapi(ENDPOINTS, base_url="http://127.0.0.1:8000")))
    return file


def test_redocly_passes_it(document: Path) -> None:
    said = run(tool(NODE, "redocly"), "lint", "--config", HERE / "redocly.yaml", document, folder=document.parent)
    assert "Your API description is valid." in said


def test_spectral_passes_it(document: Path) -> None:
    options = ("lint", "--fail-severity", "hint", "--ruleset", HERE / "spectral.yaml")
    assert "No results" in run(tool(NODE, "spectral"), *options, document, folder=document.parent)


def typescript_lines(document: Path, running: Demo) -> list[str]:
    """What the client in TypeScript prints."""
    folder = document.parent / "typescript"
    folder.mkdir()
    (folder / "package.json").write_text('{"type": "module"}')
    (folder / "node_modules").symlink_to(NODE.parent)
    shutil.copy(HERE / "use.ts", folder)
    run(tool(NODE, "openapi-typescript"), document, "--output", "types.d.ts", folder=folder)
    run(tool(NODE, "tsc"), *TSC, "use.ts", folder=folder)
    details = running.details
    return run("node", "use.js", details["public"], details["partner_key"], folder=folder).splitlines()


def python_lines(document: Path, running: Demo) -> list[str]:
    """What the client in Python prints."""
    folder, details = document.parent, running.details
    generate = (tool(PYTHON, "openapi-python-client"), "generate", "--path", document, "--meta", "none")
    said = run(*generate, "--output-path", folder / "orgdata_client", "--fail-on-warning", folder=folder)
    assert "Warning" not in said
    command: list[str | Path] = [PYTHON / "python", HERE / "use.py", folder, details["public"], details["partner_key"]]
    return run(*command, folder=folder).splitlines()


@pytest.mark.parametrize("lines", [python_lines, typescript_lines])
def test_generated_client_reads_lists_arrays_and_errors(
    lines: Callable[[Path, Demo], list[str]], document: Path, running: Demo
) -> None:
    found = {words[0]: words[1:] for words in map(str.split, lines(document, running))}
    assert found.pop("settings")
    assert found == {
        "members": running.members(),
        "chosen": running.members()[:2],
        "walked": found["walked"],
        "refused": ["400", "limit", "cannot", "exceed", "100."],
        "limited": ["429", "RATE_LIMIT_EXCEEDED"],
    }
    assert set(running.members()) <= set(found["walked"])
    assert len(set(found["walked"])) == len(found["walked"])


POLLS = Path(__file__).parent / "polls"

GENERATED = 'package javax.annotation; public @interface Generated { String[] value(); String comments() default ""; }'
"""An annotation of the generated classes in Java, which projects have from a library."""

BUNDLED = ("--strict", "--noEmit", "--target", "es2022", "--module", "esnext", "--moduleResolution", "bundler")


@dataclass
class Poll:
    """A folder with the OpenAPI document, and the address, key and day of a client."""

    document: Path
    address: str
    key: str
    day: str

    @property
    def folder(self) -> Path:
        return self.document.parent

    @property
    def arguments(self) -> tuple[str, str, str]:
        return self.address, self.key, self.day


def program(name: str) -> str:
    """A program of the system. Skips the test where it is missing."""
    path = shutil.which(name)
    if path is None:
        pytest.skip(f"{name} is not installed: without it this client is not tried.")
    return path


def openapi_generator(poll: Poll, generator: str, *options: str) -> Path:
    """The folder of a client that openapi-generator made."""
    program("java")
    command = (tool(PYTHON, "openapi-generator-cli"), "generate", "-g", generator, "-i", poll.document)
    run(*command, *options, "-o", "generated", folder=poll.folder)
    return poll.folder / "generated"


def python_client(poll: Poll) -> str:
    folder = openapi_generator(poll, "python")
    return run(PYTHON / "python", POLLS / "poll.py", folder, *poll.arguments, folder=folder)


def java_client(poll: Poll) -> str:
    properties = "openApiNullable=false,hideGenerationTimestamp=true,useSingleRequestParameter=true"
    folder = openapi_generator(poll, "java", "--library", "native", "--additional-properties", properties)
    (folder / "Generated.java").write_text(GENERATED)
    # The libraries that the client imports are in the jar of the generator, too.
    (jar,) = PYTHON.parent.glob("lib/*/site-packages/openapi_generator_cli/openapi-generator.jar")
    sources = [*folder.rglob("src/main/**/*.java"), folder / "Generated.java", POLLS / "Poll.java"]
    run(program("javac"), "-nowarn", "-cp", jar, "-d", "classes", *sources, folder=folder)
    return run(program("java"), "-cp", f"classes:{jar}", "Poll", *poll.arguments, folder=folder)


def typescript(poll: Poll, script: str) -> str:
    """What a script prints that is checked and bundled with the client in `generated`."""
    (poll.folder / "node_modules").symlink_to(NODE.parent)
    shutil.copy(POLLS / script, poll.folder)
    run(tool(NODE, "tsc"), *BUNDLED, "--skipLibCheck", script, folder=poll.folder)
    bundle = ("--bundle", "--platform=node", "--format=esm", "--packages=external", "--outfile=poll.mjs")
    run(tool(NODE, "esbuild"), script, *bundle, "--log-level=warning", folder=poll.folder)
    return run("node", "poll.mjs", *poll.arguments, folder=poll.folder)


def axios_client(poll: Poll) -> str:
    openapi_generator(poll, "typescript-axios", "--additional-properties", "useSingleRequestParameter=true")
    return typescript(poll, "axios.ts")


def heyapi_client(poll: Poll) -> str:
    options = ("--client", "@hey-api/client-fetch", "--output", "generated", "--no-log-file")
    run(tool(NODE, "openapi-ts"), "--input", poll.document, *options, folder=poll.folder)
    return typescript(poll, "heyapi.ts")


def orval_client(poll: Poll) -> str:
    output = {"target": "generated/client.ts", "client": "fetch", "baseUrl": poll.address}
    configuration = orjson.dumps({"orgdata": {"input": str(poll.document), "output": output}}).decode()
    (poll.folder / "orval.config.mjs").write_text(f"export default {configuration}")
    run(tool(NODE, "orval"), "--config", "orval.config.mjs", folder=poll.folder)
    return typescript(poll, "orval.ts")


@pytest.mark.parametrize("client", [python_client, java_client, axios_client, heyapi_client, orval_client])
def test_generated_client_polls_with_a_day(client: Callable[[Poll], str], tmp_path: Path, running: Demo) -> None:
    tasks = running.get("/v1/tasks/?limit=100").json()["results"]
    day = max(task["updated_at"] for task in tasks)[:10]
    changed = {task["id"] for task in tasks if task["updated_at"] >= day}
    assert 0 < len(changed) < len(tasks)
    document = tmp_path / "openapi.json"
    document.write_bytes(orjson.dumps(openapi(ENDPOINTS, base_url=running.details["public"])))
    printed = client(Poll(document, running.details["public"], running.details["partner_key"], day))
    assert set(printed.split()) == changed


def test_jdk_client_gets_through_with_its_offer_of_http_2(running: Demo) -> None:
    names = ("public", "internal", "partner_key", "internal_token", "organization_id")
    arguments = [running.details[name] for name in names]
    printed = run(program("java"), POLLS / "Offer.java", *arguments, folder=POLLS)
    assert printed.splitlines() == ["list 200", "graphql 200", "graphql 200", "mcp 200"]
