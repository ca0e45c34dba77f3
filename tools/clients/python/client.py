"""The official Python client with its default settings: typed API, patches, watches, dynamic client."""

import json

from kubernetes import client, config, dynamic, utils, watch
from kubernetes.client.exceptions import ApiException
from kubernetes.dynamic.exceptions import ConflictError, NotFoundError, UnprocessibleEntityError

import steps
from widgets import API_VERSION, DEFINITION, widget

config.load_kube_config()
core = client.CoreV1Api()
apps = client.AppsV1Api()
NAMESPACE = "python"


def refused(status: int, reason: str, call) -> str:
    """The message of a call that must fail as told."""
    try:
        call()
    except ApiException as error:
        body = json.loads(error.body)
        assert (error.status, body["kind"], body["reason"]) == (status, "Status", reason), error
        return body["message"]
    raise AssertionError(f"not refused: {reason}")


def sending(content_type: str) -> client.ApiClient:
    """For patches of a kind that the client does not choose by itself."""
    return client.ApiClient(header_name="Content-Type", header_value=content_type)


def config_map(name: str, data: dict, **metadata) -> client.V1ConfigMap:
    return client.V1ConfigMap(metadata=client.V1ObjectMeta(name=name, **metadata), data=data)


def deployment(name: str, replicas: int) -> client.V1Deployment:
    labels = {"app": name}
    container = client.V1Container(name="web", image="registry.example/web:1", ports=[client.V1ContainerPort(container_port=80)])
    return client.V1Deployment(
        metadata=client.V1ObjectMeta(name=name, labels=labels),
        spec=client.V1DeploymentSpec(
            replicas=replicas,
            selector=client.V1LabelSelector(match_labels=labels),
            template=client.V1PodTemplateSpec(
                metadata=client.V1ObjectMeta(labels=labels), spec=client.V1PodSpec(containers=[container])
            ),
        ),
    )


def discovery() -> None:
    assert client.VersionApi().get_code().git_version.startswith("v1.35.")
    assert "v1" in client.CoreApi().get_api_versions().versions
    assert "apps" in [group.name for group in client.ApisApi().get_api_versions().groups]
    assert "deployments/scale" in [each.name for each in apps.get_api_resources().resources]
    review = client.AuthenticationV1Api().create_self_subject_review(client.V1SelfSubjectReview())
    assert "system:authenticated" in review.status.user_info.groups


def objects() -> None:
    core.create_namespace(client.V1Namespace(metadata=client.V1ObjectMeta(name=NAMESPACE)))
    made = core.create_namespaced_config_map(NAMESPACE, config_map("settings", {"a": "1"}, labels={"app": "x"}))
    assert made.metadata.uid and made.metadata.creation_timestamp.tzinfo is not None
    made.data["a"] = "2"
    replaced = core.replace_namespaced_config_map("settings", NAMESPACE, made)
    assert replaced.data == {"a": "2"} and replaced.metadata.resource_version != made.metadata.resource_version
    assert [each.metadata.name for each in core.list_namespaced_config_map(NAMESPACE, label_selector="app=x").items] == ["settings"]
    message = refused(409, "Conflict", lambda: core.replace_namespaced_config_map("settings", NAMESPACE, made))
    assert "the object has been modified" in message, message
    refused(409, "AlreadyExists", lambda: core.create_namespaced_config_map(NAMESPACE, config_map("settings", {})))
    refused(404, "NotFound", lambda: core.read_namespaced_secret("none", NAMESPACE))
    refused(422, "Invalid", lambda: core.create_namespaced_config_map(NAMESPACE, config_map("Not_a_name", {})))


def pages() -> None:
    for i in range(5):
        core.create_namespaced_config_map(NAMESPACE, config_map(f"page-{i}", {}, labels={"page": "yes"}))
    seen, token = [], None
    while token != "":
        page = core.list_namespaced_config_map(NAMESPACE, label_selector="page=yes", limit=2, _continue=token)
        assert len(page.items) <= 2
        seen += [each.metadata.name for each in page.items]
        token = page.metadata._continue or ""
    assert seen == [f"page-{i}" for i in range(5)], seen
    core.delete_collection_namespaced_config_map(NAMESPACE, label_selector="page=yes")
    assert core.list_namespaced_config_map(NAMESPACE, label_selector="page=yes").items == []


