//go:build tools

// Package kubernetes names what of Kubernetes the reference cluster is built from, so that `go mod tidy` keeps its
// modules in go.mod and go.sum. It is never compiled.
package kubernetes

import (
	_ "k8s.io/kubernetes/cmd/kube-apiserver"
	_ "k8s.io/kubernetes/cmd/kube-controller-manager"
	_ "k8s.io/kubernetes/cmd/kube-scheduler"
	_ "k8s.io/kubernetes/cmd/kubectl"
)
