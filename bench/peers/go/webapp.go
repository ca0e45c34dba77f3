package main

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
)

var webAppVersion = schema.GroupVersion{Group: "coxswain.dev", Version: "v1"}

// WebApp is the kind of operators/webapp, with the fields that this operator knows.
type WebApp struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              WebAppSpec   `json:"spec"`
	Status            WebAppStatus `json:"status,omitempty"`
}

type WebAppSpec struct {
	Image    string            `json:"image"`
	Replicas int32             `json:"replicas"`
	Port     int32             `json:"port"`
	Env      map[string]string `json:"env,omitempty"`
}

// WebAppStatus has the fields that operators/webapp writes for such an app.
type WebAppStatus struct {
	ObservedGeneration int64              `json:"observedGeneration,omitempty"`
	Phase              string             `json:"phase,omitempty"`
	Message            string             `json:"message,omitempty"`
	Image              string             `json:"image,omitempty"`
	Selector           string             `json:"selector,omitempty"`
	URL                string             `json:"url,omitempty"`
	Endpoints          []Endpoint         `json:"endpoints,omitempty"`
	DesiredReplicas    int32              `json:"desiredReplicas"`
	Replicas           int32              `json:"replicas"`
	UpdatedReplicas    int32              `json:"updatedReplicas"`
	ReadyReplicas      int32              `json:"readyReplicas"`
	AvailableReplicas  int32              `json:"availableReplicas"`
	CurrentRevision    string             `json:"currentRevision,omitempty"`
	LastGoodRevision   *Revision          `json:"lastGoodRevision,omitempty"`
	History            []Revision         `json:"history,omitempty"`
	Children           []Child            `json:"children,omitempty"`
	LastReconcileTime  *metav1.Time       `json:"lastReconcileTime,omitempty"`
	Conditions         []metav1.Condition `json:"conditions,omitempty"`
}

type Endpoint struct {
	Scope string `json:"scope"`
	URL   string `json:"url"`
}

type Revision struct {
	Digest   string      `json:"digest"`
	Image    string      `json:"image"`
	At       metav1.Time `json:"at"`
	Template string      `json:"template,omitempty"`
	Outcome  string      `json:"outcome,omitempty"`
}

type Child struct {
	APIVersion  string       `json:"apiVersion"`
	Kind        string       `json:"kind"`
	Name        string       `json:"name"`
	State       string       `json:"state"`
	LastApplied *metav1.Time `json:"lastApplied,omitempty"`
}

type WebAppList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []WebApp `json:"items"`
}

func (a *WebApp) DeepCopy() *WebApp {
	b := *a
	a.ObjectMeta.DeepCopyInto(&b.ObjectMeta)
	if a.Spec.Env != nil {
		b.Spec.Env = make(map[string]string, len(a.Spec.Env))
		for name, value := range a.Spec.Env {
			b.Spec.Env[name] = value
		}
	}
	b.Status.Endpoints = append([]Endpoint(nil), a.Status.Endpoints...)
	b.Status.History = append([]Revision(nil), a.Status.History...)
	b.Status.Children = append([]Child(nil), a.Status.Children...)
	b.Status.Conditions = append([]metav1.Condition(nil), a.Status.Conditions...)
	if a.Status.LastGoodRevision != nil {
		good := *a.Status.LastGoodRevision
		b.Status.LastGoodRevision = &good
	}
	return &b
}

func (a *WebApp) DeepCopyObject() runtime.Object { return a.DeepCopy() }

func (l *WebAppList) DeepCopyObject() runtime.Object {
	m := *l
	m.Items = make([]WebApp, len(l.Items))
	for i := range l.Items {
		m.Items[i] = *l.Items[i].DeepCopy()
	}
	return &m
}

func newWebAppScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	_ = clientgoscheme.AddToScheme(scheme)
	scheme.AddKnownTypes(webAppVersion, &WebApp{}, &WebAppList{})
	metav1.AddToGroupVersion(scheme, webAppVersion)
	return scheme
}

func environment(app *WebApp) []corev1.EnvVar {
	variables := make([]corev1.EnvVar, 0, len(app.Spec.Env))
	for _, name := range sortedKeys(app.Spec.Env) {
		variables = append(variables, corev1.EnvVar{Name: name, Value: app.Spec.Env[name]})
	}
	return variables
}