def patches() -> None:
    apps.create_namespaced_deployment(NAMESPACE, deployment("web", 1))
    sidecar = {"spec": {"template": {"spec": {"containers": [{"name": "log", "image": "registry.example/log:1"}]}}}}
    # Without a content type of its own the client sends a strategic merge patch: lists are merged by name.
    merged = apps.patch_namespaced_deployment("web", NAMESPACE, sidecar)
    assert [each.name for each in merged.spec.template.spec.containers] == ["log", "web"], merged.spec.template.spec.containers
    # A list is sent as a JSON patch.
    patched = apps.patch_namespaced_deployment("web", NAMESPACE, [{"op": "replace", "path": "/spec/replicas", "value": 3}])
    assert patched.spec.replicas == 3
    merge = {"spec": {"template": {"spec": {"containers": [{"name": "only", "image": "registry.example/only:1"}]}}}}
    merging = client.AppsV1Api(sending("application/merge-patch+json"))
    replaced = merging.patch_namespaced_deployment("web", NAMESPACE, merge)
    assert [each.name for each in replaced.spec.template.spec.containers] == ["only"]
    refused(422, "Invalid", lambda: apps.patch_namespaced_deployment("web", NAMESPACE, {"spec": {"replicas": -1}}))


def apply() -> None:
    applying = client.CoreV1Api(sending("application/apply-patch+yaml"))

    def send(data: dict, manager: str, **options) -> client.V1ConfigMap:
        body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "applied"}, "data": data}
        return applying.patch_namespaced_config_map("applied", NAMESPACE, body, field_manager=manager, **options)

    send({"a": "1", "b": "1"}, "one")
    assert send({"a": "1"}, "one").data == {"a": "1"}
    assert "conflict with \"one\"" in refused(409, "Conflict", lambda: send({"a": "2"}, "two"))
    taken = send({"a": "2"}, "two", force=True)
    assert taken.data == {"a": "2"}
    assert {entry.manager: entry.operation for entry in taken.metadata.managed_fields}["two"] == "Apply"


def subresources() -> None:
    scale = apps.read_namespaced_deployment_scale("web", NAMESPACE)
    scale.spec.replicas = 5
    assert apps.replace_namespaced_deployment_scale("web", NAMESPACE, scale).spec.replicas == 5
    assert apps.read_namespaced_deployment("web", NAMESPACE).spec.replicas == 5
    done = apps.patch_namespaced_deployment_status("web", NAMESPACE, {"status": {"observedGeneration": 1, "replicas": 5}})
    assert done.status.replicas == 5
    core.create_namespaced_service_account(NAMESPACE, client.V1ServiceAccount(metadata=client.V1ObjectMeta(name="robot")))
    request = client.AuthenticationV1TokenRequest(spec=client.V1TokenRequestSpec(audiences=[], expiration_seconds=600))
    token = core.create_namespaced_service_account_token("robot", NAMESPACE, request).status.token
    settings = client.Configuration.get_default_copy()
    settings.api_key, settings.refresh_api_key_hook = {"authorization": f"Bearer {token}"}, None
    robot = client.AuthenticationV1Api(client.ApiClient(settings)).create_self_subject_review(client.V1SelfSubjectReview())
    assert robot.status.user_info.username == f"system:serviceaccount:{NAMESPACE}:robot"


def watches() -> None:
    listed = core.list_namespaced_config_map(NAMESPACE)
    core.create_namespaced_config_map(NAMESPACE, config_map("seen", {"n": "1"}))
    core.patch_namespaced_config_map("seen", NAMESPACE, {"data": {"n": "2"}})
    core.delete_namespaced_config_map("seen", NAMESPACE)
    events = []
    stream = watch.Watch()
    for event in stream.stream(
        core.list_namespaced_config_map, NAMESPACE, resource_version=listed.metadata.resource_version, timeout_seconds=60
    ):
        assert isinstance(event["object"], client.V1ConfigMap)
        events.append((event["type"], event["object"].data["n"]))
        if event["type"] == "DELETED":
            stream.stop()
    assert events == [("ADDED", "1"), ("MODIFIED", "2"), ("DELETED", "2")], events
    # The server ends a watch after the time that was asked for.
    current = [event["type"] for event in watch.Watch().stream(core.list_namespaced_config_map, NAMESPACE, timeout_seconds=1)]
    assert current == ["ADDED"] * len(listed.items), current


