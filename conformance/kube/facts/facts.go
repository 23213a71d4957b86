// Package facts says what must be known about Kubernetes' types and kinds to speak with it: what reflection over its
// Go types says (types.go), what its OpenAPI definitions add (schema.go), what a running server's discovery lists
// (discovery.go), what the strategies of its registry do (storage.go) and which versions are to go (deprecation.go). Facts only; no sentence of its documents.
package facts

import (
	"encoding/json"
	"fmt"
	"net/http"
	"runtime/debug"

	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// Document is everything, in a plain form; printing it as Rust is done elsewhere.
type Document struct {
	Version   string     `json:"version"`
	Types     []Type     `json:"types"`
	Kinds     []Kind     `json:"kinds"`
	Groups    []Group    `json:"groups"`
	Resources []Resource `json:"resources"`
}

// Collect reads the facts; config is the server's own and ask reaches it.
func Collect(version string, config app.CompletedConfig, ask func(path, accept string) (*http.Response, error)) (text []byte, err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%v\n%s", reason, debug.Stack())
		}
	}()
	document := Document{Version: version}
	schemas := newSchemas()
	document.Types, document.Kinds = collectTypes(schemas)
	groups, resources, err := readDiscovery(ask)
	if err != nil {
		return nil, fmt.Errorf("discovery: %w", err)
	}
	stores, err := openStores(config)
	if err != nil {
		return nil, fmt.Errorf("registry: %w", err)
	}
	for index := range resources {
		stores.describe(&resources[index])
	}
	document.Groups, document.Resources = groups, resources
	return json.MarshalIndent(document, "", " ")
}
