// Command streams asks a server for exec, attach and logs with client-go's own client, and compares what it gets with
// what such a server must say. It checks the kubelet-like server of our tests: what passes here is a server that
// client-go understands, so a client that passes there speaks as client-go does.
//
//	streams http://127.0.0.1:PORT
//
// Port-forward is left out: client-go tunnels SPDY, and the channel protocol that kube speaks is not among its words. Its
// other side is in Kubernetes, though: see cmd/kubelet.
package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/remotecommand"
	"k8s.io/client-go/util/exec"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: streams http://ADDRESS")
		os.Exit(2)
	}
	checks := []struct {
		name string
		run  func(address string) error
	}{
		{"a command prints what it is given", echo},
		{"a command that fails returns its code", fail},
		{"input comes back until it ends", cat},
		{"a terminal reports its size", size},
		{"a process is attached to", attach},
		{"a pod that is not there is refused", absent},
		{"a log is read", logs},
	}
	failed := 0
	for _, check := range checks {
		if err := check.run(os.Args[1]); err != nil {
			failed++
			fmt.Printf("FAILED %s: %v\n", check.name, err)
			continue
		}
		fmt.Printf("ok %s\n", check.name)
	}
	fmt.Printf("%d checks by client-go, %d failed\n", len(checks), failed)
	if failed > 0 {
		os.Exit(1)
	}
}

// stream runs a command, or attaches where there is none, with a minute to end.
func stream(address, pod string, command []string, options remotecommand.StreamOptions) error {
	part := "attach"
	query := url.Values{}
	if command != nil {
		part = "exec"
		query["command"] = command
	}
	for word, isAsked := range map[string]bool{
		"stdin": options.Stdin != nil, "stdout": options.Stdout != nil, "stderr": options.Stderr != nil, "tty": options.Tty,
	} {
		if isAsked {
			query.Set(word, "true")
		}
	}
	target := fmt.Sprintf("%s/api/v1/namespaces/ns/pods/%s/%s?%s", address, pod, part, query.Encode())
	executor, err := remotecommand.NewWebSocketExecutor(&rest.Config{Host: address}, "GET", target)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	return executor.StreamWithContext(ctx, options)
}

func expect(heard, wanted string) error {
	if heard != wanted {
		return fmt.Errorf("got %q, wanted %q", heard, wanted)
	}
	return nil
}

func echo(address string) error {
	var out, problems bytes.Buffer
	options := remotecommand.StreamOptions{Stdout: &out, Stderr: &problems}
	if err := stream(address, "new", []string{"echo", "hello", "world"}, options); err != nil {
		return err
	}
	return errors.Join(expect(out.String(), "hello world"), expect(problems.String(), ""))
}

func fail(address string) error {
	var out, problems bytes.Buffer
	err := stream(address, "new", []string{"fail", "3"}, remotecommand.StreamOptions{Stdout: &out, Stderr: &problems})
	var exit exec.CodeExitError
	if !errors.As(err, &exit) || exit.Code != 3 {
		return fmt.Errorf("wanted exit code 3, got %v", err)
	}
	return expect(problems.String(), "it does not work")
}

func cat(address string) error {
	var out bytes.Buffer
	options := remotecommand.StreamOptions{Stdin: strings.NewReader("there and back"), Stdout: &out}
	if err := stream(address, "new", []string{"cat"}, options); err != nil {
		return err
	}
	return expect(out.String(), "there and back")
}

// once is a terminal whose size is reported once.
type once struct{ isTold bool }

func (o *once) Next() *remotecommand.TerminalSize {
	if o.isTold {
		return nil
	}
	o.isTold = true
	return &remotecommand.TerminalSize{Width: 80, Height: 24}
}

func size(address string) error {
	var out bytes.Buffer
	options := remotecommand.StreamOptions{Stdout: &out, Tty: true, TerminalSizeQueue: &once{}}
	if err := stream(address, "new", []string{"size"}, options); err != nil {
		return err
	}
	return expect(strings.TrimSpace(out.String()), `{"Width":80,"Height":24}`)
}

func attach(address string) error {
	var out bytes.Buffer
	options := remotecommand.StreamOptions{Stdin: strings.NewReader("hello"), Stdout: &out}
	if err := stream(address, "new", nil, options); err != nil {
		return err
	}
	return expect(out.String(), "hello")
}

func absent(address string) error {
	err := stream(address, "none", []string{"echo"}, remotecommand.StreamOptions{Stdout: io.Discard})
	if err == nil {
		return errors.New("it was not refused")
	}
	return nil
}

func logs(address string) error {
	client, err := kubernetes.NewForConfig(&rest.Config{Host: address})
	if err != nil {
		return err
	}
	lines := int64(2)
	options := &corev1.PodLogOptions{TailLines: &lines}
	log, err := client.CoreV1().Pods("ns").GetLogs("new", options).DoRaw(context.Background())
	if err != nil {
		return err
	}
	return expect(string(log), "two\nthree\n")
}
