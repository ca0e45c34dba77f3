package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

const longestHistory = 5

// observe computes the same status as operators/webapp.
func observe(app *WebApp, deployment *appsv1.Deployment, service client.Object, status *WebAppStatus) {
	status.ObservedGeneration = app.Generation
	status.Image = app.Spec.Image
	status.Selector = appLabel + "=" + app.Name
	status.URL = fmt.Sprintf("http://%s.%s.svc:%d", app.Name, app.Namespace, app.Spec.Port)
	status.Endpoints = []Endpoint{{Scope: "Cluster", URL: status.URL}}
	seen := deployment.Status
	wanted := app.Spec.Replicas
	status.DesiredReplicas = wanted
	status.Replicas, status.UpdatedReplicas = seen.Replicas, seen.UpdatedReplicas
	status.ReadyReplicas, status.AvailableReplicas = seen.ReadyReplicas, seen.AvailableReplicas
	isComplete := seen.ObservedGeneration >= deployment.Generation && seen.UpdatedReplicas >= wanted && seen.Replicas <= seen.UpdatedReplicas && seen.AvailableReplicas >= wanted
	status.Message = fmt.Sprintf("%d of %d replicas are available", seen.AvailableReplicas, wanted)
	template, digest := revision(app)
	status.CurrentRevision = digest
	state := "Progressing"
	if isComplete {
		state = "Ready"
		status.Phase = "Running"
		remember(status, Revision{Digest: digest, Image: app.Spec.Image, At: metav1.Now().Rfc3339Copy(), Template: template})
		setConditions(app, status, true, "RolledOut", status.Message)
	} else {
		setConditions(app, status, false, "RollingOut", status.Message)
	}
	status.Children = []Child{
		{APIVersion: "apps/v1", Kind: "Deployment", Name: app.Name, State: state, LastApplied: lastWritten(deployment)},
		{APIVersion: "v1", Kind: "Service", Name: app.Name, State: "Ready", LastApplied: lastWritten(service)},
	}
}

// lastWritten is the time of creation: the cache drops managedFields, which would have the time of the last write.
func lastWritten(object client.Object) *metav1.Time {
	at := object.GetCreationTimestamp()
	if at.IsZero() {
		return nil
	}
	return &at
}

func revision(app *WebApp) (template, digest string) {
	text, _ := json.Marshal(map[string]any{"spec": map[string]any{"image": app.Spec.Image, "port": app.Spec.Port, "env": app.Spec.Env}})
	sum := sha256.Sum256(text)
	return string(text), hex.EncodeToString(sum[:])[:10]
}

func remember(status *WebAppStatus, good Revision) {
	if status.LastGoodRevision != nil && status.LastGoodRevision.Digest == good.Digest {
		return
	}
	status.LastGoodRevision = &good
	entry := Revision{Digest: good.Digest, Image: good.Image, At: good.At, Outcome: "Good"}
	status.History = append([]Revision{entry}, status.History...)
	if len(status.History) > longestHistory {
		status.History = status.History[:longestHistory]
	}
}

func setConditions(app *WebApp, status *WebAppStatus, isReady bool, reason, message string) {
	is := func(value bool) metav1.ConditionStatus {
		if value {
			return metav1.ConditionTrue
		}
		return metav1.ConditionFalse
	}
	set := func(kind string, value bool, message string) {
		meta.SetStatusCondition(&status.Conditions, metav1.Condition{Type: kind, Status: is(value), Reason: reason, Message: message, ObservedGeneration: app.Generation})
	}
	set("Ready", isReady, message)
	set("Progressing", !isReady, "")
	// Once available, the app stays so while another revision rolls out.
	set("Available", isReady || status.Phase == "Running", "")
	set("ServiceReady", true, "")
	if isReady {
		meta.RemoveStatusCondition(&status.Conditions, "Reconciling")
	} else {
		set("Reconciling", true, message)
	}
}
