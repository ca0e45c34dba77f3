//go:build tools

// Package kwok names the program that plays the nodes of the reference cluster, so that `go mod tidy` keeps its modules
// in go.mod and go.sum. It is never compiled.
package kwok

import _ "sigs.k8s.io/kwok/cmd/kwok"
