//go:build tools

// Package tools names the commands of others that are built here, so that go.mod keeps them.
package tools

import _ "helm.sh/helm/v4/cmd/helm"
