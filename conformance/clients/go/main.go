// Command session does what users of client-go do, on the cluster of KUBECONFIG, and prints a line for each thing it sees,
// without what differs by chance. It plays in the namespace `session-go`, which is removed at the end.
package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	core "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/errors"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	apps "k8s.io/client-go/applyconfigurations/apps/v1"
	corev1 "k8s.io/client-go/applyconfigurations/core/v1"
	metav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/client-go/tools/leaderelection"
	"k8s.io/client-go/tools/leaderelection/resourcelock"
	"k8s.io/client-go/tools/pager"
	"k8s.io/client-go/util/retry"
)

const namespace = "session-go"

func main() {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	must(err)
	config.QPS, config.Burst = 1000, 1000
	client := kubernetes.NewForConfigOrDie(config)
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	_, err = client.CoreV1().Namespaces().Create(ctx, &core.Namespace{ObjectMeta: meta.ObjectMeta{Name: namespace}}, meta.CreateOptions{})
	must(err)
	configMaps(ctx, client)
	informed(ctx, client)
	applied(ctx, client)
	paged(ctx, client)
	mapped(client)
	untyped(ctx, config)
	elected(ctx, client)
	must(client.CoreV1().Namespaces().Delete(ctx, namespace, meta.DeleteOptions{}))
	must(wait.PollUntilContextCancel(ctx, 100*time.Millisecond, true, func(ctx context.Context) (bool, error) {
		_, err := client.CoreV1().Namespaces().Get(ctx, namespace, meta.GetOptions{})
		return errors.IsNotFound(err), nil
	}))
	fmt.Println("the namespace is gone")
}

// configMaps are written with conflicts, retries, preconditions and dry runs.
func configMaps(ctx context.Context, client kubernetes.Interface) {
	maps := client.CoreV1().ConfigMaps(namespace)
	made, err := maps.Create(ctx, &core.ConfigMap{ObjectMeta: meta.ObjectMeta{GenerateName: "made-"}, Data: map[string]string{"k": "1"}}, meta.CreateOptions{})
	must(err)
	fmt.Println("generated", strings.HasPrefix(made.Name, "made-"), len(made.Name), made.Data)
	old := made.DeepCopy()
	made.Data["k"] = "2"
	made, err = maps.Update(ctx, made, meta.UpdateOptions{FieldManager: "session"})
	must(err)
	old.Data["k"] = "3"
	_, err = maps.Update(ctx, old, meta.UpdateOptions{})
	fmt.Println("a stale update is a conflict:", errors.IsConflict(err), strings.ReplaceAll(fmt.Sprint(err), made.Name, "NAME"))
	err = retry.RetryOnConflict(retry.DefaultRetry, func() error {
		fresh, err := maps.Get(ctx, made.Name, meta.GetOptions{})
		if err != nil {
			return err
		}
		fresh.Data["k"] = "4"
		_, err = maps.Update(ctx, fresh, meta.UpdateOptions{})
		return err
	})
	fmt.Println("retried on conflict:", err)
	uid := types.UID("11111111-2222-3333-4444-555555555555")
	err = maps.Delete(ctx, made.Name, meta.DeleteOptions{Preconditions: &meta.Preconditions{UID: &uid}})
	fmt.Println("another uid is a conflict:", errors.IsConflict(err))
	_, err = maps.Create(ctx, &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: "Not A Name"}}, meta.CreateOptions{})
	fmt.Println("a name that is none:", errors.IsInvalid(err), err)
	_, err = maps.Patch(ctx, made.Name, types.MergePatchType, []byte(`{"data": 5}`), meta.PatchOptions{})
	fmt.Println("a patch of another type:", errors.IsBadRequest(err), errors.IsInvalid(err), errors.IsInternalError(err))
	must(maps.Delete(ctx, made.Name, meta.DeleteOptions{}))
	_, err = maps.Get(ctx, made.Name, meta.GetOptions{})
	fmt.Println("what was deleted is not found:", errors.IsNotFound(err))
}

