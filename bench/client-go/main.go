// The roads of bench, walked by client-go: an informer with a work queue ("controller"), and a reflector with a store
// ("reflector").
//
// In: a road, an encoding, how many pods there are and where the bench serves them. Out: figures, a line each, under the names that
// the other sides have. Each walks the same history: the first list, a change of every pod on the watch, and a list in which
// every pod has changed once more.
package main

import (
	"fmt"
	"os"
	"strconv"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
)

func main() {
	if len(os.Args) != 5 {
		fail(fmt.Errorf("usage: client-go controller|reflector json|protobuf PODS ADDRESS"))
	}
	road, encoding, address := os.Args[1], os.Args[2], os.Args[4]
	pods, err := strconv.Atoi(os.Args[3])
	if err != nil {
		fail(err)
	}
	// Without a limit on requests: none of the sides waits for one.
	config := &rest.Config{Host: "http://" + address, QPS: -1}
	if encoding == "protobuf" {
		config.ContentType = runtime.ContentTypeProtobuf
		config.AcceptContentTypes = runtime.ContentTypeProtobuf
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		fail(err)
	}
	cluster := &cluster{address: address}
	switch road {
	case "controller":
		err = walkController(client, cluster, pods)
	case "reflector":
		err = walkReflector(client, cluster, pods)
	default:
		err = fmt.Errorf("%q is not a road that client-go has", road)
	}
	if err != nil {
		fail(err)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "client-go:", err)
	os.Exit(1)
}
