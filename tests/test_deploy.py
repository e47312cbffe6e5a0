"""Files under deploy/: dashboard and alerts use existing metrics and labels, settings and images fit the service."""

import json
import os
import re
import shutil
import socket
import subprocess
from collections.abc import Iterator
from datetime import date, timedelta
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import httpx2 as httpx
import psycopg
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from db.admin.engine import connect
from db.sample.embedded.binaries import find_binaries
from db.sample.embedded.server import Server
from rest_facade.composition import Service
from rest_facade.errors.refusals import Code
from rest_facade.settings import PREFIX, Settings
from tests import pins
from tests.factories.rows import Rows
from tests.faults.service import serving
from tests.faults.store import find_redis, free_port
from tests.helpers.databases import migrate_at
from tests.helpers.folders import open_folder
from tests.helpers.repository import DEPLOY
from tests.helpers.waiting import until

NAME = re.compile(r"\b(?:orgdata|process)_[a-z_]+\b|\bup\b")
SELECTOR = re.compile(r"\b([a-z_]+)\{([^}]*)\}")
MATCHER = re.compile(r'(\w+)(?:=~|!~|!=|=)"([^"]*)"')
GROUPED = re.compile(r"\b(?:by|on) \(([^)]*)\)")

# Labels that Prometheus adds to each sample.
PROMETHEUS_LABELS = {"job", "instance"}


def board() -> Any:
    return json.loads((DEPLOY / "grafana.json").read_text())


def rules(file: str = "alerts.yaml") -> list[dict[str, Any]]:
    (group,) = yaml.safe_load((DEPLOY / file).read_text())["groups"]
    return list(group["rules"])


def charts() -> list[dict[str, Any]]:
    return [panel for panel in board()["panels"] if panel["type"] != "row"]


def expressions() -> Iterator[str]:
    yield from (target["expr"] for panel in charts() for target in panel["targets"])
    yield from (rule["expr"] for rule in rules())


@pytest.fixture
async def labels_by_sample(service: Service) -> dict[str, set[str]]:
    """The names of all samples, each with its labels."""
    # The samples of a host exist once it was reached.
    await service.database.ping()
    found: dict[str, set[str]] = {"up": set()}
    for family in text_string_to_metric_families(service.public.metrics.exposition().decode()):
        for sample in family.samples:
            found.setdefault(sample.name, set()).update(sample.labels)
    return found


def test_expressions_use_existing_metrics_and_labels(labels_by_sample: dict[str, set[str]]) -> None:
    for expression in expressions():
        names = set(NAME.findall(expression))
        assert names and names <= labels_by_sample.keys(), expression
        assert expression.count("(") == expression.count(")")
        for name, matchers in SELECTOR.findall(expression):
            for label, value in MATCHER.findall(matchers):
                assert label in labels_by_sample[name] | PROMETHEUS_LABELS, (name, label)
                if label == "code":
                    assert set(value.split("|")) <= set(Code)
        for labels in GROUPED.findall(expression):
            for label in labels.split(", "):
                assert all(label in labels_by_sample[name] | PROMETHEUS_LABELS for name in names), label


def test_every_metric_is_on_the_dashboard(labels_by_sample: dict[str, set[str]]) -> None:
    shown = {name for panel in charts() for target in panel["targets"] for name in NAME.findall(target["expr"])}
    ours = {re.sub(r"_(bucket|count|sum)$", "", name) for name in labels_by_sample if name.startswith("orgdata_")}
    missing = ours - {re.sub(r"_bucket$", "", name) for name in shown}
    assert missing == set(), "deploy/grafana.json has no chart of these"


def test_charts_have_titles_and_datasource() -> None:
    assert len({panel["id"] for panel in board()["panels"]}) == len(board()["panels"])
    for panel in charts():
        assert panel["title"] and panel["description"]
        assert panel["datasource"] == {"type": "prometheus", "uid": "${datasource}"}
        for target in panel["targets"]:
            # A legend can only name labels that are left.
            grouped = " ".join(GROUPED.findall(target["expr"]))
            assert all(label in grouped for label in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]))


def test_alerts_of_jobs_name_jobs_that_exist() -> None:
    jobs = {path.stem for path in (DEPLOY / "kubernetes" / "jobs").glob("*.yaml")} - {"kustomization"}
    assert jobs == {"doctor", "retain"}
    for rule in rules("job-alerts.yaml"):
        assert rule["expr"].count("orgdata-(doctor|retain)") == 2


