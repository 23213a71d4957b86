package main

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/util/workqueue"
)

// walkController runs an informer, a work queue and one worker, which looks at the name of each pod.
func walkController(client kubernetes.Interface, history *history, count int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	factory := informers.NewSharedInformerFactory(client, 0)
	informer, lister := factory.Core().V1().Pods().Informer(), factory.Core().V1().Pods().Lister()
	queue := workqueue.NewTypedRateLimitingQueue(workqueue.DefaultTypedControllerRateLimiter[cache.ObjectName]())
	defer queue.ShutDown()
	enqueue := func(object any) {
		if name, err := cache.ObjectToName(object); err == nil {
			queue.Add(name)
		}
	}
	_, err := informer.AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc:    enqueue,
		UpdateFunc: func(_, object any) { enqueue(object) },
		DeleteFunc: enqueue,
	})
	if err != nil {
		return err
	}
	meter, err := startMeter(count)
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("the informer never synced")
	}
	synced := now()
	reconciled := make(chan struct{}, count)
	go func() {
		for {
			name, isDown := queue.Get()
			if isDown {
				return
			}
			pod, err := lister.Pods(name.Namespace).Get(name.Name)
			if err != nil || pod.Name == "" {
				fail(fmt.Errorf("%s is not in the store: %w", name, err))
			}
			queue.Forget(name)
			queue.Done(name)
			reconciled <- struct{}{}
		}
	}()
	await := func() {
		for range count {
			<-reconciled
		}
	}
	await()
	meter.reached("wall", now())
	rested := atRest()
	meter.reached("start", synced)
	meter.spentTogether("sync-and-reconcile", rested)
	meter.spent("sync", synced)
	meter.spent("first-reconcile", rested)
	return history.walk(meter, await)
}

// walkReflector runs a reflector with a store that counts what comes.
func walkReflector(client kubernetes.Interface, history *history, count int) error {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	store := &countingStore{Store: cache.NewStore(cache.MetaNamespaceKeyFunc), came: make(chan int, count)}
	pods := cache.NewListWatchFromClient(client.CoreV1().RESTClient(), "pods", corev1.NamespaceAll, fields.Everything())
	meter, err := startMeter(count)
	if err != nil {
		return err
	}
	go cache.NewReflector(pods, &corev1.Pod{}, store, 0).RunWithContext(ctx)
	await := func() {
		for left := count; left > 0; {
			left -= <-store.came
		}
	}
	await()
	meter.reached("wall", now())
	meter.spent("sync", atRest())
	err = history.walk(meter, await)
	if held := len(store.List()); err == nil && held != count {
		return fmt.Errorf("%d of %d pods are held", held, count)
	}
	return err
}

// history is what happens after the first list, if anything does.
type history struct {
	cluster *cluster
	isWhole bool
}

// walk walks the second and third part of the history.
func (h *history) walk(meter *meter, await func()) error {
	if err := meter.heldAtMost("sync-peak"); err != nil {
		return err
	}
	if err := meter.holds("memory"); err != nil {
		return err
	}
	if !h.isWhole {
		return nil
	}
	cluster := h.cluster
	for _, step := range []func() error{cluster.awaitWatch, cluster.changeAll} {
		if err := step(); err != nil {
			return err
		}
	}
	meter.restart()
	if err := cluster.sendChanges(); err != nil {
		return err
	}
	await()
	meter.spent("event", atRest())

	for _, step := range []func() error{cluster.changeAll, forgetPeak} {
		if err := step(); err != nil {
			return err
		}
	}
	meter.restart()
	if err := cluster.expireWatch(); err != nil {
		return err
	}
	await()
	meter.spent("relist", atRest())
	return meter.heldAtMost("relist-peak")
}

// countingStore says how many objects came, and looks at the name of each.
type countingStore struct {
	cache.Store
	came chan int
}

func (s *countingStore) look(object any) {
	if object.(*corev1.Pod).Name == "" {
		fail(fmt.Errorf("a pod without a name"))
	}
}

func (s *countingStore) Add(object any) error {
	s.look(object)
	defer func() { s.came <- 1 }()
	return s.Store.Add(object)
}

func (s *countingStore) Update(object any) error {
	s.look(object)
	defer func() { s.came <- 1 }()
	return s.Store.Update(object)
}

func (s *countingStore) Replace(objects []any, version string) error {
	for _, object := range objects {
		s.look(object)
	}
	defer func() { s.came <- len(objects) }()
	return s.Store.Replace(objects, version)
}
