package main

import (
	"context"
	"sync/atomic"
	"time"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/reconcile"
)

func reconcileAll(kubeconfig string, writeStatus bool, count int) error {
	cfg, err := config(kubeconfig)
	if err != nil {
		return err
	}
	manager, err := ctrl.NewManager(cfg, ctrl.Options{Scheme: newScheme(), Metrics: server.Options{BindAddress: "0"}})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	var runs atomic.Int64
	var started time.Time
	var cpu float64
	done := make(chan struct{})
	reconciler := reconcile.Func(func(ctx context.Context, request reconcile.Request) (reconcile.Result, error) {
		var app App
		if err := manager.GetClient().Get(ctx, request.NamespacedName, &app); err != nil {
			return reconcile.Result{}, client.IgnoreNotFound(err)
		}
		if writeStatus && app.Status.Phase != "Seen" {
			before := app.DeepCopyObject().(*App)
			app.Status = AppStatus{Phase: "Seen", Round: app.Status.Round + 1}
			return reconcile.Result{}, manager.GetClient().Status().Patch(ctx, &app, client.MergeFrom(before))
		}
		if runs.Add(1) == int64(count) {
			close(done)
		}
		return reconcile.Result{}, nil
	})
	if err := ctrl.NewControllerManagedBy(manager).For(&App{}).WithOptions(controller.Options{MaxConcurrentReconciles: 10}).Complete(reconciler); err != nil {
		return err
	}
	begun := time.Now()
	failed := make(chan error, 1)
	go func() { failed <- manager.Start(ctx) }()
	if !manager.GetCache().WaitForCacheSync(ctx) {
		return context.Canceled
	}
	syncMs := since(begun)
	started, cpu = time.Now(), processorTime()
	select {
	case <-done:
	case err := <-failed:
		return err
	}
	wall, used := since(started), processorTime()-cpu
	return tell(map[string]float64{"perSecond": float64(count) / (wall / 1000), "cpuPerRun": used * 1000 / float64(count), "syncMs": syncMs})
}