def test_alerts_have_severity_and_action() -> None:
    declared = [*rules(), *rules("job-alerts.yaml")]
    assert len({rule["alert"] for rule in declared}) == len(declared)
    for rule in declared:
        assert set(rule) == {"alert", "expr", "for", "labels", "annotations"}
        assert rule["labels"]["severity"] in ("page", "ticket")
        assert set(rule["annotations"]) == {"summary", "action"}


def test_alerts_fire_in_their_states() -> None:
    tested = yaml.safe_load((DEPLOY / "alerts_test.yaml").read_text())
    cases = [case for test in tested["tests"] for case in test["alert_rule_test"]]
    fired = {case["alertname"]: case["exp_alerts"] for case in cases if "exp_alerts" in case}
    declared = {rule["alert"]: rule for rule in rules()}
    assert {"OrgdataDown", "OrgdataAbsent", "OrgdataFailing", "OrgdataCannotCount"} <= fired.keys()
    for name, [alert] in fired.items():
        assert declared[name]["labels"].items() <= alert["exp_labels"].items()
        assert alert["exp_annotations"]["action"] == declared[name]["annotations"]["action"]
    promtool = shutil.which("promtool")
    if promtool is None:
        pytest.skip("There is no promtool on PATH, which evaluates the rules.")
    command = [promtool, "test", "rules", str(DEPLOY / "alerts_test.yaml")]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.process
def test_owner_role_migrates_service_role_reads(tmp_path: Path) -> None:
    passwords = {"ORGDATA_OWNER_PASSWORD": "the owner's", "ORGDATA_SERVICE_PASSWORD": "the service's"}
    with open_folder() as folder, Server(folder, options={"fsync": "off"}) as server:
        command = [str(find_binaries() / "psql"), "-qXf", str(DEPLOY / "roles.sql"), server.url("postgres")]
        made = subprocess.run(command, env=passwords, capture_output=True, text=True, timeout=30, check=True)
        assert made.stdout + made.stderr == ""
        migrate_at(server.url("orgdata_owner", "orgdata"))
        rows = Rows(connect(server.url("orgdata_owner", "orgdata")))
        key = rows.partner_key(rows.organization())
        rows.connection.close()
        service_url = server.url("orgdata_service", "orgdata")
        with serving(tmp_path, database_url=service_url, drain="0") as service:
            answer = httpx.get(f"{service.public}/v1/members/", headers={"X-SERVICE-API-KEY": key})
            assert (answer.status_code, answer.json()["count"]) == (200, 0)
        with psycopg.connect(service_url) as connection, pytest.raises(psycopg.Error):
            connection.execute("DELETE FROM api_keys")
        with psycopg.connect(server.url("postgres")) as connection:
            asked = "SELECT rolname, rolpassword LIKE 'SCRAM-SHA-256$%' FROM pg_authid WHERE rolname LIKE 'orgdata%'"
            roles = {"orgdata_owner": True, "orgdata_service": True, "orgdata_writer": None}
            assert dict(connection.execute(asked).fetchall()) == roles


def test_named_settings_exist() -> None:
    known = {PREFIX + name.upper() for name in Settings.model_fields}
    # Variables of roles.sql.
    known |= {"ORGDATA_OWNER_PASSWORD", "ORGDATA_SERVICE_PASSWORD"}
    files = [DEPLOY / name for name in ("Dockerfile", "compose.yaml", "README.md", "orgdata.service", "backup.sh")]
    for path in [*files, *(DEPLOY / "kubernetes").rglob("*.yaml")]:
        assert set(re.findall(r"\bORGDATA_[A-Z_]+\b", path.read_text())) <= known, path


def test_image_has_the_sources_and_no_root() -> None:
    lines = (DEPLOY / "Dockerfile").read_text().splitlines()
    copies = [line.split() for line in lines if line.startswith("COPY ") and "--from" not in line]
    copied = {word for words in copies for word in words[1:-1]}
    assert {"db", "resolvers", "schema", "rest_facade", "pyproject.toml", "README.md", "requirements.txt"} <= copied
    ignored = (DEPLOY.parent / ".dockerignore").read_text().splitlines()
    for name in copied:
        assert (DEPLOY.parent / name).exists(), name
        assert any(fnmatch(name, line.removeprefix("!")) for line in ignored if line.startswith("!")), name
    assert "USER 10001:10001" in lines
    assert lines.index("USER 10001:10001") > max(at for at, line in enumerate(lines) if line.startswith("FROM"))


