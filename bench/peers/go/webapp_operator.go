package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"strings"
	"syscall"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/record"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/builder"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/predicate"
)

const webAppFinalizer = "coxswain.dev/webapp"

// webAppReconciler behaves as operators/webapp for the same fields, in the style of the kubebuilder book: a finalizer,
// an owned Deployment and Service, events for changes, and a phase and conditions in the status.
type webAppReconciler struct {
	client.Client
	events record.EventRecorder
	// apply sends a server-side apply in every run; otherwise objects are sent only if they differ.
	apply bool
}

func (r *webAppReconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	app := &WebApp{}
	if err := r.Get(ctx, request.NamespacedName, app); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !app.DeletionTimestamp.IsZero() {
		return ctrl.Result{}, r.cleanUp(ctx, app)
	}
	if !controllerutil.ContainsFinalizer(app, webAppFinalizer) {
		before := app.DeepCopy()
		controllerutil.AddFinalizer(app, webAppFinalizer)
		if err := r.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})); err != nil {
			return ctrl.Result{}, err
		}
	}
	if app.Status.Phase == "" || app.Status.Phase == "Pending" {
		if err := r.writeStatus(ctx, app, func(status *WebAppStatus) {
			status.Phase = "Creating"
			setConditions(app, status, false, "Creating", "the children are being made")
		}); err != nil {
			return ctrl.Result{}, err
		}
	}
	deployment, service, err := r.sync(ctx, app)
	if err != nil {
		return ctrl.Result{}, err
	}
	before := app.Status.Phase
	err = r.writeStatus(ctx, app, func(status *WebAppStatus) { observe(app, deployment, service, status) })
	if err == nil && before != "Running" && app.Status.Phase == "Running" {
		r.events.Event(app, corev1.EventTypeNormal, "Running", app.Status.Message)
	}
	return ctrl.Result{}, err
}

func (r *webAppReconciler) sync(ctx context.Context, app *WebApp) (*appsv1.Deployment, *corev1.Service, error) {
	deployment := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace}}
	service := &corev1.Service{ObjectMeta: metav1.ObjectMeta{Name: app.Name, Namespace: app.Namespace}}
	children := []struct {
		kind   string
		object client.Object
		fill   func()
	}{
		{"Deployment", deployment, func() { fillDeployment(app, deployment) }},
		{"Service", service, func() { fillService(app, service) }},
	}
	var made, updated []string
	for _, child := range children {
		result, err := r.put(ctx, app, child.object, child.fill)
		if err != nil {
			return nil, nil, err
		}
		switch result {
		case controllerutil.OperationResultCreated:
			made = append(made, child.kind+" "+app.Name)
		case controllerutil.OperationResultUpdated:
			updated = append(updated, child.kind)
		}
	}
	r.tell(app, made, updated)
	return deployment, service, nil
}

// The same events as ours: one for all created children, one for each changed child, one for a new generation.
func (r *webAppReconciler) tell(app *WebApp, made, updated []string) {
	if len(made) > 0 {
		r.events.Event(app, corev1.EventTypeNormal, "Created", "made "+strings.Join(made, ", "))
	}
	for _, kind := range updated {
		r.events.Eventf(app, corev1.EventTypeNormal, kind+"Synced", "%s %s is as generation %d wants it", kind, app.Name, app.Generation)
	}
	isUpdate := app.Status.ObservedGeneration > 0 && app.Status.ObservedGeneration < app.Generation
	if isUpdate {
		r.events.Eventf(app, corev1.EventTypeNormal, "ResourcesSynced", "all resources are as generation %d wants them", app.Generation)
	}
}

