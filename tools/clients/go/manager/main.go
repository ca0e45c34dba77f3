// A manager of controller-runtime with its default settings: cache, queue, events, apply, status, finalizer, leader election.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	metav1apply "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	"k8s.io/klog/v2"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/config"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"coxswain.dev/tools/clients/go/steps"
)

const (
	namespace = "manager"
	finalizer = "clients.coxswain.dev/cleanup"
	protobuf  = "application/vnd.kubernetes.protobuf"
)

// reconciler keeps, for each Deployment, a ConfigMap with its replicas, and reports the generation that it has seen.
type reconciler struct {
	client.Client
	recorder events.EventRecorder
}

func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var web appsv1.Deployment
	if err := r.Get(ctx, request.NamespacedName, &web); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !web.DeletionTimestamp.IsZero() {
		r.recorder.Eventf(&web, nil, corev1.EventTypeNormal, "Released", "Reconcile", "replicas are not kept any more")
		controllerutil.RemoveFinalizer(&web, finalizer)
		return ctrl.Result{}, r.Update(ctx, &web)
	}
	if controllerutil.AddFinalizer(&web, finalizer) {
		return ctrl.Result{}, r.Update(ctx, &web)
	}
	replicas := strconv.Itoa(int(*web.Spec.Replicas))
	owner := metav1apply.OwnerReference().
		WithAPIVersion("apps/v1").WithKind("Deployment").WithName(web.Name).WithUID(web.UID).
		WithController(true).WithBlockOwnerDeletion(true)
	wanted := corev1apply.ConfigMap(web.Name, web.Namespace).
		WithOwnerReferences(owner).
		WithData(map[string]string{"replicas": replicas})
	if err := r.Apply(ctx, wanted, client.FieldOwner("web"), client.ForceOwnership); err != nil {
		return ctrl.Result{}, err
	}
	if web.Status.ObservedGeneration == web.Generation {
		return ctrl.Result{}, nil
	}
	before := web.DeepCopy()
	web.Status.ObservedGeneration = web.Generation
	if err := r.Status().Patch(ctx, &web, client.MergeFrom(before)); err != nil {
		return ctrl.Result{}, err
	}
	r.recorder.Eventf(&web, nil, corev1.EventTypeNormal, "Kept", "Reconcile", "%s replicas", replicas)
	return ctrl.Result{}, nil
}

// running is a manager that has been started.
type running struct {
	stop context.CancelFunc
	done chan error
}

func start(cfg *rest.Config) (running, error) {
	yes := true
	manager, err := ctrl.NewManager(cfg, ctrl.Options{
		LeaderElection:                true,
		LeaderElectionID:              "web",
		LeaderElectionNamespace:       namespace,
		LeaderElectionReleaseOnCancel: true,
		// The default is a fixed port.
		Metrics: server.Options{BindAddress: "0"},
		// There are two managers in this process.
		Controller: config.Controller{SkipNameValidation: &yes},
	})
	if err != nil {
		return running{}, err
	}
	r := &reconciler{manager.GetClient(), manager.GetEventRecorder("web")}
	if err := ctrl.NewControllerManagedBy(manager).For(&appsv1.Deployment{}).Owns(&corev1.ConfigMap{}).Complete(r); err != nil {
		return running{}, err
	}
	ctx, cancel := context.WithCancel(context.Background())
	started := running{cancel, make(chan error, 1)}
	go func() { started.done <- manager.Start(ctx) }()
	return started, nil
}

func (r running) end() error {
	r.stop()
	return <-r.done
}

type scenario struct {
	client.Client
	config  *rest.Config
	types   *steps.Types
	leader  running
	stand   running
	web     *appsv1.Deployment
	elected string
}

func main() {
	ctrl.SetLogger(klog.Background())
	cfg, types, err := steps.Config()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	api, err := client.New(cfg, client.Options{})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	s := &scenario{Client: api, config: cfg, types: types}
	steps.Run(context.Background(), []steps.Step{
		{Name: "leader election", Run: s.elect},
		{Name: "reconciliation", Run: s.reconcile},
		{Name: "repair of what was changed or deleted", Run: s.repair},
		{Name: "events", Run: s.events},
		{Name: "hand-over to another manager", Run: s.handOver},
		{Name: "deletion by a finalizer", Run: s.delete},
		{Name: "protobuf on the wire", Run: s.wire},
	})
}

