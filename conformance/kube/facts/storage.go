package facts

import (
	"context"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"unsafe"

	definitionsapi "k8s.io/apiextensions-apiserver/pkg/apiserver"
	definitions "k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/endpoints/request"
	"k8s.io/apiserver/pkg/registry/generic/registry"
	"k8s.io/apiserver/pkg/registry/rest"
	"k8s.io/client-go/kubernetes"
	aggregatorscheme "k8s.io/kube-aggregator/pkg/apiserver/scheme"
	services "k8s.io/kube-aggregator/pkg/registry/apiservice/etcd"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	"k8s.io/kubernetes/pkg/controlplane"
)

// Storage is what a client sees of the way a resource is kept.
type Storage struct {
	UnconditionalUpdate bool     `json:"unconditionalUpdate"`
	CreateOnUpdate      bool     `json:"createOnUpdate"`
	ReturnsDeleted      bool     `json:"returnsDeleted"`
	Generation          bool     `json:"generation"`
	KeepsStatus         bool     `json:"keepsStatus"`
	FirstPhase          string   `json:"firstPhase"`
	SelectableFields    []string `json:"selectableFields"`
}

// stores are the registry's own, by group, version and plural.
type stores struct {
	known map[schema.GroupVersionResource]store
}

type store struct {
	*registry.Store
	scheme *runtime.Scheme
}

func openStores(config app.CompletedConfig) (*stores, error) {
	client, err := kubernetes.NewForConfig(config.KubeAPIs.ControlPlane.Generic.LoopbackClientConfig)
	if err != nil {
		return nil, err
	}
	providers, err := config.KubeAPIs.StorageProviders(client)
	if err != nil {
		return nil, err
	}
	found := &stores{known: map[schema.GroupVersionResource]store{}}
	options := config.KubeAPIs.ControlPlane.Generic.RESTOptionsGetter
	for _, provider := range providers {
		group, err := provider.NewRESTStorage(config.KubeAPIs.ControlPlane.APIResourceConfigSource, options)
		if err != nil {
			return nil, err
		}
		for version, resources := range group.VersionedResourcesStorageMap {
			for plural, storage := range resources {
				found.add(schema.GroupVersionResource{Group: provider.GroupName(), Version: version, Resource: plural}, storage, legacyscheme.Scheme)
			}
		}
	}
	crds, err := definitions.NewREST(definitionsapi.Scheme, config.ApiExtensions.GenericConfig.RESTOptionsGetter)
	if err != nil {
		return nil, err
	}
	found.add(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}, crds, definitionsapi.Scheme)
	apiServices := services.NewREST(aggregatorscheme.Scheme, config.Aggregator.GenericConfig.RESTOptionsGetter)
	found.add(schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}, apiServices, aggregatorscheme.Scheme)
	return found, nil
}

func (stores *stores) add(resource schema.GroupVersionResource, storage rest.Storage, scheme *runtime.Scheme) {
	if found := storeIn(reflect.ValueOf(storage), 4); found != nil {
		stores.known[resource] = store{found, scheme}
	}
}

// storeIn finds the generic store that a resource's storage is built around.
func storeIn(value reflect.Value, depth int) *registry.Store {
	for value.Kind() == reflect.Pointer || value.Kind() == reflect.Interface {
		if found, ok := safely(value).(*registry.Store); ok {
			return found
		}
		value = value.Elem()
	}
	if value.Kind() != reflect.Struct || depth == 0 {
		return nil
	}
	for index := range value.NumField() {
		if field := value.Type().Field(index); !field.Anonymous && !strings.EqualFold(field.Name, "store") {
			continue
		}
		if found := storeIn(value.Field(index), depth-1); found != nil {
			return found
		}
	}
	return nil
}

// safely is the value, even of a field that its package keeps to itself.
func safely(value reflect.Value) any {
	if !value.CanInterface() {
		if !value.CanAddr() {
			return nil
		}
		value = reflect.NewAt(value.Type(), unsafe.Pointer(value.UnsafeAddr())).Elem()
	}
	return value.Interface()
}

// describe adds to a resource what its storage does.
func (stores *stores) describe(resource *Resource) {
	name := schema.GroupVersionResource{Group: resource.Group, Version: resource.Version, Resource: resource.Plural}
	resource.OnByDefault = controlplane.DefaultAPIResourceConfigSource().ResourceEnabled(name) || name.Group == "apiextensions.k8s.io" || name.Group == "apiregistration.k8s.io"
	resource.Deprecation = deprecationOf(schema.GroupVersionKind{Group: resource.Group, Version: resource.Version, Kind: resource.Kind})
	store, known := stores.known[name]
	if !known || store.UpdateStrategy == nil {
		return // Reviews and bindings are answered, not kept.
	}
	kind := schema.GroupVersionKind{Group: resource.Group, Version: resource.Version, Kind: resource.Kind}
	resource.Storage = &Storage{
		UnconditionalUpdate: store.UpdateStrategy.AllowUnconditionalUpdate(caller()),
		CreateOnUpdate:      store.UpdateStrategy.AllowCreateOnUpdate(caller()),
		ReturnsDeleted:      store.ReturnDeletedObject,
		SelectableFields:    store.selectable(kind),
	}
	store.create(kind, resource)
}

