package main

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

var appVersion = schema.GroupVersion{Group: "bench.coxswain.dev", Version: "v1"}

// App is the kind of bench/runtime/app-kind.ts.
type App struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata,omitempty"`
	Spec              AppSpec   `json:"spec"`
	Status            AppStatus `json:"status,omitempty"`
}

type AppSpec struct {
	Image    string   `json:"image"`
	Replicas int32    `json:"replicas"`
	Port     int32    `json:"port"`
	Env      []EnvVar `json:"env"`
}

type EnvVar struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type AppStatus struct {
	Phase string `json:"phase,omitempty"`
	Round int32  `json:"round,omitempty"`
}

type AppList struct {
	metav1.TypeMeta `json:",inline"`
	metav1.ListMeta `json:"metadata,omitempty"`
	Items           []App `json:"items"`
}

func (a *App) DeepCopyObject() runtime.Object {
	b := *a
	a.ObjectMeta.DeepCopyInto(&b.ObjectMeta)
	b.Spec.Env = append([]EnvVar(nil), a.Spec.Env...)
	return &b
}

func (l *AppList) DeepCopyObject() runtime.Object {
	m := *l
	m.Items = make([]App, len(l.Items))
	for i := range l.Items {
		m.Items[i] = *l.Items[i].DeepCopyObject().(*App)
	}
	return &m
}

func newScheme() *runtime.Scheme {
	scheme := runtime.NewScheme()
	scheme.AddKnownTypes(appVersion, &App{}, &AppList{})
	metav1.AddToGroupVersion(scheme, appVersion)
	return scheme
}
