"""Files under deploy/kubernetes/: valid manifests, with settings, ports, probes and metrics of the service."""

import shutil
import subprocess
from collections.abc import Iterator, Sequence
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

import kubernetes_validate
import pytest
import yaml
from prometheus_client.parser import text_string_to_metric_families

from db.errors import OperatorError
from rest_facade.composition import KEY_CONNECTIONS, Service
from rest_facade.settings import Settings, load
from rest_facade.version import RELEASE

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "deploy" / "kubernetes"

VERSIONS = ("1.27", "1.37")
"""The oldest version that has all the fields, and the newest one that the validator knows."""

CUSTOM = {"pod-monitor.yaml", "http-route.yaml"}
"""Resources of kinds that a cluster gets from an operator or a gateway; the validator does not know them."""

NO_MANIFESTS = {"kustomization.yaml", "autoscaler-requests.yaml", "adapter-rules.yaml"} | CUSTOM

SECRETS = {
    "ORGDATA_DATABASE_URL": "postgresql://orgdata_service:password@database/orgdata",
    "ORGDATA_KEYS_DATABASE_URL": "postgresql://orgdata_service:password@primary/orgdata",
    "ORGDATA_QUOTA_STORE": "redis://:password@orgdata-store:6379/0",
    "ORGDATA_SIGNING_KEYS": "a signing key of the tests",
}
"""Values such as the secret orgdata-service has."""

DEFAULT_CONNECTIONS = 100 - 3
"""PostgreSQL's max_connections, less those that it reserves for superusers."""


@cache
def manifests() -> Sequence[dict[str, Any]]:
    files = (path for path in sorted(FOLDER.rglob("*.yaml")) if path.name not in NO_MANIFESTS)
    return [document for path in files for document in yaml.safe_load_all(path.read_text())]


def of_kind(kind: str) -> list[dict[str, Any]]:
    return [each for each in manifests() if each["kind"] == kind]


def named(kind: str, name: str) -> dict[str, Any]:
    (found,) = (each for each in of_kind(kind) if each["metadata"]["name"] == name)
    return found


def pods() -> Iterator[tuple[str, dict[str, Any]]]:
    """Name and specification of the pods of each workload."""
    for workload in (*of_kind("Deployment"), *of_kind("Job")):
        yield workload["metadata"]["name"], workload["spec"]["template"]["spec"]
    for workload in of_kind("CronJob"):
        yield workload["metadata"]["name"], workload["spec"]["jobTemplate"]["spec"]["template"]["spec"]


def service_pod() -> dict[str, Any]:
    return dict(pods())["orgdata"]


def settings_of(kustomization: str) -> dict[str, str]:
    """What the generated map of settings holds."""
    (generated,) = yaml.safe_load((FOLDER / kustomization / "kustomization.yaml").read_text())["configMapGenerator"]
    assert generated["name"] == "orgdata-settings"
    return dict(literal.split("=", 1) for literal in generated["literals"])


def assert_valid(documents: Sequence[dict[str, Any]], *versions: str) -> None:
    assert documents
    for document in documents:
        for version in versions:
            kubernetes_validate.validate(document, version, strict=True)


def test_manifests_are_valid() -> None:
    assert_valid(manifests(), *VERSIONS)
    wrong = deepcopy(named("Deployment", "orgdata"))
    wrong["spec"]["template"]["spec"]["containers"][0]["readinessProbes"] = {}
    with pytest.raises(kubernetes_validate.ValidationError, match="readinessProbes"):
        assert_valid([wrong], VERSIONS[-1])


@pytest.mark.parametrize("folder", ["base", "migrate", "example"])
def test_kustomize_builds_valid_manifests(folder: str) -> None:
    commands = {"kustomize": ["kustomize", "build"], "kubectl": ["kubectl", "kustomize"]}
    command = next((words for program, words in commands.items() if shutil.which(program)), None)
    if command is None:
        pytest.skip("There is neither kustomize nor kubectl on PATH.")
    built = subprocess.run([*command, str(FOLDER / folder)], capture_output=True, text=True, timeout=60, check=True)
    documents = list(yaml.safe_load_all(built.stdout))
    assert_valid(documents, VERSIONS[-1])
    maps = {each["metadata"]["name"] for each in documents if each["kind"] == "ConfigMap"}
    for each in documents:
        if each["kind"] == "Deployment":
            labels = each["spec"]["template"]["metadata"]["labels"]
            assert labels["app.kubernetes.io/name"] == "orgdata"
            assert each["spec"]["selector"]["matchLabels"].items() <= labels.items()
            for container in each["spec"]["template"]["spec"]["containers"]:
                assert {source["configMapRef"]["name"] for source in container.get("envFrom", [])} <= maps
    if folder == "example":
        (autoscaler,) = (each for each in documents if each["kind"] == "HorizontalPodAutoscaler")
        assert [metric["type"] for metric in autoscaler["spec"]["metrics"]] == ["Resource", "Pods"]
        assert {each["metadata"].get("namespace", "orgdata") for each in documents} == {"orgdata"}


