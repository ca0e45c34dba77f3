package main

import (
	"sort"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"
)

const appLabel = "coxswain.dev/webapp"

func selectorOf(app *WebApp) map[string]string { return map[string]string{appLabel: app.Name} }

func labelsOf(app *WebApp) map[string]string {
	return map[string]string{appLabel: app.Name, "app.kubernetes.io/name": app.Name, "app.kubernetes.io/managed-by": "coxswain"}
}

// The same children as in operators/webapp/children. Fields that the server defaults are set, too: otherwise an
// up-to-date object would differ from the desired one.
func fillDeployment(app *WebApp, deployment *appsv1.Deployment) {
	quarter := intstr.FromString("25%")
	deployment.Labels = labelsOf(app)
	spec := &deployment.Spec
	spec.Replicas = ptr.To(app.Spec.Replicas)
	spec.Selector = &metav1.LabelSelector{MatchLabels: selectorOf(app)}
	spec.ProgressDeadlineSeconds = ptr.To(int32(600))
	spec.RevisionHistoryLimit = ptr.To(int32(10))
	spec.Strategy = appsv1.DeploymentStrategy{
		Type:          appsv1.RollingUpdateDeploymentStrategyType,
		RollingUpdate: &appsv1.RollingUpdateDeployment{MaxSurge: &quarter, MaxUnavailable: &quarter},
	}
	spec.Template.Labels = labelsOf(app)
	pod := &spec.Template.Spec
	pod.TerminationGracePeriodSeconds = ptr.To(int64(30))
	pod.AutomountServiceAccountToken = ptr.To(false)
	pod.SecurityContext = &corev1.PodSecurityContext{
		RunAsNonRoot:   ptr.To(true),
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault},
	}
	pod.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{spreadOver(app, "topology.kubernetes.io/zone"), spreadOver(app, "kubernetes.io/hostname")}
	if len(pod.Containers) != 1 {
		pod.Containers = make([]corev1.Container, 1)
	}
	container := &pod.Containers[0]
	container.Name = "web"
	container.Image = app.Spec.Image
	container.Env = environment(app)
	container.Ports = []corev1.ContainerPort{{Name: "http", ContainerPort: app.Spec.Port, Protocol: corev1.ProtocolTCP}}
	if container.ReadinessProbe == nil {
		container.ReadinessProbe = &corev1.Probe{}
	}
	container.ReadinessProbe.ProbeHandler = corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromString("http")}}
	container.SecurityContext = &corev1.SecurityContext{
		AllowPrivilegeEscalation: ptr.To(false),
		Capabilities:             &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}},
	}
}

func spreadOver(app *WebApp, key string) corev1.TopologySpreadConstraint {
	return corev1.TopologySpreadConstraint{
		TopologyKey: key, WhenUnsatisfiable: corev1.ScheduleAnyway, MaxSkew: 1,
		LabelSelector: &metav1.LabelSelector{MatchLabels: selectorOf(app)},
	}
}

func fillService(app *WebApp, service *corev1.Service) {
	service.Labels = labelsOf(app)
	service.Spec.Type = corev1.ServiceTypeClusterIP
	service.Spec.Selector = selectorOf(app)
	service.Spec.Ports = []corev1.ServicePort{{
		Name: "http", Port: app.Spec.Port, TargetPort: intstr.FromString("http"), Protocol: corev1.ProtocolTCP,
	}}
}

func sortedKeys(values map[string]string) []string {
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	return keys
}
