package main

import (
	"context"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func config(kubeconfig string) (*rest.Config, error) {
	cfg, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	cfg.QPS = -1
	return cfg, nil
}

// client-go decides by the variable KUBE_FEATURE_WatchListClient whether informers start with a watch-list.
func sync(kubeconfig, mode string, typed bool, count int) error {
	cfg, err := config(kubeconfig)
	if err != nil {
		return err
	}
	informer, err := newInformer(cfg, typed)
	if err != nil {
		return err
	}
	// As controllers do, and as ours does by default.
	if err := informer.SetTransform(stripManagedFields); err != nil {
		return err
	}
	before := heap()
	cpu, start := processorTime(), time.Now()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("not synced")
	}
	wall, used := since(start), processorTime()-cpu
	if n := len(informer.GetStore().ListKeys()); n != count {
		return fmt.Errorf("%d objects in the cache, %d on the server", n, count)
	}
	bytes := (heap() - before) / float64(count)
	return tell(map[string]float64{"wall": wall, "cpu": used, "bytesPerObject": bytes})
}

func stripManagedFields(object any) (any, error) {
	accessor, err := meta.Accessor(object)
	if err == nil {
		accessor.SetManagedFields(nil)
	}
	return object, nil
}

func newInformer(cfg *rest.Config, typed bool) (cache.SharedIndexInformer, error) {
	if !typed {
		client, err := dynamic.NewForConfig(cfg)
		if err != nil {
			return nil, err
		}
		factory := dynamicinformer.NewDynamicSharedInformerFactory(client, 0)
		return factory.ForResource(appVersion.WithResource("apps")).Informer(), nil
	}
	cfg = rest.CopyConfig(cfg)
	cfg.GroupVersion = &appVersion
	cfg.APIPath = "/apis"
	cfg.NegotiatedSerializer = serializer.NewCodecFactory(newScheme()).WithoutConversion()
	client, err := rest.RESTClientFor(cfg)
	if err != nil {
		return nil, err
	}
	watcher := cache.NewListWatchFromClient(client, "apps", "", fields.Everything())
	return cache.NewSharedIndexInformer(watcher, &App{}, 0, cache.Indexers{}), nil
}
