package main

import (
	"context"
	"fmt"
	"os"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// runMinimal runs an informer, a work queue and one worker, on the cluster of KUBECONFIG. It returns only with an error.
func runMinimal() error {
	client, err := connect("kubeconfig="+os.Getenv("KUBECONFIG"), "protobuf")
	if err != nil {
		return err
	}
	factory := informers.NewSharedInformerFactory(client, 0)
	informer, lister := factory.Core().V1().Pods().Informer(), factory.Core().V1().Pods().Lister()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
	enqueue := func(object any) {
		if name, err := cache.ObjectToName(object); err == nil {
			queue.Add(name)
		}
	}
	_, err = informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, object any) { enqueue(object) },
		DeleteFunc: enqueue,
	})
	if err != nil {
		return err
	}
	ctx := context.Background()
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("the informer never synced")
	}
	for isFirst := true; ; isFirst = false {
		name, isDown := queue.Get()
		if isDown {
			return fmt.Errorf("the queue ended")
		}
		if _, err := lister.Pods(name.Namespace).Get(name.Name); err != nil {
			return err
		}
		if isFirst {
			fmt.Println("reconciled")
		}
		queue.Forget(name)
		queue.Done(name)
	}
}
