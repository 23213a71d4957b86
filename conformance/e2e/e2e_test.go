// Package e2e pins Kubernetes' own end-to-end specs, so that `go test -c k8s.io/kubernetes/test/e2e` builds them here.
package e2e

import _ "k8s.io/kubernetes/test/e2e"
