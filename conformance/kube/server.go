package main

import (
	"crypto/tls"
	"fmt"
	"net"
	"net/http"
	"strconv"
	"time"

	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// Server is kube-apiserver, running in this process.
type Server struct {
	port   int
	failed chan error
}

func newServer() *Server {
	return &Server{port: freePort(), failed: make(chan error, 1)}
}

// Start runs it as its own command does.
func (server *Server) Start(arguments []string) {
	command := app.NewAPIServerCommand()
	command.SetArgs(arguments)
	go func() { server.failed <- command.Execute() }()
}

// Arguments are those of its command line.
func (server *Server) Arguments(options Options, etcd string, identity *Identity) []string {
	arguments := []string{
		"--etcd-servers=" + etcd,
		"--bind-address=127.0.0.1",
		"--advertise-address=127.0.0.1",
		"--secure-port=" + strconv.Itoa(server.port),
		"--tls-cert-file=" + identity.CertificateFile,
		"--tls-private-key-file=" + identity.KeyFile,
		"--client-ca-file=" + identity.AuthorityFile,
		"--token-auth-file=" + identity.TokenFile,
		"--authorization-mode=RBAC",
		"--service-account-issuer=https://kubernetes.default.svc",
		"--service-account-key-file=" + identity.AccountKeyFile,
		"--service-account-signing-key-file=" + identity.AccountKeyFile,
		"--service-cluster-ip-range=10.0.0.0/24",
		"--endpoint-reconciler-type=none",
		// Without its controller the account would never be made that a pod asks for.
		"--disable-admission-plugins=" + admissionOff(options),
		// As in every cluster that kubeadm makes.
		"--allow-privileged=true",
		"--watch-cache=" + strconv.FormatBool(options.WatchCache),
		"--v=0",
	}
	if options.EveryVersion {
		arguments = append(arguments, "--runtime-config=api/all=true")
	}
	return arguments
}

func admissionOff(options Options) string {
	if options.Controllers {
		return ""
	}
	return "ServiceAccount"
}

// Address is where clients reach it.
func (server *Server) Address() string {
	return fmt.Sprintf("https://127.0.0.1:%d", server.port)
}

// WaitUntilReady returns once the server answers, or says why it does not.
func (server *Server) WaitUntilReady(patience time.Duration) error {
	// Whose certificate it is does not matter to a question that carries no secret.
	client := http.Client{Timeout: time.Second, Transport: &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}}}
	deadline := time.After(patience)
	for {
		select {
		case err := <-server.failed:
			return fmt.Errorf("ended before it was ready: %w", err)
		case <-deadline:
			return fmt.Errorf("not ready within %s", patience)
		case <-time.After(50 * time.Millisecond):
			answer, err := client.Get(server.Address() + "/readyz")
			if err != nil {
				continue
			}
			answer.Body.Close()
			// Anonymous callers may ask; anything but a failure means that it serves.
			if answer.StatusCode == http.StatusOK {
				return nil
			}
		}
	}
}

func freePort() int {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return 0
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}
