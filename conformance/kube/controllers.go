package main

import (
	"fmt"
	"os"

	logs "k8s.io/component-base/logs/api/v1"
	manager "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

// startControllers runs those controllers of kube-controller-manager that a controller's tests can see.
func startControllers(kubeconfig string, identity *Identity) {
	// The server in this process has set up logging already, in the same way.
	logs.ReapplyHandling = logs.ReapplyHandlingIgnoreUnchanged
	command := manager.NewControllerManagerCommand()
	command.SetArgs([]string{
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
		if err := command.Execute(); err != nil {
			fmt.Fprintf(os.Stderr, "kube: controllers: %v\n", err)
			os.Exit(1)
		}
	}()
}
