package facts

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	discovery "k8s.io/api/apidiscovery/v2"
	discoveryold "k8s.io/api/apidiscovery/v2beta1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiextensionsold "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	"k8s.io/apimachinery/pkg/api/resource"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	aggregator "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
)

// Type is one Go type as JSON and protobuf see it.
type Type struct {
	Name    string  `json:"name"`
	Package string  `json:"package"`
	Shape   string  `json:"shape"`
	Atomic  bool    `json:"atomic,omitempty"`
	Fields  []Field `json:"fields,omitempty"`
}

// Field is one field of a struct. Type is a Type's package and name, or a scalar.
type Field struct {
	Name          string   `json:"name"`
	Number        int      `json:"number"`
	Holds         string   `json:"holds"`
	Type          string   `json:"type"`
	Pointer       bool     `json:"pointer,omitempty"`
	OmitEmpty     bool     `json:"omitempty,omitempty"`
	OmitZero      bool     `json:"omitzero,omitempty"`
	Inline        bool     `json:"inline,omitempty"`
	Required      bool     `json:"required,omitempty"`
	ListType      string   `json:"listType,omitempty"`
	ListMapKeys   []string `json:"listMapKeys,omitempty"`
	MapType       string   `json:"mapType,omitempty"`
	PatchStrategy string   `json:"patchStrategy,omitempty"`
	PatchMergeKey string   `json:"patchMergeKey,omitempty"`
	Default       any      `json:"default,omitempty"`
}

// Kind is a kind and the type of its objects.
type Kind struct {
	Group   string `json:"group"`
	Version string `json:"version"`
	Kind    string `json:"kind"`
	Type    string `json:"type"`
}

// shapes are the types that are written otherwise than field by field.
var shapes = map[reflect.Type]string{
	reflect.TypeFor[meta.Time]():                                     "Time",
	reflect.TypeFor[meta.MicroTime]():                                "MicroTime",
	reflect.TypeFor[meta.Duration]():                                 "Duration",
	reflect.TypeFor[meta.FieldsV1]():                                 "Raw",
	reflect.TypeFor[runtime.RawExtension]():                          "Raw",
	reflect.TypeFor[resource.Quantity]():                             "Quantity",
	reflect.TypeFor[intstr.IntOrString]():                            "IntOrString",
	reflect.TypeFor[apiextensions.JSON]():                            "Raw",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrArray]():          "OrArray",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrBool]():           "OrBool",
	reflect.TypeFor[apiextensions.JSONSchemaPropsOrStringArray]():    "OrStrings",
	reflect.TypeFor[apiextensionsold.JSON]():                         "Raw",
	reflect.TypeFor[apiextensionsold.JSONSchemaPropsOrArray]():       "OrArray",
	reflect.TypeFor[apiextensionsold.JSONSchemaPropsOrBool]():        "OrBool",
	reflect.TypeFor[apiextensionsold.JSONSchemaPropsOrStringArray](): "OrStrings",
}

// scalars are the types that end a path.
var scalars = map[reflect.Kind]string{
	reflect.String: "string", reflect.Bool: "bool", reflect.Float64: "double",
	reflect.Int32: "int32", reflect.Int64: "int64", reflect.Int: "int64", reflect.Uint8: "int32", reflect.Interface: "any",
}

type collector struct {
	schemas *schemas
	types   map[string]Type
}

func collectTypes(schemas *schemas) ([]Type, []Kind) {
	collector := collector{schemas: schemas, types: map[string]Type{}}
	kinds := map[schema.GroupVersionKind]string{}
	for _, known := range knownKinds() {
		for kind, goType := range known {
			if kind.Version == runtime.APIVersionInternal {
				continue
			}
			kinds[kind] = collector.visit(goType)
		}
	}
	return collector.sorted(), sortedKinds(kinds)
}

// knownKinds are the kinds of the schemes of the server, of what serves its definitions, and of what clients know.
func knownKinds() []map[schema.GroupVersionKind]reflect.Type {
	definitions := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		apiextensions.AddToScheme, apiextensionsold.AddToScheme, aggregator.AddToScheme,
		discovery.AddToScheme, discoveryold.AddToScheme, meta.AddMetaToScheme,
	} {
		if err := add(definitions); err != nil {
			panic(err)
		}
	}
	return []map[schema.GroupVersionKind]reflect.Type{
		scheme.Scheme.AllKnownTypes(), definitions.AllKnownTypes(), external(legacyscheme.Scheme.AllKnownTypes()),
	}
}

// external leaves out what the server's scheme registers for parameters under its own packages.
func external(known map[schema.GroupVersionKind]reflect.Type) map[schema.GroupVersionKind]reflect.Type {
	kept := map[schema.GroupVersionKind]reflect.Type{}
	for kind, goType := range known {
		if !strings.HasPrefix(goType.PkgPath(), "k8s.io/kubernetes/") {
			kept[kind] = goType
		}
	}
	return kept
}

