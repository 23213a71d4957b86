package main

import (
	"fmt"
	"os"
	"strings"

	"github.com/spf13/cobra"
	logs "k8s.io/component-base/logs/api/v1"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

// Controllers are those of kube-controller-manager that a controller's tests can see.
type Controllers struct {
	command *cobra.Command
}

// newControllers comes before the server is started: up to 1.34 their command changes defaults of features that both share,
// which is refused once the server's command has made flags of them.
func newControllers() *Controllers {
	return &Controllers{manager.NewControllerManagerCommand()}
}

// Start runs them, against the server of kubeconfig; with workloads, those too that make pods, endpoints and certificates.
func (controllers *Controllers) Start(kubeconfig string, identity *Identity, workloads bool) {
	names := ofObjects
	if workloads {
		names = append(names, ofWorkloads...)
	}
	// The server in this process has set up logging already, in the same way.
	logs.ReapplyHandling = logs.ReapplyHandlingIgnoreUnchanged
	controllers.command.SetArgs([]string{
		"--kubeconfig=" + kubeconfig,
		"--leader-elect=false",
		"--secure-port=0",
		"--controllers=" + strings.Join(names, ","),
		"--root-ca-file=" + identity.AuthorityFile,
		"--service-account-private-key-file=" + identity.AccountKeyFile,
		"--use-service-account-credentials=false",
		"--cluster-signing-cert-file=" + identity.AuthorityFile,
		"--cluster-signing-key-file=" + identity.AuthorityKeyFile,
		// By default they make twenty requests a second, and a test waits for the account of each of its namespaces.
		"--kube-api-qps=1000",
		"--kube-api-burst=1000",
	})
	go func() {
		if err := controllers.command.Execute(); err != nil {
			fmt.Fprintf(os.Stderr, "kube: controllers: %v\n", err)
			os.Exit(1)
		}
	}()
}

// ofObjects are the controllers that every test wants.
var ofObjects = []string{
	"garbage-collector-controller",
	"namespace-controller",
	"serviceaccount-controller",
	"root-ca-certificate-publisher-controller",
	"persistentvolumeclaim-protection-controller",
	"persistentvolume-protection-controller",
	"volumeattributesclass-protection-controller",
	"clusterrole-aggregation-controller",
	"resourcequota-controller",
	"validatingadmissionpolicy-status-controller",
}

// ofWorkloads are those whose work a small cluster around the embedded server does. No scheduler and no kubelet runs here:
// their pods stay pending until a test says otherwise.
var ofWorkloads = []string{
	"deployment-controller",
	"replicaset-controller",
	"statefulset-controller",
	"daemonset-controller",
	"job-controller",
	"cronjob-controller",
	"ttl-after-finished-controller",
	"endpoints-controller",
	"endpointslice-controller",
	"persistentvolume-binder-controller",
	"serviceaccount-token-controller",
	"certificatesigningrequest-approving-controller",
	"certificatesigningrequest-signing-controller",
	"disruption-controller",
}
