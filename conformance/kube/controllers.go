package main

import (
	"fmt"
	"os"

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

// Start runs them, against the server of kubeconfig.
func (controllers *Controllers) Start(kubeconfig string, identity *Identity) {
	// The server in this process has set up logging already, in the same way.
	logs.ReapplyHandling = logs.ReapplyHandlingIgnoreUnchanged
	controllers.command.SetArgs([]string{
		"--kubeconfig=" + kubeconfig,
		"--leader-elect=false",
		"--secure-port=0",
		"--controllers=garbage-collector-controller,namespace-controller,serviceaccount-controller,root-ca-certificate-publisher-controller,persistentvolumeclaim-protection-controller,persistentvolume-protection-controller,volumeattributesclass-protection-controller,clusterrole-aggregation-controller,resourcequota-controller",
		"--root-ca-file=" + identity.AuthorityFile,
		"--service-account-private-key-file=" + identity.AccountKeyFile,
		"--use-service-account-credentials=false",
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