func (r *webAppReconciler) put(ctx context.Context, app *WebApp, object client.Object, fill func()) (controllerutil.OperationResult, error) {
	if !r.apply {
		return controllerutil.CreateOrUpdate(ctx, r.Client, object, func() error {
			fill()
			return controllerutil.SetControllerReference(app, object, r.Scheme())
		})
	}
	none := controllerutil.OperationResultNone
	known := object.DeepCopyObject().(client.Object)
	err := r.Get(ctx, client.ObjectKeyFromObject(object), known)
	if client.IgnoreNotFound(err) != nil {
		return none, err
	}
	isNew := err != nil
	fill()
	if err := controllerutil.SetControllerReference(app, object, r.Scheme()); err != nil {
		return none, err
	}
	kinds, _, err := r.Scheme().ObjectKinds(object)
	if err != nil {
		return none, err
	}
	object.GetObjectKind().SetGroupVersionKind(kinds[0])
	//nolint:staticcheck // the form that most operators have
	if err := r.Patch(ctx, object, client.Apply, client.FieldOwner("webapp"), client.ForceOwnership); err != nil {
		return none, err
	}
	switch {
	case isNew:
		return controllerutil.OperationResultCreated, nil
	case object.GetGeneration() != known.GetGeneration():
		return controllerutil.OperationResultUpdated, nil
	}
	return none, nil
}

// Deletes the Service, then the Deployment, and removes the finalizer last.
func (r *webAppReconciler) cleanUp(ctx context.Context, app *WebApp) error {
	if !controllerutil.ContainsFinalizer(app, webAppFinalizer) {
		return nil
	}
	if app.Status.Phase != "Deleting" {
		if err := r.writeStatus(ctx, app, func(status *WebAppStatus) {
			status.Phase = "Deleting"
			status.URL, status.Endpoints, status.Children, status.History, status.LastGoodRevision = "", nil, nil, nil, nil
			setConditions(app, status, false, "Deleting", "the children are being deleted")
		}); err != nil {
			return err
		}
	}
	for _, object := range []client.Object{&corev1.Service{}, &appsv1.Deployment{}} {
		err := r.Get(ctx, client.ObjectKeyFromObject(app), object)
		if client.IgnoreNotFound(err) != nil {
			return err
		}
		if err != nil || !metav1.IsControlledBy(object, app) {
			continue
		}
		if object.GetDeletionTimestamp().IsZero() {
			uid := object.GetUID()
			if err := r.Delete(ctx, object, client.Preconditions{UID: &uid}); client.IgnoreNotFound(err) != nil {
				return err
			}
		}
		// The watch event of its deletion triggers the next run.
		return nil
	}
	before := app.DeepCopy()
	controllerutil.RemoveFinalizer(app, webAppFinalizer)
	return client.IgnoreNotFound(r.Patch(ctx, app, client.MergeFromWithOptions(before, client.MergeFromWithOptimisticLock{})))
}

func (r *webAppReconciler) writeStatus(ctx context.Context, app *WebApp, change func(*WebAppStatus)) error {
	before := app.DeepCopy()
	change(&app.Status)
	if equality.Semantic.DeepEqual(before.Status, app.Status) {
		return nil
	}
	now := metav1.Now().Rfc3339Copy()
	app.Status.LastReconcileTime = &now
	return r.Status().Patch(ctx, app, client.MergeFrom(before))
}

// Runs until SIGTERM; prints "ready" when its caches are filled.
func runWebApps(kubeconfig string, apply bool, concurrency int) error {
	log.SetLogger(logr.Discard())
	cfg, err := config(kubeconfig)
	if err != nil {
		return err
	}
	cfg.UserAgent = "webapp-go"
	manager, err := ctrl.NewManager(cfg, ctrl.Options{
		Scheme:  newWebAppScheme(),
		Metrics: server.Options{BindAddress: "0"},
		Cache:   cache.Options{DefaultTransform: cache.TransformStripManagedFields()},
	})
	if err != nil {
		return err
	}
	//nolint:staticcheck // events of the core group, as ours are
	reconciler := &webAppReconciler{Client: manager.GetClient(), events: manager.GetEventRecorderFor("webapp"), apply: apply}
	err = ctrl.NewControllerManagedBy(manager).
		For(&WebApp{}, builder.WithPredicates(predicate.GenerationChangedPredicate{})).
		Owns(&appsv1.Deployment{}).
		Owns(&corev1.Service{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: concurrency}).
		Complete(reconciler)
	if err != nil {
		return err
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer cancel()
	go func() {
		if manager.GetCache().WaitForCacheSync(ctx) {
			fmt.Println("ready")
		}
	}()
	return manager.Start(ctx)
}