// visit notes a type and everything it is made of, and returns its name.
func (collector *collector) visit(goType reflect.Type) string {
	name := goType.PkgPath() + "." + goType.Name()
	if _, seen := collector.types[name]; seen {
		return name
	}
	schema := collector.schemas.of(goType)
	found := Type{Name: goType.Name(), Package: goType.PkgPath(), Shape: "Struct", Atomic: schema.atomic()}
	collector.types[name] = found // Types are recursive.
	if shape, special := shapes[goType]; special {
		found.Shape = shape
		if strings.HasPrefix(shape, "Or") {
			found.Fields = collector.fields(goType, schema)
		}
	} else if goType.Kind() == reflect.Slice {
		found.Shape = "Items"
	} else {
		found.Fields = collector.fields(goType, schema)
	}
	collector.types[name] = found
	return name
}

func (collector *collector) fields(goType reflect.Type, schema schemaOf) []Field {
	var fields []Field
	for index := range goType.NumField() {
		goField := goType.Field(index)
		json, options := tag(goField, "json")
		if !goField.IsExported() || json == "-" && len(options) == 0 {
			continue
		}
		field := Field{
			Name:      json,
			OmitEmpty: slices.Contains(options, "omitempty"), OmitZero: slices.Contains(options, "omitzero"),
			Inline:        slices.Contains(options, "inline") || goField.Anonymous && json == "",
			PatchStrategy: goField.Tag.Get("patchStrategy"), PatchMergeKey: goField.Tag.Get("patchMergeKey"),
		}
		if field.Name == "" && !field.Inline {
			field.Name = goField.Name
		}
		field.Number = number(goField)
		field.Pointer, field.Holds, field.Type = collector.content(goField.Type)
		schema.complete(&field)
		fields = append(fields, field)
	}
	return fields
}

// content says what a field holds: one, a list or a map, of which type.
func (collector *collector) content(goType reflect.Type) (pointer bool, holds, name string) {
	if goType.Kind() == reflect.Pointer {
		_, holds, name = collector.content(goType.Elem())
		return true, holds, name
	}
	_, isMessage := reflect.PointerTo(goType).MethodByName("MarshalToSizedBuffer")
	switch {
	case isMessage || goType.Kind() == reflect.Struct:
		return false, "One", collector.visit(goType)
	case goType.Kind() == reflect.Slice && goType.Elem().Kind() == reflect.Uint8:
		return false, "One", "bytes"
	case goType.Kind() == reflect.Slice:
		return false, "List", collector.element(goType.Elem())
	case goType.Kind() == reflect.Map && goType.Key().Kind() == reflect.String:
		return false, "Map", collector.element(goType.Elem())
	}
	scalar, known := scalars[goType.Kind()]
	if !known {
		panic(fmt.Sprintf("%s is of a kind without a name here", goType))
	}
	return false, "One", scalar
}

func (collector *collector) element(goType reflect.Type) string {
	_, holds, name := collector.content(goType)
	if holds != "One" {
		panic(fmt.Sprintf("%s is within a list or map", goType))
	}
	return name
}

// number is the field's number in protobuf, 0 if it has none there. The wire type before it in the tag is wrong in a
// hundred places, and follows from the field's type.
func number(goField reflect.StructField) int {
	_, options := tag(goField, "protobuf")
	if len(options) == 0 {
		return 0
	}
	number, err := strconv.Atoi(options[0])
	if err != nil || slices.Contains(options, "packed") {
		panic(fmt.Sprintf("%s has a protobuf tag of another form", goField.Name))
	}
	return number
}

func tag(goField reflect.StructField, key string) (string, []string) {
	parts := strings.Split(goField.Tag.Get(key), ",")
	return parts[0], parts[1:]
}

func (collector *collector) sorted() []Type {
	var types []Type
	for _, found := range collector.types {
		types = append(types, found)
	}
	slices.SortFunc(types, func(a, b Type) int {
		return strings.Compare(a.Package+"."+a.Name, b.Package+"."+b.Name)
	})
	return types
}

func sortedKinds(kinds map[schema.GroupVersionKind]string) []Kind {
	var sorted []Kind
	for kind, name := range kinds {
		sorted = append(sorted, Kind{kind.Group, kind.Version, kind.Kind, name})
	}
	slices.SortFunc(sorted, func(a, b Kind) int {
		return strings.Compare(a.Group+"\x00"+a.Version+"\x00"+a.Kind, b.Group+"\x00"+b.Version+"\x00"+b.Kind)
	})
	return sorted
}
