package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/metadata/metadatainformer"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"

	"coxswain.dev/tools/clients/go/steps"
)

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// watched collects what an informer tells, as "add NAME" and so on.
type watched struct{ seen chan string }

func watch(informer cache.SharedIndexInformer) (watched, error) {
	w := watched{make(chan string, 100)}
	name := func(object any) string {
		key, _ := cache.DeletionHandlingObjectToName(object)
		return key.Name
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { w.seen <- "add " + name(object) },
		UpdateFunc: func(_, object any) { w.seen <- "update " + name(object) },
		DeleteFunc: func(object any) { w.seen <- "delete " + name(object) },
	})
	return w, err
}

func (w watched) expect(ctx context.Context, wanted ...string) error {
	for _, each := range wanted {
		err := steps.Eventually(ctx, each, func(context.Context) (bool, error) {
			select {
			case next := <-w.seen:
				if next != each {
					return false, fmt.Errorf("instead of it came %q", next)
				}
				return true, nil
			default:
				return false, nil
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (c clients) informer(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	factory := informers.NewSharedInformerFactoryWithOptions(c, 0, informers.WithNamespace(namespace))
	defer factory.Shutdown()
	defer cancel()
	maps := factory.Core().V1().ConfigMaps()
	events, err := watch(maps.Informer())
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("%v is not in sync", kind)
		}
	}
	if err := events.expect(ctx, "add settings"); err != nil {
		return err
	}
	if err := change(ctx, c); err != nil {
		return err
	}
	if err := events.expect(ctx, "add late", "update settings", "delete late"); err != nil {
		return err
	}
	found, err := maps.Lister().ConfigMaps(namespace).List(labels.Everything())
	if err != nil || len(found) != 1 || found[0].Data["n"] != "3" {
		return fmt.Errorf("lister has %v: %w", found, err)
	}
	return nil
}

// change adds `late`, changes `settings` and deletes `late`.
func change(ctx context.Context, c clients) error {
	maps := c.CoreV1().ConfigMaps(namespace)
	if _, err := maps.Create(ctx, configMap("late", "1"), metav1.CreateOptions{}); err != nil {
		return err
	}
	// A change each time, whatever was there before.
	before, err := maps.Get(ctx, "settings", metav1.GetOptions{})
	if err != nil {
		return err
	}
	after := configMap("settings", "3")
	after.Data["before"] = before.ResourceVersion
	if _, err := maps.Update(ctx, after, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return maps.Delete(ctx, "late", metav1.DeleteOptions{})
}

func (c clients) dynamicInformer(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	size := map[string]any{"type": "integer", "minimum": int64(1), "default": int64(3)}
	spec := map[string]any{"type": "object", "properties": map[string]any{"size": size}, "default": map[string]any{}}
	version := map[string]any{
		"name": "v1", "served": true, "storage": true,
		"schema": map[string]any{"openAPIV3Schema": map[string]any{"type": "object", "properties": map[string]any{"spec": spec}}},
	}
	definition := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
		"metadata": map[string]any{"name": "widgets.go.coxswain.dev"},
		"spec": map[string]any{
			"group": "go.coxswain.dev", "scope": "Namespaced", "versions": []any{version},
			"names": map[string]any{"plural": "widgets", "kind": "Widget"},
		},
	}}
	if _, err := c.dynamic.Resource(definitions).Create(ctx, definition, metav1.CreateOptions{}); err != nil {
		return err
	}
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(c.Discovery()))
	var widgets schema.GroupVersionResource
	err := steps.Eventually(ctx, "widgets are discovered", func(context.Context) (bool, error) {
		mapping, err := mapper.RESTMapping(schema.GroupKind{Group: "go.coxswain.dev", Kind: "Widget"})
		if err != nil {
			mapper.Reset()
			return false, nil
		}
		widgets = mapping.Resource
		return true, nil
	})
	if err != nil {
		return err
	}
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(c.dynamic, 0, namespace, nil)
	informer := factory.ForResource(widgets).Informer()
	events, err := watch(informer)
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	api := c.dynamic.Resource(widgets).Namespace(namespace)
	widget := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "go.coxswain.dev/v1", "kind": "Widget", "metadata": map[string]any{"name": "w"},
	}}
	made, err := api.Create(ctx, widget, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	if size, _, err := unstructured.NestedInt64(made.Object, "spec", "size"); err != nil || size != 3 {
		return fmt.Errorf("a size of %d by default: %w", size, err)
	}
	if err := unstructured.SetNestedField(widget.Object, int64(5), "spec", "size"); err != nil {
		return err
	}
	if _, err := api.Apply(ctx, "w", widget, metav1.ApplyOptions{FieldManager: "clients", Force: true}); err != nil {
		return err
	}
	if err := api.Delete(ctx, "w", metav1.DeleteOptions{}); err != nil {
		return err
	}
	return events.expect(ctx, "add w", "update w", "delete w")
}

func (c clients) metadataInformer(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	maps := corev1.SchemeGroupVersion.WithResource("configmaps")
	factory := metadatainformer.NewFilteredSharedInformerFactory(c.metadata, 0, namespace, nil)
	informer := factory.ForResource(maps).Informer()
	events, err := watch(informer)
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	if err := events.expect(ctx, "add settings"); err != nil {
		return err
	}
	if err := change(ctx, c); err != nil {
		return err
	}
	if err := events.expect(ctx, "add late", "update settings", "delete late"); err != nil {
		return err
	}
	for _, object := range informer.GetStore().List() {
		if _, only := object.(*metav1.PartialObjectMetadata); !only {
			return fmt.Errorf("not metadata alone: %T", object)
		}
	}
	return nil
}