def test_compose_file_fits_several_workers() -> None:
    services = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]
    assert set(services) == {"database", "store", "migrate", "service"}
    settings = services["service"]["environment"]
    assert settings["ORGDATA_QUOTA_STORE"] == "redis://:${STORE_PASSWORD:?}@store:6379/0"
    assert settings["ORGDATA_DATABASE_URL"].startswith("postgresql://orgdata_service:")
    assert services["migrate"]["environment"]["ORGDATA_DATABASE_URL"].startswith("postgresql://orgdata_owner:")
    # The internal listener is published to this machine only.
    assert services["service"]["ports"] == ["8000:8000", "127.0.0.1:8001:8001"]
    # Secrets come from outside, and their absence stops the start.
    for service in services.values():
        for name, value in service.get("environment", {}).items():
            if name.endswith(("PASSWORD", "KEYS")):
                assert re.fullmatch(r"\$\{[A-Z_]+:\?\}", value), name


def test_every_container_has_limits() -> None:
    for name, service in yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"].items():
        assert {"mem_limit", "pids_limit"} <= service.keys(), name


def test_images_are_pinned_to_full_versions_with_review() -> None:
    found = [pin for path in pins.FILES for pin in pins.pins_of(path.read_text())]
    assert len(found) == 5
    assert [image for image, _ in found if not re.search(r":\d+\.\d+(\.\d+)?(-[a-z-]+)?$", image)] == []
    assert [image for image, reviewed in found if reviewed is None] == []


def test_image_without_recent_review_is_named() -> None:
    text = "FROM c:1.2\nimage: a/b:1.2.3  # reviewed 2026-01-01\n# reviewed 2026-01-01\nFROM d:1.2-slim\nimage: e:1\n"
    found, day = list(pins.pins_of(text)), date(2026, 4, 1)
    (sentence,) = pins.overdue(found[:1], day)
    look = "look up the present version with security fixes, and write `reviewed 2026-04-01` beside it."
    assert sentence == f"c:1.2 was reviewed never: {look}"
    assert [each.split()[0] for each in pins.overdue(found, day)] == ["c:1.2", "e:1"]
    names = ["c:1.2", "a/b:1.2.3", "d:1.2-slim", "e:1"]
    assert [each.split()[0] for each in pins.overdue(found, day + timedelta(days=1))] == names


@pytest.mark.process
def test_store_of_the_compose_file_needs_its_password(tmp_path: Path) -> None:
    """The command is run with the Redis of the tests, whose options are those of Valkey."""
    store = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["store"]
    shell, option, script, *rest = (word.replace("$$", "$") for word in store["entrypoint"])
    script = script.replace("valkey-server", find_redis())
    port = free_port()
    command = [shell, option, script, *rest, *store["command"], "--port", str(port), "--bind", "127.0.0.1"]
    environment = {"STORE_PASSWORD": "0123abcd", "PATH": os.environ["PATH"]}
    with subprocess.Popen(command, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL) as process:
        try:
            until(lambda: said(port, b"PING\r\n") == b"-NOAUTH Authentication required.\r\n")
            assert said(port, b"AUTH 0123abcd\r\n") == b"+OK\r\n"
            assert b"0123abcd" not in Path(f"/proc/{process.pid}/cmdline").read_bytes()
        finally:
            process.terminate()
        assert process.wait(10) == 0


def said(port: int, command: bytes) -> bytes:
    """The reply of a Redis to a command; empty while it does not listen."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
            connection.sendall(command)
            return connection.recv(1000)
    except ConnectionError:
        return b""


@pytest.mark.parametrize(
    "file", ["orgdata.service", "systemd/orgdata-retain.service", "systemd/orgdata-doctor.service"]
)
def test_systemd_unit_is_confined(file: str) -> None:
    lines = (DEPLOY / file).read_text().splitlines()
    for setting in ("ProtectKernelTunables", "ProtectKernelModules", "ProtectKernelLogs", "MemoryMax", "TasksMax"):
        assert any(line.startswith(f"{setting}=") for line in lines), setting
    assert {"SystemCallFilter=@system-service", "SystemCallFilter=~@privileged @resources"} <= set(lines)
    if shutil.which("systemd-analyze") is not None:
        command = ["systemd-analyze", "security", "--offline=true", "--threshold=20", str(DEPLOY / file)]
        result = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        # Systemd before 250 reviews no files.
        assert result.returncode == 0 or "unrecognized option" in result.stderr, result.stdout[-300:]