// informed is what the handlers of a shared informer are told, and what its lister and its index have.
func informed(ctx context.Context, client kubernetes.Interface) {
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace),
		informers.WithTweakListOptions(func(options *meta.ListOptions) { options.LabelSelector = "of=informer" }))
	secrets := factory.Core().V1().Secrets()
	var lock sync.Mutex
	var told []string
	tell := func(what string, object any) {
		lock.Lock()
		defer lock.Unlock()
		if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			object = gone.Obj
		}
		secret := object.(*core.Secret)
		told = append(told, fmt.Sprintf("%s %s %s", what, secret.Name, secret.Data["k"]))
	}
	_, err := secrets.Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell("added", object) },
		UpdateFunc: func(_, object any) { tell("updated", object) },
		DeleteFunc: func(object any) { tell("deleted", object) },
	})
	must(err)
	must(secrets.Informer().AddIndexers(cache.Indexers{"value": func(object any) ([]string, error) {
		return []string{string(object.(*core.Secret).Data["k"])}, nil
	}}))
	api := client.CoreV1().Secrets(namespace)
	create := func(name, value string) {
		labels := map[string]string{"of": "informer"}
		_, err := api.Create(ctx, &core.Secret{ObjectMeta: meta.ObjectMeta{Name: name, Labels: labels}, StringData: map[string]string{"k": value}}, meta.CreateOptions{})
		must(err)
	}
	create("before", "1")
	factory.Start(ctx.Done())
	for kind, synced := range factory.WaitForCacheSync(ctx.Done()) {
		fmt.Println("synced", kind, synced)
	}
	create("after", "2")
	_, err = api.Patch(ctx, "after", types.StrategicMergePatchType, []byte(`{"stringData": {"k": "3"}}`), meta.PatchOptions{})
	must(err)
	_, err = api.Patch(ctx, "before", types.JSONPatchType, []byte(`[{"op": "remove", "path": "/metadata/labels/of"}]`), meta.PatchOptions{})
	must(err)
	must(api.Delete(ctx, "after", meta.DeleteOptions{}))
	must(wait.PollUntilContextCancel(ctx, 20*time.Millisecond, true, func(context.Context) (bool, error) {
		lock.Lock()
		defer lock.Unlock()
		return len(told) >= 5, nil
	}))
	fmt.Println("told:", strings.Join(told, "; "))
	left, err := secrets.Lister().Secrets(namespace).Get("after")
	fmt.Println("the lister has forgotten:", left, errors.IsNotFound(err))
	found, err := secrets.Informer().GetIndexer().ByIndex("value", "3")
	fmt.Println("the index too:", len(found), err)
}

// applied is server-side apply with typed configurations, and who owns what.
func applied(ctx context.Context, client kubernetes.Interface) {
	api := client.AppsV1().Deployments(namespace)
	configuration := func(image string, replicas int32) *apps.DeploymentApplyConfiguration {
		labels := map[string]string{"app": "web"}
		return apps.Deployment("web", namespace).WithSpec(apps.DeploymentSpec().WithReplicas(replicas).
			WithSelector(metav1.LabelSelector().WithMatchLabels(labels)).
			WithTemplate(corev1.PodTemplateSpec().WithLabels(labels).WithSpec(corev1.PodSpec().
				WithContainers(corev1.Container().WithName("main").WithImage(image)))))
	}
	made, err := api.Apply(ctx, configuration("nginx:1", 2), meta.ApplyOptions{FieldManager: "one"})
	must(err)
	fmt.Println("applied", *made.Spec.Replicas, made.Spec.Template.Spec.Containers[0].Image, made.Generation)
	_, err = api.Apply(ctx, configuration("nginx:2", 3), meta.ApplyOptions{FieldManager: "two"})
	fmt.Println("another manager:", errors.IsConflict(err), err)
	made, err = api.Apply(ctx, configuration("nginx:2", 3), meta.ApplyOptions{FieldManager: "two", Force: true})
	must(err)
	fmt.Println("by force", *made.Spec.Replicas, made.Spec.Template.Spec.Containers[0].Image, made.Generation)
	own, err := apps.ExtractDeployment(made, "one")
	must(err)
	fmt.Println("what the first still owns:", own.Spec.Replicas == nil, *own.Spec.Template.Spec.Containers[0].Name)
	scale, err := api.GetScale(ctx, "web", meta.GetOptions{})
	must(err)
	fmt.Println("scale", scale.Spec.Replicas, scale.Status.Selector)
}

