"""What deploy/ and the workflows say agrees: one command, version, user and port; routes and metrics that exist."""

from __future__ import annotations

import configparser
import re
import shlex
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

from assay.server.app import create_app
from assay.server.metrics import Metrics
from assay.server.service import Service
from assay.server.settings import ServerSettings

ROOT = Path(__file__).parents[3]
DEPLOY = ROOT / "deploy"
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]
WORKFLOWS = sorted((ROOT / ".github" / "workflows").glob("*.yml"))


def stages() -> list[list[tuple[str, str]]]:
    """The instructions of the Dockerfile by stage, each with its arguments on one line."""
    lines = (DEPLOY / "Dockerfile").read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if not line.startswith("#")).replace("\\\n", " ")
    found: list[list[tuple[str, str]]] = []
    for line in filter(None, map(str.strip, text.splitlines())):
        name, _, arguments = line.partition(" ")
        if name == "FROM":
            found.append([])
        found[-1].append((name, " ".join(arguments.split())))
    return found


def last_stage(name: str) -> str:
    """The arguments of the only such instruction in the last stage."""
    [arguments] = [arguments for instruction, arguments in stages()[-1] if instruction == name]
    return arguments


def image_environment() -> dict[str, str]:
    """The variables of the image."""
    return dict(pair.split("=", 1) for pair in shlex.split(last_stage("ENV")))


def documents(name: str) -> list[dict[str, Any]]:
    """The documents of a YAML file in deploy/."""
    return list(yaml.safe_load_all((DEPLOY / name).read_text(encoding="utf-8")))


def kubernetes(kind: str) -> dict[str, Any]:
    """The only object of a kind in the Kubernetes example."""
    [found] = [document for document in documents("kubernetes.yaml") if document["kind"] == kind]
    return found


def unit() -> configparser.SectionProxy:
    """The section Service of the systemd unit; of `Environment`, which is repeated, the last."""
    parser = configparser.ConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read(DEPLOY / "assay.service", encoding="utf-8")
    return parser["Service"]