func (s *scenario) elect(ctx context.Context) error {
	err := s.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}})
	if err != nil {
		return err
	}
	if s.leader, err = start(s.config); err != nil {
		return err
	}
	s.elected, err = s.holderOtherThan(ctx, "")
	return err
}

// holderOtherThan waits until someone else than before has the lease.
func (s *scenario) holderOtherThan(ctx context.Context, before string) (string, error) {
	var lease coordinationv1.Lease
	key := client.ObjectKey{Namespace: namespace, Name: "web"}
	err := steps.Eventually(ctx, "the lease is taken", func(ctx context.Context) (bool, error) {
		if err := s.Get(ctx, key, &lease); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		holder := lease.Spec.HolderIdentity
		return holder != nil && *holder != "" && *holder != before, nil
	})
	if err != nil {
		return "", err
	}
	return *lease.Spec.HolderIdentity, nil
}

// kept waits until the Deployment's ConfigMap and status are right.
func (s *scenario) kept(ctx context.Context, replicas string) error {
	key := client.ObjectKeyFromObject(s.web)
	return steps.Eventually(ctx, replicas+" replicas are kept", func(ctx context.Context) (bool, error) {
		var kept corev1.ConfigMap
		if err := s.Get(ctx, key, &kept); err != nil {
			return false, client.IgnoreNotFound(err)
		}
		if err := s.Get(ctx, key, s.web); err != nil {
			return false, err
		}
		if !metav1.IsControlledBy(&kept, s.web) {
			return false, errors.New("the ConfigMap has another owner")
		}
		return kept.Data["replicas"] == replicas && s.web.Status.ObservedGeneration == s.web.Generation, nil
	})
}

func (s *scenario) reconcile(ctx context.Context) error {
	labels := map[string]string{"app": "web"}
	s.web = &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.example/web:1"}}},
			},
		},
	}
	if err := s.Create(ctx, s.web); err != nil {
		return err
	}
	if err := s.kept(ctx, "1"); err != nil {
		return err
	}
	three := int32(3)
	s.web.Spec.Replicas = &three
	if err := s.Update(ctx, s.web); err != nil {
		return err
	}
	return s.kept(ctx, "3")
}

func (s *scenario) repair(ctx context.Context) error {
	kept := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: namespace}}
	for _, harm := range []func() error{
		func() error {
			return s.Patch(ctx, kept, client.RawPatch("application/merge-patch+json", []byte(`{"data":{"replicas":"9"}}`)))
		},
		func() error { return s.Delete(ctx, kept) },
	} {
		if err := harm(); err != nil {
			return err
		}
		if err := s.kept(ctx, "3"); err != nil {
			return err
		}
	}
	return nil
}

func (s *scenario) events(ctx context.Context) error {
	return steps.Eventually(ctx, "both kinds of event", func(ctx context.Context) (bool, error) {
		var all eventsv1.EventList
		if err := s.List(ctx, &all, client.InNamespace(namespace)); err != nil {
			return false, err
		}
		has := func(kind, reason string) bool {
			return slices.ContainsFunc(all.Items, func(event eventsv1.Event) bool {
				return event.Regarding.Kind == kind && event.Reason == reason
			})
		}
		return has("Deployment", "Kept") && has("Lease", "LeaderElection"), nil
	})
}

func (s *scenario) handOver(ctx context.Context) (err error) {
	if s.stand, err = start(s.config); err != nil {
		return err
	}
	if err := s.leader.end(); err != nil {
		return err
	}
	if _, err := s.holderOtherThan(ctx, s.elected); err != nil {
		return err
	}
	four := int32(4)
	s.web.Spec.Replicas = &four
	if err := s.Update(ctx, s.web); err != nil {
		return err
	}
	return s.kept(ctx, "4")
}

func (s *scenario) delete(ctx context.Context) error {
	if err := s.Delete(ctx, s.web); err != nil {
		return err
	}
	err := steps.Eventually(ctx, "the Deployment is gone", func(ctx context.Context) (bool, error) {
		err := s.Get(ctx, client.ObjectKeyFromObject(s.web), s.web)
		return apierrors.IsNotFound(err), client.IgnoreNotFound(err)
	})
	if err != nil {
		return err
	}
	return s.stand.end()
}

func (s *scenario) wire(context.Context) error {
	return s.types.Has("body "+protobuf, "answer "+protobuf, "watch "+protobuf+";stream=watch", "body application/apply-patch+yaml")
}
