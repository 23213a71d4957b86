package facts

import (
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/deprecation"
	"k8s.io/component-base/version"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// deprecationOf is the server's warning to clients that use the kind at this version, empty if there is none.
func deprecationOf(kind schema.GroupVersionKind) string {
	object, err := legacyscheme.Scheme.New(kind)
	if err != nil {
		return "" // Definitions and APIServices are of no scheme with versions to go.
	}
	major, minor, err := deprecation.MajorMinor(version.Get())
	if err != nil || !deprecation.IsDeprecated(object, major, minor) {
		return ""
	}
	object.GetObjectKind().SetGroupVersionKind(kind)
	return deprecation.WarningMessage(object)
}
