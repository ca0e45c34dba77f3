"""An operator as kopf's users write it: `kopf run` loads this file."""

import kopf

from widgets import GROUP, PLURAL, VERSION


@kopf.on.create(GROUP, VERSION, PLURAL)
def created(spec, **_):
    return {"size": spec["size"]}


@kopf.on.update(GROUP, VERSION, PLURAL, field="spec.size")
def resized(old, new, body, patch, **_):
    patch.status["sizes"] = [old, new]
    kopf.info(body, reason="Resized", message=f"from {old} to {new}")


@kopf.on.delete(GROUP, VERSION, PLURAL)
def deleted(retry, **_):
    if retry == 0:
        raise kopf.TemporaryError("once more", delay=0.1)


@kopf.on.event("", "v1", "configmaps", labels={"watched": "yes"})
def seen(event, name, namespace, body, patch, **_):
    if event["type"] != "DELETED" and "seen" not in body.metadata.annotations:
        patch.metadata.annotations["seen"] = "yes"