@pytest.fixture(scope="module")
def routes(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The paths that the server answers, outside the OpenAPI document as well."""
    service = Service.over(ServerSettings(engine={"data_dir": tmp_path_factory.mktemp("data")}))
    return set(create_app(service).openapi()["paths"])


def test_every_image_is_of_this_version() -> None:
    pod = kubernetes("Deployment")["spec"]["template"]["spec"]
    [compose] = documents("compose.yaml")
    images = {compose["services"]["assay"]["image"]}
    images |= {container["image"] for container in (*pod["containers"], *pod["initContainers"])}
    assert images == {f"assay:{VERSION}"}
    assert f'org.opencontainers.image.version="{VERSION}"' in last_stage("LABEL")


def test_the_image_is_built_by_the_uv_of_the_makefile() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    [version] = re.findall(r"^UV_VERSION := (\S+)$", makefile, re.MULTILINE)
    assert f"uv=={version}" in "\n".join(arguments for _, arguments in stages()[0])


def test_the_last_stage_has_what_was_built_and_nothing_to_build_with() -> None:
    copied = [arguments for name, arguments in stages()[-1] if name == "COPY"]
    assert copied == ["--from=build /opt/assay /opt/assay"]
    assert not re.search(r"\b(uv|pip|apt-get|curl)\b", "\n".join(arguments for _, arguments in stages()[-1]))


def test_what_the_dockerfile_copies_is_let_through_and_there() -> None:
    copied = {source for name, arguments in stages()[0] if name == "COPY" for source in arguments.split()[:-1]}
    ignored = (DEPLOY / "Dockerfile.dockerignore").read_text(encoding="utf-8").splitlines()
    assert {line[1:] for line in ignored if line.startswith("!")} == copied
    assert all((ROOT / source).exists() for source in copied)


def test_each_file_runs_the_same_command() -> None:
    pod = kubernetes("Deployment")["spec"]["template"]["spec"]
    [container] = pod["containers"]
    assert (last_stage("ENTRYPOINT"), last_stage("CMD")) == ('["assay"]', '["serve"]')
    assert container["args"] == ["serve"]
    assert unit()["ExecStart"].split() == ["/opt/assay/bin/assay", "serve"]


def test_nobody_is_root_and_only_the_data_can_be_written() -> None:
    pod = kubernetes("Deployment")["spec"]["template"]["spec"]
    user = pod["securityContext"]
    assert last_stage("USER") == f"{user['runAsUser']}:{user['runAsGroup']}" == "10001:10001"
    assert user["runAsNonRoot"] is True
    for container in (*pod["containers"], *pod["initContainers"]):
        assert container["securityContext"] == {
            "allowPrivilegeEscalation": False,
            "readOnlyRootFilesystem": True,
            "capabilities": {"drop": ["ALL"]},
        }
        assert {mount["mountPath"] for mount in container["volumeMounts"]} == {last_stage("VOLUME"), "/tmp"}
    [compose] = documents("compose.yaml")
    service = compose["services"]["assay"]
    assert (service["read_only"], service["cap_drop"]) == (True, ["ALL"])
    assert service["volumes"] == [f"data:{last_stage('VOLUME')}"]
    section = unit()
    assert (section["User"], section["ProtectSystem"], section["NoNewPrivileges"]) == ("assay", "strict", "yes")


def test_one_port_and_only_this_machine_reaches_it() -> None:
    port = image_environment()["ASSAY_SERVE_PORT"]
    [compose] = documents("compose.yaml")
    [published] = compose["services"]["assay"]["ports"]
    [container] = kubernetes("Deployment")["spec"]["template"]["spec"]["containers"]
    assert last_stage("EXPOSE") == port
    assert published.startswith("127.0.0.1:")
    assert published.endswith(f":{port}")
    assert container["ports"] == [{"name": "http", "containerPort": int(port)}]
    assert "Environment=ASSAY_SERVE_HOST=127.0.0.1\n" in (DEPLOY / "assay.service").read_text(encoding="utf-8")


def test_probes_ask_for_routes_that_there_are(routes: set[str]) -> None:
    [container] = kubernetes("Deployment")["spec"]["template"]["spec"]["containers"]
    asked = {container[f"{probe}Probe"]["httpGet"]["path"] for probe in ("startup", "liveness", "readiness")}
    asked |= set(re.findall(r"/healthz|/readyz", last_stage("HEALTHCHECK")))
    assert asked == {"/healthz", "/readyz"}
    assert asked <= routes


def test_the_service_finds_the_pod() -> None:
    deployment, service = kubernetes("Deployment"), kubernetes("Service")
    labels = deployment["spec"]["template"]["metadata"]["labels"]
    assert service["spec"]["selector"] == deployment["spec"]["selector"]["matchLabels"] == labels
    [volume] = [volume for volume in deployment["spec"]["template"]["spec"]["volumes"] if volume["name"] == "data"]
    assert volume["persistentVolumeClaim"]["claimName"] == kubernetes("PersistentVolumeClaim")["metadata"]["name"]


def test_alerts_are_over_metrics_that_there_are() -> None:
    exported = set(re.findall(r"^# TYPE (\w+) ", Metrics().page("")[0].decode(), re.MULTILINE))
    for name in ("alerts.yml", "alerts.test.yml"):
        text = (DEPLOY / name).read_text(encoding="utf-8")
        named = {re.sub(r"_(bucket|count|sum)$", "", metric) for metric in re.findall(r"\bassay_\w+", text)}
        assert named
        assert named <= exported


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_workflows_may_do_nothing_by_default_and_pin_what_they_use(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert workflow["permissions"] == {}
    used = [step["uses"] for job in workflow["jobs"].values() for step in job["steps"] if "uses" in step]
    assert used
    assert all(re.fullmatch(r"[\w./-]+@[0-9a-f]{40}", action) for action in used)


def test_what_is_published_was_built_once_and_tried() -> None:
    jobs = yaml.safe_load((ROOT / ".github" / "workflows" / "publish.yml").read_text(encoding="utf-8"))["jobs"]
    assert [name for name, job in jobs.items() if "make dist" in str(job)] == ["build"]
    assert (jobs["attest"]["needs"], jobs["publish"]["needs"]) == ("build", "attest")
    assert jobs["publish"]["permissions"] == {"id-token": "write"}
    assert "password" not in str(jobs)