@pytest.mark.parametrize("kustomization", ["base", "example"])
def test_settings_of_the_pods_can_be_read(kustomization: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (container,) = service_pod()["containers"]
    assert {variable["name"] for variable in container["env"]} == set(SECRETS)
    for name, value in (settings_of("base") | settings_of(kustomization) | SECRETS).items():
        monkeypatch.setenv(name, value)
    settings = load()
    ports = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert ports == {"public": settings.port, "internal": settings.internal_port}
    assert settings.public_url == "https://api.example.com"


def test_variables_of_services_would_stop_the_start(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ORGDATA_PORT", "tcp://10.96.0.7:80")
    with pytest.raises(OperatorError, match="ORGDATA_PORT"):
        load()
    assert {name: pod["enableServiceLinks"] for name, pod in pods()} == dict.fromkeys(dict(pods()), False)


def test_secrets_are_references() -> None:
    for name, pod in pods():
        for container in pod["containers"]:
            for variable in container["env"]:
                assert set(variable) == {"name", "valueFrom"}, name
                assert set(variable["valueFrom"]) == {"secretKeyRef"}, name
    assert not {setting for setting in settings_of("base") if setting in SECRETS}
    assert of_kind("Secret") == []


def test_probes_are_paths_of_the_internal_listener(service: Service) -> None:
    paths = {route.path for route in service.internal.routes if hasattr(route, "path")}
    (container,) = service_pod()["containers"]
    probes = {name: container[f"{name}Probe"]["httpGet"] for name in ("startup", "liveness", "readiness")}
    assert {name: (probe["path"], probe["port"]) for name, probe in probes.items()} == {
        "startup": ("/live", "internal"),
        "liveness": ("/live", "internal"),
        "readiness": ("/ready", "internal"),
    }
    annotations = named("Deployment", "orgdata")["spec"]["template"]["metadata"]["annotations"]
    assert {annotations["prometheus.io/path"], *(probe["path"] for probe in probes.values())} <= paths
    assert annotations["prometheus.io/port"] == str(Settings.model_fields["internal_port"].default)


def test_autoscaler_counts_an_exported_metric(service: Service) -> None:
    exposition = service.public.metrics.exposition().decode()
    samples = {sample.name for family in text_string_to_metric_families(exposition) for sample in family.samples}
    (rule,) = yaml.safe_load((FOLDER / "prometheus" / "adapter-rules.yaml").read_text())["rules"]["custom"]
    assert rule["seriesQuery"].partition("{")[0] in samples
    (patch,) = yaml.safe_load((FOLDER / "prometheus" / "autoscaler-requests.yaml").read_text())
    assert patch["value"]["pods"]["metric"]["name"] == rule["name"]["as"]


def test_services_and_policies_name_ports_of_pods() -> None:
    ports = {port["name"] for _, pod in pods() for each in pod["containers"] for port in each.get("ports", [])}
    for service in of_kind("Service"):
        assert {port["targetPort"] for port in service["spec"]["ports"]} <= ports
    for policy in of_kind("NetworkPolicy"):
        assert {port["port"] for rule in policy["spec"]["ingress"] for port in rule["ports"]} <= ports


def test_internal_listener_is_open_to_labelled_namespaces_only() -> None:
    rules = named("NetworkPolicy", "orgdata")["spec"]["ingress"]
    internal = [rule for rule in rules if any(port["port"] != "public" for port in rule["ports"])]
    assert [rule["from"] for rule in internal] == [
        [{"namespaceSelector": {"matchLabels": {"orgdata/internal": "allowed"}}}]
    ]
    assert of_kind("Ingress") == []


@pytest.mark.parametrize("name", ["orgdata", "orgdata-migrate", "orgdata-store", "orgdata-retain", "orgdata-doctor"])
def test_pods_are_confined(name: str) -> None:
    pod = dict(pods())[name]
    assert pod["automountServiceAccountToken"] is False
    assert pod["securityContext"]["runAsNonRoot"] is True
    assert pod["securityContext"]["seccompProfile"] == {"type": "RuntimeDefault"}
    rights = {"allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]}}
    for container in pod["containers"]:
        assert container["securityContext"] == rights
        assert {"cpu", "memory"} <= container["resources"]["requests"].keys()
        assert "memory" in container["resources"]["limits"]
    if name != "orgdata-store":
        user = f"{pod['securityContext']['runAsUser']}:{pod['securityContext']['runAsGroup']}"
        assert f"USER {user}" in (ROOT / "deploy" / "Dockerfile").read_text().splitlines()


def test_pods_have_time_to_drain() -> None:
    drain = float(settings_of("base")["ORGDATA_DRAIN"])
    probe = service_pod()["containers"][0]["readinessProbe"]
    assert service_pod()["terminationGracePeriodSeconds"] >= drain + 26
    # A load balancer that goes by the probe notices in time.
    assert drain >= probe["periodSeconds"] * probe["failureThreshold"]


def test_all_pods_fit_the_connections_of_the_database() -> None:
    settings = settings_of("base")
    pools = int(settings["ORGDATA_POOL_SIZE"]) + int(settings["ORGDATA_GRAPHQL_POOL_SIZE"]) + KEY_CONNECTIONS
    own = pools + 1  # that of the readiness checks
    spec = named("HorizontalPodAutoscaler", "orgdata")["spec"]
    surge = named("Deployment", "orgdata")["spec"]["strategy"]["rollingUpdate"]["maxSurge"]
    assert service_pod()["containers"][0]["args"] == ["serve", "--workers", "1"]
    assert (spec["maxReplicas"] + surge) * own <= DEFAULT_CONNECTIONS
    assert spec["minReplicas"] > named("PodDisruptionBudget", "orgdata")["spec"]["maxUnavailable"]


def test_images_have_the_tag_of_the_release() -> None:
    for path in FOLDER.rglob("kustomization.yaml"):
        for image in yaml.safe_load(path.read_text()).get("images", []):
            assert image["newTag"] == RELEASE, path


def test_store_is_that_of_the_compose_file() -> None:
    composed = yaml.safe_load((ROOT / "deploy" / "compose.yaml").read_text())["services"]["store"]
    (container,) = dict(pods())["orgdata-store"]["containers"]
    assert container["image"] == composed["image"]
    assert container["args"] == composed["command"]
    assert container["command"] == [word.replace("$$", "$") for word in composed["entrypoint"]]


def test_monitor_and_route_name_what_exists() -> None:
    monitor, route = (yaml.safe_load(next(FOLDER.rglob(name)).read_text()) for name in sorted(CUSTOM, reverse=True))
    pod = named("Deployment", "orgdata")["spec"]["template"]
    shared = yaml.safe_load((FOLDER / "base" / "kustomization.yaml").read_text())["labels"][0]["pairs"]
    labels = pod["metadata"]["labels"] | shared
    assert monitor["spec"]["selector"]["matchLabels"].items() <= labels.items()
    # The alerts are those of this job.
    assert labels[monitor["spec"]["jobLabel"]] == "orgdata"
    (endpoint,) = monitor["spec"]["podMetricsEndpoints"]
    assert endpoint["port"] in {port["name"] for port in service_pod()["containers"][0]["ports"]}
    (rule,) = route["spec"]["rules"]
    assert [match["path"]["value"] for match in rule["matches"]] == ["/v1/"]
    (backend,) = rule["backendRefs"]
    assert backend["port"] in {port["port"] for port in named("Service", backend["name"])["spec"]["ports"]}
    assert float(rule["timeouts"]["request"].removesuffix("s")) > Settings.model_fields["deadline"].default


def test_jobs_are_commands_with_their_volumes() -> None:
    jobs = {each["metadata"]["name"]: each["spec"] for each in of_kind("CronJob")}
    assert {spec["concurrencyPolicy"] for spec in jobs.values()} == {"Forbid"}
    (retain,) = dict(pods())["orgdata-retain"]["containers"]
    assert 'orgdata retain --all --objects "/objects/' in retain["command"][-1]
    assert "/objects" in {mount["mountPath"] for mount in retain["volumeMounts"]}
    claims = {each["metadata"]["name"] for each in of_kind("PersistentVolumeClaim")}
    assert {
        volume["persistentVolumeClaim"]["claimName"]
        for volume in dict(pods())["orgdata-retain"]["volumes"]
        if "persistentVolumeClaim" in volume
    } == claims
    (doctor,) = dict(pods())["orgdata-doctor"]["containers"]
    assert doctor["args"][0] == "doctor"