// create sees what becomes of a new object before it is kept.
func (store store) create(kind schema.GroupVersionKind, resource *Resource) {
	created := store.prepared(kind, false)
	if created == nil {
		return
	}
	if accessor, err := meta.Accessor(created); err == nil {
		resource.Storage.Generation = accessor.GetGeneration() > 0
	}
	if status := statusOf(store.kept(kind, created)); status.IsValid() {
		if phase := status.FieldByName("Phase"); phase.IsValid() && phase.Kind() == reflect.String {
			resource.Storage.FirstPhase = phase.String()
		}
	}
	if with := store.prepared(kind, true); with != nil {
		if kept := statusOf(with); kept.IsValid() {
			resource.Storage.KeepsStatus = isMarked(kept)
		}
	}
}

// prepared is an otherwise empty object as the strategy leaves it, nil if the strategy cannot take one.
func (store store) prepared(kind schema.GroupVersionKind, marked bool) (object runtime.Object) {
	defer func() {
		if reason := recover(); reason != nil {
			fmt.Fprintf(os.Stderr, "facts: %s cannot be prepared: %v\n", kind, reason)
			object = nil
		}
	}()
	versioned, err := store.scheme.New(kind)
	if err != nil {
		return nil
	}
	// Strategies take a spec for granted where it is a pointer.
	fillPointers(reflect.ValueOf(versioned).Elem().FieldByName("Spec"))
	store.scheme.Default(versioned)
	object = store.NewFunc()
	if err := store.scheme.Convert(versioned, object, nil); err != nil {
		panic(err)
	}
	if status := statusOf(object); marked && status.IsValid() {
		mark(status)
	}
	store.CreateStrategy.PrepareForCreate(caller(), object)
	return object
}

// kept is an object as it is read back from where it is kept: with the defaults of its version.
func (store store) kept(kind schema.GroupVersionKind, object runtime.Object) runtime.Object {
	versioned, err := store.scheme.New(kind)
	if err != nil {
		return object
	}
	if err := store.scheme.Convert(object, versioned, nil); err != nil {
		return object
	}
	store.scheme.Default(versioned)
	return versioned
}

// caller is a request that nothing special is known of.
func caller() context.Context {
	return request.WithRequestInfo(request.WithNamespace(context.Background(), "default"), &request.RequestInfo{})
}

func fillPointers(spec reflect.Value) {
	if !spec.IsValid() || spec.Kind() != reflect.Struct {
		return
	}
	for index := range spec.NumField() {
		field := spec.Field(index)
		if field.Kind() == reflect.Pointer && field.Type().Elem().Kind() == reflect.Struct && field.CanSet() {
			field.Set(reflect.New(field.Type().Elem()))
		}
	}
}

// statusOf is the object's status; not valid if it has none.
func statusOf(object runtime.Object) reflect.Value {
	status := reflect.Indirect(reflect.ValueOf(object)).FieldByName("Status")
	if status.IsValid() {
		status = reflect.Indirect(status)
	}
	if !status.IsValid() || status.Kind() != reflect.Struct {
		return reflect.Value{}
	}
	return status
}

const marker = "marked"

// mark puts something recognisable into a status.
func mark(status reflect.Value) {
	if status.Kind() != reflect.Struct {
		return
	}
	for index := range status.NumField() {
		switch field := status.Field(index); {
		case field.Kind() == reflect.String:
			field.SetString(marker)
		case field.Kind() == reflect.Int32 || field.Kind() == reflect.Int64:
			field.SetInt(int64(len(marker)))
		case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct:
			element := reflect.New(field.Type().Elem()).Elem()
			mark(element)
			field.Set(reflect.Append(field, element))
		}
	}
}

func isMarked(status reflect.Value) bool {
	if status.Kind() != reflect.Struct {
		return false
	}
	for index := range status.NumField() {
		switch field := status.Field(index); {
		case field.Kind() == reflect.String && field.String() == marker:
			return true
		case (field.Kind() == reflect.Int32 || field.Kind() == reflect.Int64) && field.Int() == int64(len(marker)):
			return true
		case field.Kind() == reflect.Slice && field.Len() > 0 && isMarked(field.Index(0)):
			return true
		}
	}
	return false
}

// selectable are the fields besides name and namespace that a selector may name at this version.
func (store store) selectable(kind schema.GroupVersionKind) []string {
	if store.PredicateFunc == nil {
		return nil
	}
	predicate := store.PredicateFunc(labels.Everything(), fields.Everything())
	_, known, err := predicate.GetAttrs(store.NewFunc())
	if err != nil {
		return nil
	}
	candidates := map[string]bool{}
	for name := range known {
		candidates[name] = true
	}
	if versioned, err := store.scheme.New(kind); err == nil {
		paths(reflect.TypeOf(versioned).Elem(), "", 3, candidates)
	}
	var selectable []string
	for name := range candidates {
		inner, _, err := store.scheme.ConvertFieldLabel(kind, name, "")
		if _, exists := known[inner]; err == nil && exists && name != "metadata.name" && name != "metadata.namespace" {
			selectable = append(selectable, name)
		}
	}
	slices.Sort(selectable)
	return selectable
}

// paths are the names that fields of a type could have in a selector.
func paths(goType reflect.Type, prefix string, depth int, found map[string]bool) {
	for goType.Kind() == reflect.Pointer {
		goType = goType.Elem()
	}
	if goType.Kind() != reflect.Struct || depth == 0 {
		return
	}
	for index := range goType.NumField() {
		name, _ := tag(goType.Field(index), "json")
		if name == "" {
			paths(goType.Field(index).Type, prefix, depth-1, found)
			continue
		}
		found[prefix+name] = true
		paths(goType.Field(index).Type, prefix+name+".", depth-1, found)
	}
}
