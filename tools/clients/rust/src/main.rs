//! kube-rs with its default settings: typed API, patches, apply, watcher, reflector, controller.

mod controller;

use std::{collections::BTreeMap, time::Duration};

use controller::{FINALIZER, Widget, WidgetSpec};
use futures::{TryStreamExt, pin_mut};
use k8s_openapi::{
    api::{
        apps::v1::Deployment,
        core::v1::{ConfigMap, Namespace},
        events::v1::Event,
    },
    apiextensions_apiserver::pkg::apis::apiextensions::v1::CustomResourceDefinition,
};
use kube::{
    Api, Client, CustomResourceExt, ResourceExt,
    api::{DeleteParams, ListParams, ObjectMeta, Patch, PatchParams, PostParams, WatchEvent, WatchParams},
    runtime::{
        WatchStreamExt,
        reflector::{self, ObjectRef},
        wait::{await_condition, conditions},
        watcher,
    },
};
use serde_json::json;

type Outcome = Result<(), Box<dyn std::error::Error>>;

const NAMESPACE: &str = "rust";
/// How long the controller and the watches may take.
const PATIENCE: Duration = Duration::from_secs(60);

#[tokio::main]
async fn main() -> Outcome {
    let client = Client::try_default().await?;
    objects(&client).await?;
    println!("ok create, read, replace, list, refusals");
    patches(&client).await?;
    println!("ok JSON, strategic and merge patches, apply");
    watches(&client).await?;
    println!("ok watch");
    reflectors(&client).await?;
    println!("ok reflector by list and by stream");
    controllers(&client).await?;
    println!("ok controller");
    Ok(())
}

fn config_map(name: &str, n: i32) -> ConfigMap {
    ConfigMap {
        metadata: ObjectMeta { name: Some(name.to_owned()), ..ObjectMeta::default() },
        data: Some(BTreeMap::from([("n".to_owned(), n.to_string())])),
        ..ConfigMap::default()
    }
}

/// The value `n` of a ConfigMap.
fn n(map: &ConfigMap) -> &str {
    map.data.as_ref().and_then(|data| data.get("n")).map_or("", String::as_str)
}

/// Fails unless the call was refused with this code and reason.
fn refused<T>(result: kube::Result<T>, code: u16, reason: &str) -> Outcome {
    match result {
        Err(kube::Error::Api(status)) if status.code == code && status.reason == reason => Ok(()),
        Err(error) => Err(format!("expected {reason}: {error}").into()),
        Ok(_) => Err(format!("not refused with {reason}").into()),
    }
}

async fn objects(client: &Client) -> Outcome {
    let version = client.apiserver_version().await?;
    assert!(version.git_version.starts_with("v1.35."));
    let metadata = ObjectMeta { name: Some(NAMESPACE.to_owned()), ..ObjectMeta::default() };
    Api::all(client.clone()).create(&PostParams::default(), &Namespace { metadata, ..Namespace::default() }).await?;
    let maps = Api::<ConfigMap>::namespaced(client.clone(), NAMESPACE);
    let made = maps.create(&PostParams::default(), &config_map("settings", 1)).await?;
    let changed = ConfigMap { data: config_map("", 2).data, ..made.clone() };
    assert_eq!(n(&maps.replace("settings", &PostParams::default(), &changed).await?), "2");
    refused(maps.replace("settings", &PostParams::default(), &made).await, 409, "Conflict")?;
    refused(maps.create(&PostParams::default(), &config_map("settings", 1)).await, 409, "AlreadyExists")?;
    refused(maps.create(&PostParams::default(), &config_map("Not_a_name", 1)).await, 422, "Invalid")?;
    assert!(maps.get_opt("none").await?.is_none());
    let listed = maps.list(&ListParams::default().fields("metadata.name=settings").limit(1)).await?;
    assert_eq!(listed.items.len(), 1);
    assert!(maps.get_metadata("settings").await?.uid() == made.uid());
    Ok(())
}

async fn patches(client: &Client) -> Outcome {
    let deployments = Api::<Deployment>::namespaced(client.clone(), NAMESPACE);
    let containers = |name: &str| json!([{ "name": name, "image": "registry.example/web:1" }]);
    let web: Deployment = serde_json::from_value(json!({
        "metadata": { "name": "web" },
        "spec": {
            "replicas": 1,
            "selector": { "matchLabels": { "app": "web" } },
            "template": { "metadata": { "labels": { "app": "web" } }, "spec": { "containers": containers("web") } },
        },
    }))?;
    let apply = |manager: &str| PatchParams::apply(manager);
    deployments.patch("web", &apply("one"), &Patch::Apply(json!({
        "apiVersion": "apps/v1", "kind": "Deployment", "metadata": web.metadata, "spec": web.spec,
    }))).await?;
    let none = PatchParams::default();
    let body = json!({ "spec": { "template": { "spec": { "containers": containers("log") } } } });
    let count = |web: Deployment| web.spec.and_then(|spec| spec.template.spec).map_or(0, |spec| spec.containers.len());
    assert_eq!(count(deployments.patch("web", &none, &Patch::Strategic(&body)).await?), 2);
    assert_eq!(count(deployments.patch("web", &none, &Patch::Merge(&body)).await?), 1);
    let scale = json!({ "spec": { "replicas": 4 } });
    let scaled = deployments.patch_scale("web", &none, &Patch::Merge(&scale)).await?;
    assert_eq!(scaled.spec.and_then(|spec| spec.replicas), Some(4));
    let conflict = json!({ "apiVersion": "apps/v1", "kind": "Deployment", "spec": { "replicas": 5 } });
    refused(deployments.patch("web", &apply("two"), &Patch::Apply(&conflict)).await, 409, "Conflict")?;
    let forced = deployments.patch("web", &apply("two").force(), &Patch::Apply(&conflict)).await?;
    assert_eq!(forced.spec.and_then(|spec| spec.replicas), Some(5));
    Ok(())
}