def dynamic_client() -> None:
    api = dynamic.DynamicClient(client.ApiClient())
    definitions = api.resources.get(api_version="apiextensions.k8s.io/v1", kind="CustomResourceDefinition")
    definitions.create(body=DEFINITION)

    def established() -> bool:
        conditions = definitions.get(name=DEFINITION["metadata"]["name"]).to_dict().get("status", {}).get("conditions", [])
        return any(each["type"] == "Established" and each["status"] == "True" for each in conditions)

    def gone() -> bool:
        try:
            definitions.get(name=DEFINITION["metadata"]["name"])
        except NotFoundError:
            return True
        return False

    steps.eventually(established, "the definition is established")
    widgets = api.resources.get(api_version=API_VERSION, kind="Widget")
    assert widgets.create(body=widget("w", 1), namespace=NAMESPACE).spec.color == "blue"
    applied = widgets.server_side_apply(body=widget("w", 2), namespace=NAMESPACE, field_manager="python", force_conflicts=True)
    assert applied.spec.size == 2 and applied.metadata.generation == 2
    merge = {"content_type": "application/merge-patch+json"}
    status = widgets.status.patch(body={**widget("w", 9), "status": {"ready": True}}, namespace=NAMESPACE, **merge)
    assert status.status.ready is True and status.spec.size == 2
    try:
        widgets.patch(body=widget("w", 0), namespace=NAMESPACE, **merge)
    except UnprocessibleEntityError as error:
        assert "should be greater than or equal to 1" in error.summary(), error.summary()
    else:
        raise AssertionError("a size of 0")
    try:
        widgets.create(body=widget("w", 1), namespace=NAMESPACE)
    except ConflictError:
        pass
    else:
        raise AssertionError("two of the same name")
    events = widgets.watch(namespace=NAMESPACE, resource_version="0", timeout=60)
    first = next(iter(events))
    assert (first["type"], first["object"].metadata.name) == ("ADDED", "w")
    widgets.delete(name="w", namespace=NAMESPACE)
    assert widgets.get(namespace=NAMESPACE).items == []
    # With the definition go the objects.
    widgets.create(body=widget("left", 1), namespace=NAMESPACE)
    definitions.delete(name=DEFINITION["metadata"]["name"])
    steps.eventually(gone, "the definition is gone")


def manifests() -> None:
    service = {"apiVersion": "v1", "kind": "Service", "metadata": {"name": "web"}, "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]}}
    cron = {
        "apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "nightly"},
        "spec": {"schedule": "0 3 * * *", "jobTemplate": {"spec": {"template": {"spec": {
            "restartPolicy": "Never", "containers": [{"name": "c", "image": "registry.example/job:1"}]}}}}},
    }
    utils.create_from_yaml(client.ApiClient(), yaml_objects=[service, cron], namespace=NAMESPACE)
    assert core.read_namespaced_service("web", NAMESPACE).spec.cluster_ip
    assert client.BatchV1Api().read_namespaced_cron_job("nightly", NAMESPACE).spec.concurrency_policy == "Allow"
    deleted = apps.delete_namespaced_deployment("web", NAMESPACE, body=client.V1DeleteOptions(propagation_policy="Background"))
    assert deleted.status == "Success"
    core.delete_namespace(NAMESPACE)


if __name__ == "__main__":
    steps.run({
        "discovery": discovery,
        "create, read, replace, list, refusals": objects,
        "pages and deletion of a collection": pages,
        "strategic, JSON and merge patches": patches,
        "server-side apply": apply,
        "subresources": subresources,
        "watch": watches,
        "dynamic client": dynamic_client,
        "manifests": manifests,
    })