// paged is a long list in pages.
func paged(ctx context.Context, client kubernetes.Interface) {
	maps := client.CoreV1().ConfigMaps(namespace)
	for number := range 7 {
		_, err := maps.Create(ctx, &core.ConfigMap{ObjectMeta: meta.ObjectMeta{Name: fmt.Sprintf("page-%d", number)}}, meta.CreateOptions{})
		must(err)
	}
	requests, names := 0, []string{}
	pages := pager.New(func(ctx context.Context, options meta.ListOptions) (runtime.Object, error) {
		requests++
		options.FieldSelector = "metadata.name!=kube-root-ca.crt"
		return maps.List(ctx, options)
	})
	pages.PageSize = 3
	must(pages.EachListItem(ctx, meta.ListOptions{}, func(object runtime.Object) error {
		names = append(names, object.(*core.ConfigMap).Name)
		return nil
	}))
	fmt.Println("paged", requests, names)
}

// mapped is what discovery makes of names.
func mapped(client kubernetes.Interface) {
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(client.Discovery()))
	for _, kind := range []schema.GroupKind{{Group: "apps", Kind: "Deployment"}, {Kind: "Node"}, {Group: "batch", Kind: "CronJob"}, {Group: "x", Kind: "Y"}} {
		mapping, err := mapper.RESTMapping(kind)
		if err != nil {
			fmt.Println("mapped", kind, err)
			continue
		}
		fmt.Println("mapped", kind, mapping.Resource, mapping.Scope.Name())
	}
	resources, err := client.Discovery().ServerResourcesForGroupVersion("v1")
	must(err)
	var names []string
	for _, resource := range resources.APIResources {
		names = append(names, resource.Name+resource.Verbs.String())
	}
	slices.Sort(names)
	fmt.Println("core:", strings.Join(names, " "))
}

// untyped is the dynamic client.
func untyped(ctx context.Context, config *rest.Config) {
	client := dynamic.NewForConfigOrDie(config)
	roles := client.Resource(schema.GroupVersionResource{Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"}).Namespace(namespace)
	role := &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "metadata": map[string]any{"name": "reader"},
		"rules": []any{map[string]any{"apiGroups": []any{""}, "resources": []any{"pods"}, "verbs": []any{"get"}}},
	}}
	watcher, err := roles.Watch(ctx, meta.ListOptions{})
	must(err)
	_, err = roles.Create(ctx, role, meta.CreateOptions{})
	must(err)
	event := <-watcher.ResultChan()
	watcher.Stop()
	fmt.Println("watched", event.Type, event.Object.(*unstructured.Unstructured).GetName())
	list, err := roles.List(ctx, meta.ListOptions{})
	must(err)
	fmt.Println("listed", len(list.Items), list.GetKind(), list.Items[0].Object["rules"])
	_, err = client.Resource(schema.GroupVersionResource{Group: "x.example", Version: "v1", Resource: "ys"}).List(ctx, meta.ListOptions{})
	fmt.Println("a kind that is not there:", errors.IsNotFound(err), err)
}

// elected is a leader that is chosen and gives its lease up.
func elected(ctx context.Context, client kubernetes.Interface) {
	lock := &resourcelock.LeaseLock{
		LeaseMeta: meta.ObjectMeta{Name: "leader", Namespace: namespace}, Client: client.CoordinationV1(),
		LockConfig: resourcelock.ResourceLockConfig{Identity: "me"},
	}
	leading, cancel := context.WithCancel(ctx)
	leaderelection.RunOrDie(leading, leaderelection.LeaderElectionConfig{
		Lock: lock, LeaseDuration: 5 * time.Second, RenewDeadline: 3 * time.Second, RetryPeriod: time.Second, ReleaseOnCancel: true,
		Callbacks: leaderelection.LeaderCallbacks{
			OnStartedLeading: func(context.Context) { fmt.Println("leading"); cancel() },
			OnStoppedLeading: func() { fmt.Println("not leading any more") },
		},
	})
	lease, err := client.CoordinationV1().Leases(namespace).Get(ctx, "leader", meta.GetOptions{})
	must(err)
	fmt.Printf("the lease: %q %d\n", *lease.Spec.HolderIdentity, *lease.Spec.LeaseDurationSeconds)
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "session:", err)
		os.Exit(1)
	}
}
