// Command kubelet serves exec, attach and port-forward with Kubernetes' own code: what a kubelet streams with, and what a
// kube-apiserver puts before it. Nothing runs behind it but the few commands and ports that the kubelet-like server of our
// tests has too, so that a test can check that one client receives the same from both.
//
//	kubelet
//
// It prints its address in a line and ends with its input. Of pod "new" processes are reached as through an API server of
// today, which speaks version 5 of the channel protocol and translates it for the kubelet; of pod "old" as through one
// that hands on version 4. Ports are the kubelet's own affair in both.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"time"

	"k8s.io/apiserver/pkg/util/proxy"
	"k8s.io/cri-streaming/pkg/streaming/portforward"
	"k8s.io/cri-streaming/pkg/streaming/remotecommand"
	utilexec "k8s.io/utils/exec"
)

// patience is how long anything may be silent here.
const patience = time.Minute

func main() {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	address := listener.Addr().String()
	fmt.Println(address)
	server := http.NewServeMux()
	for _, part := range []string{"exec", "attach"} {
		server.HandleFunc("/api/v1/namespaces/ns/pods/new/"+part, translated(address, part))
		server.HandleFunc("/api/v1/namespaces/ns/pods/old/"+part, process)
		server.HandleFunc("/"+part, process)
	}
	server.HandleFunc("/api/v1/namespaces/ns/pods/{pod}/portforward", ports)
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin)
		os.Exit(0)
	}()
	fmt.Fprintln(os.Stderr, http.Serve(listener, server))
}

// asked is what an API server makes of the words of its clients before it asks a kubelet.
func asked(query url.Values) url.Values {
	words := map[string]string{"stdin": "input", "stdout": "output", "stderr": "error", "tty": "tty"}
	said := url.Values{"command": query["command"]}
	for ours, theirs := range words {
		if query.Get(ours) == "true" {
			said.Set(theirs, "1")
		}
	}
	return said
}

// translated speaks WebSocket with the client and SPDY with the kubelet, which is this program as well.
func translated(address, part string) http.HandlerFunc {
	return func(w http.ResponseWriter, req *http.Request) {
		said := asked(req.URL.Query())
		location := &url.URL{Scheme: "http", Host: address, Path: "/" + part, RawQuery: said.Encode()}
		options := proxy.Options{
			Stdin: said.Has("input"), Stdout: said.Has("output"), Stderr: said.Has("error"), Tty: said.Has("tty"),
		}
		proxy.NewStreamTranslatorHandler(location, nil, 0, options).ServeHTTP(w, req)
	}
}

// process is the kubelet's side of exec and attach.
func process(w http.ResponseWriter, req *http.Request) {
	if !strings.HasPrefix(req.URL.Path, "/exec") && !strings.HasPrefix(req.URL.Path, "/attach") {
		req.URL.RawQuery = asked(req.URL.Query()).Encode()
	}
	options, err := remotecommand.NewOptions(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	protocols := remotecommand.SupportedStreamingProtocols
	if strings.HasSuffix(req.URL.Path, "/attach") {
		remotecommand.ServeAttach(w, req, commands{}, "", "", "c", options, patience, patience, protocols)
		return
	}
	command := req.URL.Query()["command"]
	remotecommand.ServeExec(w, req, commands{}, "", "", "c", command, options, patience, patience, protocols)
}

// commands are what runs in every container.
type commands struct{}

func (commands) ExecInContainer(
	_ context.Context, _, _, _ string, command []string, in io.Reader, out, problems io.WriteCloser, _ bool,
	resize <-chan remotecommand.TerminalSize, _ time.Duration,
) error {
	switch command[0] {
	case "echo":
		_, err := io.WriteString(out, strings.Join(command[1:], " "))
		return err
	case "fail":
		code, err := strconv.Atoi(command[1])
		if err != nil {
			return err
		}
		if _, err := io.WriteString(problems, "it does not work"); err != nil {
			return err
		}
		return utilexec.CodeExitError{Err: errors.New("it failed"), Code: code}
	case "flood":
		pieces, err := strconv.Atoi(command[1])
		for ; err == nil && pieces > 0; pieces-- {
			_, err = out.Write(bytes.Repeat([]byte("x"), 1000))
		}
		return err
	case "cat":
		_, err := io.Copy(out, in)
		return err
	case "size":
		size, err := json.Marshal(<-resize)
		if err != nil {
			return err
		}
		_, err = out.Write(size)
		return err
	}
	return fmt.Errorf("%s: command not found", command[0])
}

func (commands) AttachContainer(
	_ context.Context, _, _, _ string, in io.Reader, out, _ io.WriteCloser, _ bool, _ <-chan remotecommand.TerminalSize,
) error {
	_, err := io.Copy(out, in)
	return err
}

// ports is the kubelet's port-forward. An API server hands each port on by itself.
func ports(w http.ResponseWriter, req *http.Request) {
	req.URL.RawQuery = url.Values{"port": strings.Split(req.URL.Query().Get("ports"), ",")}.Encode()
	options, err := portforward.NewV4Options(req)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	portforward.ServePortForward(w, req, listeners{}, req.PathValue("pod"), "", options, patience, patience, nil)
}

// listeners are what listens in every pod: no process on port 1, one who greets and hangs up on port 2, and on all others one
// who answers in capitals.
type listeners struct{}

func (listeners) PortForward(_ context.Context, _, _ string, port int32, stream io.ReadWriteCloser) error {
	switch port {
	case 1:
		return errors.New("no process listens on port 1")
	case 2:
		_, err := io.WriteString(stream, "hello")
		return err
	}
	buffer := make([]byte, 32*1024)
	for {
		count, err := stream.Read(buffer)
		if _, failed := stream.Write(bytes.ToUpper(buffer[:count])); failed != nil || err != nil {
			return errors.Join(failed, ignoringEnd(err))
		}
	}
}

func ignoringEnd(err error) error {
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}
