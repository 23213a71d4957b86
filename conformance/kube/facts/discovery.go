package facts

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"

	discovery "k8s.io/api/apidiscovery/v2"
)

// Group is an API group with its versions, the preferred one first.
type Group struct {
	Name     string   `json:"name"`
	Versions []string `json:"versions"`
}

// Resource is one served resource at one version.
type Resource struct {
	Group        string   `json:"group"`
	Version      string   `json:"version"`
	Plural       string   `json:"plural"`
	Singular     string   `json:"singular"`
	Kind         string   `json:"kind"`
	Namespaced   bool     `json:"namespaced"`
	ShortNames   []string `json:"shortNames"`
	Categories   []string `json:"categories"`
	Verbs        []string `json:"verbs"`
	Subresources []Part   `json:"subresources"`
	OnByDefault  bool     `json:"onByDefault"`
	Deprecation  string   `json:"deprecation"`
	Storage      *Storage `json:"storage"`
}

// Part is a subresource. GroupVersion is empty where it is the resource's own.
type Part struct {
	Name         string   `json:"name"`
	GroupVersion string   `json:"groupVersion"`
	Kind         string   `json:"kind"`
	Verbs        []string `json:"verbs"`
}

const aggregated = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"

func readDiscovery(ask func(path, accept string) (*http.Response, error)) ([]Group, []Resource, error) {
	var groups []Group
	var resources []Resource
	for _, path := range []string{"/api", "/apis"} {
		answer, err := ask(path, aggregated)
		if err != nil {
			return nil, nil, err
		}
		defer answer.Body.Close()
		list := discovery.APIGroupDiscoveryList{}
		if err := json.NewDecoder(answer.Body).Decode(&list); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", path, err)
		}
		for _, group := range list.Items {
			groups = append(groups, groupOf(group))
			for _, version := range group.Versions {
				for _, found := range version.Resources {
					resources = append(resources, resourceOf(group.Name, version.Version, found))
				}
			}
		}
	}
	slices.SortFunc(resources, func(a, b Resource) int { return strings.Compare(a.key(), b.key()) })
	return groups, resources, nil
}

func (resource Resource) key() string {
	return resource.Group + "\x00" + resource.Version + "\x00" + resource.Plural
}

func groupOf(group discovery.APIGroupDiscovery) Group {
	found := Group{Name: group.Name}
	for _, version := range group.Versions {
		found.Versions = append(found.Versions, version.Version)
	}
	return found
}

func resourceOf(group, version string, found discovery.APIResourceDiscovery) Resource {
	resource := Resource{
		Group: group, Version: version, Plural: found.Resource, Singular: found.SingularResource,
		Namespaced: found.Scope == discovery.ScopeNamespace,
		ShortNames: found.ShortNames, Categories: found.Categories, Verbs: sorted(found.Verbs),
	}
	if found.ResponseKind != nil {
		resource.Kind = found.ResponseKind.Kind
	}
	for _, part := range found.Subresources {
		described := Part{Name: part.Subresource, Verbs: sorted(part.Verbs)}
		if kind := part.ResponseKind; kind != nil {
			described.Kind = kind.Kind
			if kind.Version != "" && (kind.Group != group || kind.Version != version) {
				described.GroupVersion = strings.TrimPrefix(kind.Group+"/"+kind.Version, "/")
			}
		}
		resource.Subresources = append(resource.Subresources, described)
	}
	slices.SortFunc(resource.Subresources, func(a, b Part) int { return strings.Compare(a.Name, b.Name) })
	return resource
}

func sorted(values []string) []string {
	values = slices.Clone(values)
	slices.Sort(values)
	return values
}
