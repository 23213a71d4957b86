package facts

import (
	"maps"
	"reflect"
	"slices"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/generated/openapi"
	aggregator "k8s.io/kube-aggregator/pkg/generated/openapi"
	"k8s.io/kube-openapi/pkg/common"
	"k8s.io/kube-openapi/pkg/validation/spec"
	kubernetes "k8s.io/kubernetes/pkg/generated/openapi"
)

// schemas are the definitions the server makes its OpenAPI documents of, those of versions no longer served too.
type schemas struct {
	definitions map[string]common.OpenAPIDefinition
}

func newSchemas() *schemas {
	found := &schemas{definitions: map[string]common.OpenAPIDefinition{}}
	reference := func(path string) spec.Ref { return spec.MustCreateRef("#/" + path) }
	for _, definitions := range []common.GetOpenAPIDefinitions{
		kubernetes.GetOpenAPIDefinitions, apiextensions.GetOpenAPIDefinitions, aggregator.GetOpenAPIDefinitions,
	} {
		maps.Copy(found.definitions, definitions(reference))
	}
	return found
}

// schemaOf is one type's definition; empty for a type that has none.
type schemaOf struct {
	schema spec.Schema
}

func (schemas *schemas) of(goType reflect.Type) schemaOf {
	name := goType.PkgPath() + "." + goType.Name()
	if named, ok := reflect.New(goType).Interface().(interface{ OpenAPIModelName() string }); ok {
		name = named.OpenAPIModelName()
	}
	return schemaOf{schemas.definitions[name].Schema}
}

func (found schemaOf) atomic() bool {
	value, _ := found.schema.Extensions.GetString("x-kubernetes-map-type")
	return value == "atomic"
}

// complete adds to a field what only its definition says.
func (found schemaOf) complete(field *Field) {
	property, known := found.schema.Properties[field.Name]
	if !known {
		return
	}
	field.Required = slices.Contains(found.schema.Required, field.Name)
	field.ListType, _ = property.Extensions.GetString("x-kubernetes-list-type")
	field.ListMapKeys, _ = property.Extensions.GetStringSlice("x-kubernetes-list-map-keys")
	field.MapType, _ = property.Extensions.GetString("x-kubernetes-map-type")
	if !isZero(property.Default) {
		field.Default = property.Default
	}
}

// isZero finds the defaults that say no more than "a value, not a pointer".
func isZero(value any) bool {
	if value == nil {
		return true
	}
	if fields, ok := value.(map[string]any); ok {
		return len(fields) == 0
	}
	return reflect.ValueOf(value).IsZero()
}
