import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.ConfigMapBuilder;
import io.fabric8.kubernetes.api.model.GenericKubernetesResource;
import io.fabric8.kubernetes.api.model.NamespaceBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinition;
import io.fabric8.kubernetes.api.model.apiextensions.v1.CustomResourceDefinitionBuilder;
import io.fabric8.kubernetes.api.model.apiextensions.v1.JSONSchemaPropsBuilder;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.DeploymentBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.KubernetesClientBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.Watch;
import io.fabric8.kubernetes.client.Watcher;
import io.fabric8.kubernetes.client.WatcherException;
import io.fabric8.kubernetes.client.dsl.base.PatchContext;
import io.fabric8.kubernetes.client.dsl.base.PatchType;
import io.fabric8.kubernetes.client.dsl.base.ResourceDefinitionContext;
import io.fabric8.kubernetes.client.informers.ResourceEventHandler;
import io.fabric8.kubernetes.client.informers.SharedIndexInformer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** The fabric8 client with its default settings: typed API, patches, apply, watch over WebSocket, informer. */
public final class Client {
  private static final String NAMESPACE = "java";
  private static final String GROUP = "java.coxswain.dev";

  private interface Step {
    void run(KubernetesClient client) throws Exception;
  }

  public static void main(String[] args) throws Exception {
    try (KubernetesClient client = new KubernetesClientBuilder().build()) {
      step(client, "create, read, replace, list, refusals", Client::objects);
      step(client, "JSON, strategic and merge patches, apply", Client::patches);
      step(client, "watch", Client::watch);
      step(client, "informer", Client::informer);
      step(client, "custom resources", Client::customResources);
    }
  }

  private static void step(KubernetesClient client, String name, Step step) throws Exception {
    step.run(client);
    System.out.println("ok " + name);
  }

  private static void check(boolean holds, Object what) {
    if (!holds) throw new AssertionError(String.valueOf(what));
  }

  /** Fails unless the call was refused with this code and reason. */
  private static void refused(int code, String reason, Runnable call) {
    try {
      call.run();
    } catch (KubernetesClientException error) {
      check(error.getCode() == code && error.getStatus().getReason().equals(reason), error);
      return;
    }
    throw new AssertionError("not refused with " + reason);
  }

  private static ConfigMap configMap(String name, String n) {
    return new ConfigMapBuilder()
        .withNewMetadata().withName(name).withNamespace(NAMESPACE).addToLabels("app", name).endMetadata()
        .addToData("n", n)
        .build();
  }

  private static void objects(KubernetesClient client) {
    check(client.getKubernetesVersion().getGitVersion().startsWith("v1.35."), "version");
    check(client.hasApiGroup("apps", true) && client.supports(Deployment.class), "discovery");
    client.resource(new NamespaceBuilder().withNewMetadata().withName(NAMESPACE).endMetadata().build()).create();
    ConfigMap made = client.resource(configMap("settings", "1")).create();
    ConfigMap changed = client.resource(new ConfigMapBuilder(made).addToData("n", "2").build()).update();
    check(changed.getData().get("n").equals("2"), changed);
    // With a resourceVersion an update is refused when the object has changed since.
    refused(409, "Conflict", () -> client.resource(made).update());
    refused(409, "AlreadyExists", () -> client.resource(configMap("settings", "1")).create());
    refused(422, "Invalid", () -> client.resource(configMap("Not_a_name", "1")).create());
    check(client.secrets().inNamespace(NAMESPACE).withName("none").get() == null, "a secret that is not there");
    check(client.configMaps().inNamespace(NAMESPACE).withLabel("app", "settings").list().getItems().size() == 1, "list");
  }

  private static void patches(KubernetesClient client) {
    Deployment web = new DeploymentBuilder()
        .withNewMetadata().withName("web").withNamespace(NAMESPACE).endMetadata()
        .withNewSpec()
        .withNewSelector().addToMatchLabels("app", "web").endSelector()
        .withNewTemplate()
        .withNewMetadata().addToLabels("app", "web").endMetadata()
        .withNewSpec().addNewContainer().withName("web").withImage("registry.example/web:1").endContainer().endSpec()
        .endTemplate()
        .endSpec()
        .build();
    client.resource(web).serverSideApply();
    var resource = client.apps().deployments().inNamespace(NAMESPACE).withName("web");
    // `edit` sends what has changed as a JSON patch.
    resource.edit(found -> new DeploymentBuilder(found).editSpec().withReplicas(2).endSpec().build());
    check(resource.scale().getSpec().getReplicas() == 2, "edit");
    check(resource.scale(3).getSpec().getReplicas() == 3, "scale");
    String containers = "{\"spec\":{\"template\":{\"spec\":{\"containers\":[{\"name\":\"log\",\"image\":\"registry.example/log:1\"}]}}}}";
    Deployment strategic = resource.patch(PatchContext.of(PatchType.STRATEGIC_MERGE), containers);
    check(strategic.getSpec().getTemplate().getSpec().getContainers().size() == 2, strategic);
    Deployment merged = resource.patch(PatchContext.of(PatchType.JSON_MERGE), containers);
    check(merged.getSpec().getTemplate().getSpec().getContainers().size() == 1, merged);
    Deployment applied = client.resource(scaled(web)).forceConflicts().fieldManager("other").serverSideApply();
    check(applied.getSpec().getReplicas() == 5, applied);
    refused(409, "Conflict", () -> client.resource(web).edit(found -> {
      found.getSpec().setReplicas(6);
      found.getMetadata().setResourceVersion("1");
      return found;
    }));
    Deployment observed = resource.editStatus(found -> new DeploymentBuilder(found).withNewStatus().withReplicas(5).endStatus().build());
    check(observed.getStatus().getReplicas() == 5, observed);
    check(!client.resource(web).delete().isEmpty(), "delete");
  }

