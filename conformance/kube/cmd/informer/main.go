// Command informer prints what a client-go informer sees of the config maps of one namespace, line by line:
// `set NAME VALUE` for each that is added or changed (VALUE is its data under "k"), `gone NAME`, and once `synced`.
// Its cluster is the one that KUBECONFIG names; its only argument is the namespace. The end of its input ends it.
package main

import (
	"fmt"
	"io"
	"os"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "informer: one argument is needed: the namespace")
		os.Exit(2)
	}
	if err := run(os.Args[1]); err != nil {
		fmt.Fprintf(os.Stderr, "informer: %v\n", err)
		os.Exit(1)
	}
}

func run(namespace string) error {
	config, err := clientcmd.BuildConfigFromFlags("", os.Getenv("KUBECONFIG"))
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactoryWithOptions(client, 0, informers.WithNamespace(namespace))
	informer := factory.Core().V1().ConfigMaps().Informer()
	if _, err := informer.AddEventHandler(printer()); err != nil {
		return err
	}
	stop := make(chan struct{})
	factory.Start(stop)
	if !cache.WaitForCacheSync(stop, informer.HasSynced) {
		return fmt.Errorf("the informer did not sync")
	}
	say("synced")
	_, err = io.Copy(io.Discard, os.Stdin)
	close(stop)
	return err
}

func printer() cache.ResourceEventHandler {
	set := func(object any) {
		if configMap, ok := object.(*corev1.ConfigMap); ok {
			say("set %s %s", configMap.Name, configMap.Data["k"])
		}
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    set,
		UpdateFunc: func(_, object any) { set(object) },
		DeleteFunc: func(object any) {
			if last, ok := object.(cache.DeletedFinalStateUnknown); ok {
				object = last.Obj
			}
			if configMap, ok := object.(*corev1.ConfigMap); ok {
				say("gone %s", configMap.Name)
			}
		},
	}
}

var speaking sync.Mutex

func say(format string, values ...any) {
	speaking.Lock()
	defer speaking.Unlock()
	fmt.Printf(format+"\n", values...)
}
