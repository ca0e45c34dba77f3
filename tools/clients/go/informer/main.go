// client-go with its default settings: typed clients, apply, informers of typed, dynamic and metadata-only objects.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	corev1apply "k8s.io/client-go/applyconfigurations/core/v1"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"

	"coxswain.dev/tools/clients/go/steps"
)

const (
	namespace = "client-go"
	protobuf  = "application/vnd.kubernetes.protobuf"
)

type clients struct {
	kubernetes.Interface
	dynamic  dynamic.Interface
	metadata metadata.Interface
	types    *steps.Types
}

func main() {
	config, types, err := steps.Config()
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	c := clients{kubernetes.NewForConfigOrDie(config), dynamic.NewForConfigOrDie(config), metadata.NewForConfigOrDie(config), types}
	steps.Run(context.Background(), []steps.Step{
		{Name: "create, read, update, list, refusals", Run: c.objects},
		{Name: "patches, apply and scale", Run: c.patches},
		{Name: "informer", Run: c.informer},
		{Name: "dynamic informer of a custom resource", Run: c.dynamicInformer},
		{Name: "metadata informer", Run: c.metadataInformer},
		{Name: "protobuf on the wire", Run: c.wire},
	})
}

func configMap(name, n string) *corev1.ConfigMap {
	return &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"app": name}}, Data: map[string]string{"n": n}}
}

func (c clients) objects(ctx context.Context) error {
	version, err := c.Discovery().ServerVersion()
	if err != nil || !strings.HasPrefix(version.GitVersion, "v1.35.") {
		return fmt.Errorf("version %v: %w", version, err)
	}
	if _, err := c.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{}); err != nil {
		return err
	}
	maps := c.CoreV1().ConfigMaps(namespace)
	made, err := maps.Create(ctx, configMap("settings", "1"), metav1.CreateOptions{})
	if err != nil {
		return err
	}
	// A writer that was late reads again and succeeds.
	stale := true
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		object := made.DeepCopy()
		if stale {
			stale = false
			if _, err := maps.Patch(ctx, "settings", types.MergePatchType, []byte(`{"data":{"other":"1"}}`), metav1.PatchOptions{}); err != nil {
				return err
			}
		} else if object, err = maps.Get(ctx, "settings", metav1.GetOptions{}); err != nil {
			return err
		}
		object.Data["n"] = "2"
		_, err := maps.Update(ctx, object, metav1.UpdateOptions{})
		if err == nil && object.ResourceVersion == made.ResourceVersion {
			return errors.New("a stale update succeeded")
		}
		return err
	})
	if err != nil {
		return err
	}
	for reason, call := range map[metav1.StatusReason]func() error{
		metav1.StatusReasonAlreadyExists: func() error {
			_, err := maps.Create(ctx, configMap("settings", "1"), metav1.CreateOptions{})
			return err
		},
		metav1.StatusReasonInvalid: func() error {
			_, err := maps.Create(ctx, configMap("Not_a_name", "1"), metav1.CreateOptions{})
			return err
		},
		metav1.StatusReasonNotFound: func() error {
			return maps.Delete(ctx, "none", metav1.DeleteOptions{})
		},
	} {
		if err := call(); apierrors.ReasonForError(err) != reason {
			return fmt.Errorf("expected %s: %w", reason, err)
		}
	}
	for i := range 5 {
		if _, err := maps.Create(ctx, configMap(fmt.Sprintf("page-%d", i), ""), metav1.CreateOptions{}); err != nil {
			return err
		}
	}
	pages := pager.New(func(ctx context.Context, options metav1.ListOptions) (runtime.Object, error) {
		return maps.List(ctx, options)
	})
	pages.PageSize = 2
	var names []string
	err = pages.EachListItem(ctx, metav1.ListOptions{LabelSelector: "app!=settings"}, func(object runtime.Object) error {
		names = append(names, object.(*corev1.ConfigMap).Name)
		return nil
	})
	if err != nil || len(names) != 5 || !slices.IsSorted(names) {
		return fmt.Errorf("pages %v: %w", names, err)
	}
	return maps.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{LabelSelector: "app!=settings"})
}

func (c clients) patches(ctx context.Context) error {
	labels := map[string]string{"app": "web"}
	deployments := c.AppsV1().Deployments(namespace)
	_, err := deployments.Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "web"},
		Spec: appsv1.DeploymentSpec{
			Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "registry.example/web:1"}}},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		return err
	}
	sidecar := []byte(`{"spec":{"template":{"spec":{"containers":[{"name":"log","image":"registry.example/log:1"}]}}}}`)
	for _, each := range []struct {
		kind       types.PatchType
		containers int
	}{{types.StrategicMergePatchType, 2}, {types.MergePatchType, 1}} {
		patched, err := deployments.Patch(ctx, "web", each.kind, sidecar, metav1.PatchOptions{})
		if err != nil {
			return err
		}
		if len(patched.Spec.Template.Spec.Containers) != each.containers {
			return fmt.Errorf("%s: %v", each.kind, patched.Spec.Template.Spec.Containers)
		}
	}
	three := []byte(`[{"op":"replace","path":"/spec/replicas","value":3}]`)
	if _, err := deployments.Patch(ctx, "web", types.JSONPatchType, three, metav1.PatchOptions{}); err != nil {
		return err
	}
	scale, err := deployments.GetScale(ctx, "web", metav1.GetOptions{})
	if err != nil {
		return err
	}
	scale.Spec.Replicas = 4
	if scale, err = deployments.UpdateScale(ctx, "web", scale, metav1.UpdateOptions{}); err != nil || scale.Spec.Replicas != 4 {
		return fmt.Errorf("scale %v: %w", scale, err)
	}
	maps := c.CoreV1().ConfigMaps(namespace)
	apply := func(manager, n string, force bool) error {
		wanted := corev1apply.ConfigMap("applied", namespace).WithData(map[string]string{"n": n})
		_, err := maps.Apply(ctx, wanted, metav1.ApplyOptions{FieldManager: manager, Force: force})
		return err
	}
	if err := apply("one", "1", false); err != nil {
		return err
	}
	if err := apply("two", "2", false); !apierrors.IsConflict(err) {
		return fmt.Errorf("expected a conflict: %w", err)
	}
	if err := apply("two", "2", true); err != nil {
		return err
	}
	applied, err := maps.Get(ctx, "applied", metav1.GetOptions{})
	if err != nil {
		return err
	}
	// What one manager owns as the server tells it can be applied again without a change.
	owned, err := corev1apply.ExtractConfigMap(applied, "two")
	if err != nil || owned.Data["n"] != "2" {
		return fmt.Errorf("extracted %v: %w", owned, err)
	}
	return maps.Delete(ctx, "applied", metav1.DeleteOptions{})
}

// wire checks that the defaults of this version are what has been tested.
func (c clients) wire(context.Context) error {
	return c.types.Has("body "+protobuf, "answer "+protobuf, "watch "+protobuf+";stream=watch", "body application/apply-patch+yaml")
}