  private static Deployment scaled(Deployment web) {
    return new DeploymentBuilder(web).editSpec().withReplicas(5).endSpec().build();
  }

  private static void watch(KubernetesClient client) throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    String start = client.configMaps().inNamespace(NAMESPACE).list().getMetadata().getResourceVersion();
    Watcher<ConfigMap> watcher = new Watcher<>() {
      @Override
      public void eventReceived(Action action, ConfigMap map) {
        seen.add(action + " " + map.getData().get("n"));
      }

      @Override
      public void onClose(WatcherException cause) {
        seen.add("closed by " + cause);
      }

      @Override
      public void onClose() {
        seen.add("closed");
      }
    };
    try (Watch ignored = client.configMaps().inNamespace(NAMESPACE).withResourceVersion(start).watch(watcher)) {
      client.resource(configMap("seen", "1")).create();
      client.resource(configMap("seen", "2")).update();
      client.resource(configMap("seen", "2")).delete();
      expect(seen, "ADDED 1", "MODIFIED 2", "DELETED 2");
    }
    expect(seen, "closed");
  }

  private static void informer(KubernetesClient client) throws Exception {
    BlockingQueue<String> seen = new LinkedBlockingQueue<>();
    ResourceEventHandler<ConfigMap> handler = new ResourceEventHandler<>() {
      @Override
      public void onAdd(ConfigMap map) {
        seen.add("add " + map.getMetadata().getName());
      }

      @Override
      public void onUpdate(ConfigMap before, ConfigMap after) {
        seen.add("update " + before.getData().get("n") + " " + after.getData().get("n"));
      }

      @Override
      public void onDelete(ConfigMap map, boolean unknown) {
        seen.add("delete " + map.getMetadata().getName());
      }
    };
    try (SharedIndexInformer<ConfigMap> informer = client.configMaps().inNamespace(NAMESPACE).inform(handler)) {
      expect(seen, "add settings");
      client.resource(configMap("late", "1")).create();
      client.resource(configMap("late", "2")).update();
      expect(seen, "add late", "update 1 2");
      check(informer.getStore().getByKey(NAMESPACE + "/late").getData().get("n").equals("2"), "the store");
      client.resource(configMap("late", "2")).delete();
      expect(seen, "delete late");
      check(informer.getStore().listKeys().equals(List.of(NAMESPACE + "/settings")), informer.getStore().listKeys());
      check(informer.isWatching(), "the informer watches");
    }
  }

  private static void customResources(KubernetesClient client) throws Exception {
    var size = new JSONSchemaPropsBuilder().withType("integer").withMinimum(1.0).build();
    var spec = new JSONSchemaPropsBuilder().withType("object").addToProperties("size", size).build();
    CustomResourceDefinition definition = new CustomResourceDefinitionBuilder()
        .withNewMetadata().withName("widgets." + GROUP).endMetadata()
        .withNewSpec()
        .withGroup(GROUP)
        .withScope("Namespaced")
        .withNewNames().withPlural("widgets").withKind("Widget").endNames()
        .addNewVersion()
        .withName("v1").withServed(true).withStorage(true)
        .withNewSchema().withNewOpenAPIV3Schema().withType("object").addToProperties("spec", spec).endOpenAPIV3Schema().endSchema()
        .endVersion()
        .endSpec()
        .build();
    client.resource(definition).create();
    client.resource(definition).waitUntilCondition(
        found -> found != null && found.getStatus() != null && found.getStatus().getConditions().stream()
            .anyMatch(each -> each.getType().equals("Established") && each.getStatus().equals("True")),
        60, TimeUnit.SECONDS);
    var context = new ResourceDefinitionContext.Builder()
        .withGroup(GROUP).withVersion("v1").withKind("Widget").withPlural("widgets").withNamespaced(true).build();
    var widgets = client.genericKubernetesResources(context).inNamespace(NAMESPACE);
    GenericKubernetesResource made = widgets.resource(widget(1)).serverSideApply();
    check(made.getMetadata().getGeneration() == 1, made);
    refused(422, "Invalid", () -> widgets.resource(widget(0)).serverSideApply());
    check(widgets.resource(widget(2)).serverSideApply().get("spec", "size").equals(2), "apply");
    widgets.withName("w").delete();
    widgets.withName("w").waitUntilCondition(found -> found == null, 60, TimeUnit.SECONDS);
  }

  private static GenericKubernetesResource widget(int size) {
    GenericKubernetesResource widget = new GenericKubernetesResource();
    widget.setApiVersion(GROUP + "/v1");
    widget.setKind("Widget");
    widget.setMetadata(configMap("w", "").getMetadata());
    widget.setAdditionalProperty("spec", Map.of("size", size));
    return widget;
  }

  private static void expect(BlockingQueue<String> seen, String... wanted) throws InterruptedException {
    for (String each : wanted) {
      String next = seen.poll(60, TimeUnit.SECONDS);
      check(each.equals(next), "expected " + each + ", not " + next);
    }
  }
}
