"""kopf with its default settings: `kopf run` in a process of its own, and what it does to objects."""

import os
import signal
import subprocess
import sys

from kubernetes import client, config
from kubernetes.client.exceptions import ApiException

import steps
from widgets import DEFINITION, GROUP, PLURAL, VERSION, widget

config.load_kube_config()
core = client.CoreV1Api()
custom = client.CustomObjectsApi()
HERE = os.path.dirname(os.path.abspath(__file__))


def get(name: str) -> dict | None:
    try:
        return custom.get_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, name)
    except ApiException as error:
        if error.status != 404:
            raise
        return None


def status(name: str) -> dict:
    return (get(name) or {}).get("status", {})


def before() -> None:
    client.ApiextensionsV1Api().create_custom_resource_definition(DEFINITION)
    custom.create_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, widget("early", 1))


def create() -> None:
    steps.eventually(lambda: status("early").get("created") == {"size": 1}, "an object from before the operator is handled")
    custom.create_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, widget("late", 2))
    steps.eventually(lambda: status("late").get("created") == {"size": 2}, "a new object is handled")
    assert get("late")["metadata"]["finalizers"] == ["kopf.zalando.org/KopfFinalizerMarker"]


def update() -> None:
    custom.patch_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, "late", {"spec": {"size": 3}})
    steps.eventually(lambda: status("late").get("sizes") == [2, 3], "a change is handled")

    def reasons() -> list[str]:
        events = core.list_namespaced_event("default", field_selector="involvedObject.name=late").items
        return [each.reason for each in events]

    steps.eventually(lambda: "Resized" in reasons(), "an event is posted")


def built_in() -> None:
    labels = client.V1ObjectMeta(name="watched", labels={"watched": "yes"})
    core.create_namespaced_config_map("default", client.V1ConfigMap(metadata=labels))

    def annotated() -> bool:
        return (core.read_namespaced_config_map("watched", "default").metadata.annotations or {}).get("seen") == "yes"

    steps.eventually(annotated, "an event of a config map is handled")


def delete() -> None:
    custom.delete_namespaced_custom_object(GROUP, VERSION, "default", PLURAL, "late")
    steps.eventually(lambda: get("late") is None, "the finalizer is taken off once the handler, tried again, has succeeded")


def end() -> None:
    operator.send_signal(signal.SIGTERM)
    assert operator.wait(60) == 0, operator.returncode


before()
operator = subprocess.Popen([sys.executable, "-m", "kopf", "run", "--all-namespaces", os.path.join(HERE, "kopf_operator.py")])
try:
    steps.run({"creation": create, "update and event": update, "a built-in kind": built_in, "deletion": delete, "end": end})
finally:
    operator.kill()
    operator.wait()
