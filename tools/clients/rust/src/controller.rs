//! A controller as users of kube-rs write it: each Widget owns a ConfigMap; finalizer, status and event.

use std::{collections::BTreeMap, sync::Arc, time::Duration};

use futures::StreamExt;
use k8s_openapi::api::core::v1::ConfigMap;
use kube::{
    Api, Client, CustomResource, Resource, ResourceExt,
    api::{ObjectMeta, Patch, PatchParams},
    runtime::{
        controller::{Action, Controller},
        events::{Event, EventType, Recorder, Reporter},
        finalizer, watcher,
    },
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

pub const FINALIZER: &str = "clients.coxswain.dev/cleanup";
const MANAGER: &str = "widget-controller";

#[derive(CustomResource, Clone, Debug, Deserialize, Serialize, JsonSchema)]
#[kube(group = "clients.coxswain.dev", version = "v1", kind = "Widget", namespaced, status = "WidgetStatus")]
pub struct WidgetSpec {
    #[schemars(range(min = 1))]
    pub size: i32,
}

#[derive(Clone, Debug, Default, Deserialize, Serialize, JsonSchema)]
pub struct WidgetStatus {
    pub size: i32,
}

pub struct Context {
    client: Client,
    recorder: Recorder,
}

type Failure = finalizer::Error<kube::Error>;

/// Runs until the future `stop` is done and all reconciliations have ended.
pub async fn run(client: Client, namespace: &str, stop: impl Future<Output = ()> + Send + Sync + 'static) {
    let widgets = Api::<Widget>::namespaced(client.clone(), namespace);
    let maps = Api::<ConfigMap>::namespaced(client.clone(), namespace);
    let recorder = Recorder::new(client.clone(), Reporter::from(MANAGER));
    Controller::new(widgets, watcher::Config::default())
        .owns(maps, watcher::Config::default())
        .graceful_shutdown_on(stop)
        .run(reconcile, |_, _, _| Action::requeue(Duration::from_millis(100)), Arc::new(Context { client, recorder }))
        .for_each(|result| async move {
            if let Err(error) = result {
                eprintln!("{error}");
            }
        })
        .await;
}

async fn reconcile(widget: Arc<Widget>, context: Arc<Context>) -> Result<Action, Failure> {
    let namespace = widget.namespace().unwrap_or_default();
    let widgets = Api::<Widget>::namespaced(context.client.clone(), &namespace);
    finalizer(&widgets, FINALIZER, widget, async |event| match event {
        finalizer::Event::Apply(widget) => apply(&widget, &widgets, &context).await,
        finalizer::Event::Cleanup(widget) => publish(&widget, &context, "Cleaned").await,
    })
    .await
}

async fn apply(widget: &Widget, widgets: &Api<Widget>, context: &Context) -> Result<Action, kube::Error> {
    let name = widget.name_any();
    let maps = Api::<ConfigMap>::namespaced(context.client.clone(), &widget.namespace().unwrap_or_default());
    let map = ConfigMap {
        metadata: ObjectMeta {
            name: Some(name.clone()),
            owner_references: Some(widget.controller_owner_ref(&()).into_iter().collect()),
            ..ObjectMeta::default()
        },
        data: Some(BTreeMap::from([("size".to_owned(), widget.spec.size.to_string())])),
        ..ConfigMap::default()
    };
    let params = PatchParams::apply(MANAGER).force();
    maps.patch(&name, &params, &Patch::Apply(&map)).await?;
    let status = json!({ "apiVersion": Widget::api_version(&()), "kind": "Widget", "status": { "size": widget.spec.size } });
    widgets.patch_status(&name, &params, &Patch::Apply(&status)).await?;
    publish(widget, context, "Applied").await
}

async fn publish(widget: &Widget, context: &Context, reason: &str) -> Result<Action, kube::Error> {
    let event = Event {
        type_: EventType::Normal,
        reason: reason.to_owned(),
        note: Some(format!("of size {}", widget.spec.size)),
        action: "Reconcile".to_owned(),
        secondary: None,
    };
    context.recorder.publish(&event, &widget.object_ref(&())).await?;
    Ok(Action::await_change())
}