async fn watches(client: &Client) -> Outcome {
    let maps = Api::<ConfigMap>::namespaced(client.clone(), NAMESPACE);
    let start = maps.list(&ListParams::default()).await?.metadata.resource_version.unwrap_or_default();
    maps.create(&PostParams::default(), &config_map("seen", 1)).await?;
    maps.replace("seen", &PostParams::default(), &config_map("seen", 2)).await?;
    maps.delete("seen", &DeleteParams::default()).await?;
    let stream = maps.watch(&WatchParams::default().timeout(60), &start).await?;
    pin_mut!(stream);
    let mut seen = Vec::new();
    while seen.len() < 3 {
        seen.push(match stream.try_next().await?.ok_or("the watch ended")? {
            WatchEvent::Added(map) => format!("added {}", n(&map)),
            WatchEvent::Modified(map) => format!("modified {}", n(&map)),
            WatchEvent::Deleted(map) => format!("deleted {}", n(&map)),
            other => format!("{other:?}"),
        });
    }
    assert_eq!(seen, ["added 1", "modified 2", "deleted 2"]);
    Ok(())
}

async fn reflectors(client: &Client) -> Outcome {
    let maps = Api::<ConfigMap>::namespaced(client.clone(), NAMESPACE);
    for config in [watcher::Config::default(), watcher::Config::default().streaming_lists()] {
        let (reader, writer) = reflector::store();
        let stream = watcher(maps.clone(), config).default_backoff().reflect(writer).applied_objects();
        pin_mut!(stream);
        let first = stream.try_next().await?.ok_or("the watcher ended")?;
        assert_eq!(first.name_any(), "settings");
        maps.replace("settings", &PostParams::default(), &config_map("settings", 3)).await?;
        maps.create(&PostParams::default(), &config_map("late", 1)).await?;
        tokio::time::timeout(PATIENCE, async {
            while stream.try_next().await?.is_some_and(|map| map.name_any() != "late") {}
            Ok::<_, watcher::Error>(())
        }).await??;
        let found = reader.get(&ObjectRef::new("settings").within(NAMESPACE)).ok_or("not in the store")?;
        assert_eq!((n(&found), reader.len()), ("3", 2));
        maps.delete("late", &DeleteParams::default()).await?;
        maps.replace("settings", &PostParams::default(), &config_map("settings", 2)).await?;
    }
    Ok(())
}

async fn controllers(client: &Client) -> Outcome {
    let definitions = Api::<CustomResourceDefinition>::all(client.clone());
    let name = Widget::crd_name();
    definitions.patch(name, &PatchParams::apply("clients"), &Patch::Apply(Widget::crd())).await?;
    tokio::time::timeout(PATIENCE, await_condition(definitions, name, conditions::is_crd_established())).await??;

    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let running = tokio::spawn({
        let client = client.clone();
        async move { controller::run(client, NAMESPACE, async move { drop(stopped.await) }).await }
    });

    let widgets = Api::<Widget>::namespaced(client.clone(), NAMESPACE);
    let maps = Api::<ConfigMap>::namespaced(client.clone(), NAMESPACE);
    refused(widgets.create(&PostParams::default(), &Widget::new("w", WidgetSpec { size: 0 })).await, 422, "Invalid")?;
    let made = widgets.create(&PostParams::default(), &Widget::new("w", WidgetSpec { size: 1 })).await?;
    let has_size = |size: i32| move |widget: Option<&Widget>| {
        widget.and_then(|widget| widget.status.as_ref()).is_some_and(|status| status.size == size)
    };
    tokio::time::timeout(PATIENCE, await_condition(widgets.clone(), "w", has_size(1))).await??;
    widgets.patch("w", &PatchParams::default(), &Patch::Merge(json!({ "spec": { "size": 2 } }))).await?;
    tokio::time::timeout(PATIENCE, await_condition(widgets.clone(), "w", has_size(2))).await??;
    // What the controller owns comes back when it is taken away.
    let map = maps.get("w").await?;
    assert_eq!(map.owner_references().first().map(|owner| owner.uid.as_str()), made.uid().as_deref());
    maps.delete("w", &DeleteParams::default()).await?;
    tokio::time::timeout(PATIENCE, await_condition(maps, "w", conditions::is_created())).await??;

    assert_eq!(widgets.get("w").await?.finalizers(), [FINALIZER]);
    widgets.delete("w", &DeleteParams::default()).await?;
    let uid = made.uid().unwrap_or_default();
    tokio::time::timeout(PATIENCE, await_condition(widgets, "w", conditions::is_deleted(&uid))).await??;
    let events = Api::<Event>::namespaced(client.clone(), NAMESPACE).list(&ListParams::default()).await?;
    // The second event of a kind makes a series of the first.
    let count = |event: &Event| event.series.as_ref().map_or(1, |series| series.count);
    let mut seen: Vec<_> = events.items.iter().map(|event| (event.reason.as_deref().unwrap_or(""), count(event) > 1)).collect();
    seen.sort_unstable();
    assert_eq!(seen, [("Applied", true), ("Cleaned", false)]);

    drop(stop);
    tokio::time::timeout(PATIENCE, running).await??;
    Ok(())
}
