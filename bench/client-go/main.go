// The roads of bench, walked by client-go: an informer with a work queue ("controller"), and a reflector with a store
// ("reflector").
//
// In: a road, an encoding, how many pods there are and where they are served: an address of the bench, or kubeconfig=FILE of a
// real server. Out: figures, a line each, under the names that the other sides have. Each walks the same history: the first list,
// a change of every pod on the watch, and a list in which every pod has changed once more; with --list-only the first list.
//
// "minimal" alone is the smallest controller: it prints a line when it reconciles for the first time.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

func main() {
	arguments := os.Args[1:]
	if len(arguments) == 1 && arguments[0] == "minimal" {
		fail(runMinimal())
	}
	isWhole := true
	if len(arguments) == 5 && arguments[4] == "--list-only" {
		arguments, isWhole = arguments[:4], false
	}
	if len(arguments) != 4 {
		fail(fmt.Errorf("usage: client-go controller|reflector json|protobuf PODS ADDRESS|kubeconfig=FILE [--list-only]"))
	}
	road, encoding, address := arguments[0], arguments[1], arguments[3]
	pods, err := strconv.Atoi(arguments[2])
	if err != nil {
		fail(err)
	}
	client, err := connect(address, encoding)
	if err != nil {
		fail(err)
	}
	history := &history{cluster: &cluster{address: address}, isWhole: isWhole}
	switch road {
	case "controller":
		err = walkController(client, history, pods)
	case "reflector":
		err = walkReflector(client, history, pods)
	default:
		err = fmt.Errorf("%q is not a road that client-go has", road)
	}
	if err != nil {
		fail(err)
	}
}

// connect makes a client without a limit on requests: none of the sides waits for one.
func connect(address, encoding string) (kubernetes.Interface, error) {
	config := &rest.Config{Host: "http://" + address}
	if file, isFile := strings.CutPrefix(address, "kubeconfig="); isFile {
		var err error
		if config, err = clientcmd.BuildConfigFromFlags("", file); err != nil {
			return nil, err
		}
	}
	config.QPS = -1
	// Left to itself, one part of the client asks for protobuf and another for JSON.
	contentType := runtime.ContentTypeJSON
	if encoding == "protobuf" {
		contentType = runtime.ContentTypeProtobuf
	}
	config.ContentType, config.AcceptContentTypes = contentType, contentType
	return kubernetes.NewForConfig(config)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "client-go:", err)
	os.Exit(1)
}
