// Command kube runs a real Kubernetes API server for tests: etcd and kube-apiserver in one process, on loopback, with
// a certificate authority and a token of its own. Nothing else is needed, and nothing is left behind.
//
//	etcd ◄── kube-apiserver ◄── [garbage collector, namespaces, service accounts, root CA, aggregated roles, protection of volumes, types of policies]   (with -controllers)
//	                   ◄── [Deployments, Jobs, endpoints, volumes, certificates, …]   (and with -workloads)
//
// It writes a kubeconfig and prints one line `ready`. On its standard input it takes commands, one a line: `compact`
// forgets history, so that a story can expire it; the end of the input ends it.
package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

func main() {
	options := Options{}
	flag.StringVar(&options.Kubeconfig, "kubeconfig", "", "where to write the kubeconfig (required)")
	flag.BoolVar(&options.WatchCache, "watch-cache", true, "whether the server keeps a watch cache")
	flag.BoolVar(&options.Controllers, "controllers", false, "run garbage collection, namespace, service-account, root-CA, role-aggregation, volume-protection, quota and policy-status controllers")
	flag.BoolVar(&options.Workloads, "workloads", false, "with -controllers: run those of workloads, endpoints, volumes, token secrets and certificates too")
	flag.BoolVar(&options.EveryVersion, "every-version", false, "serve the versions too that a default server leaves off")
	flag.BoolVar(&options.Fsync, "fsync", false, "have etcd sync each write to the disk, as outside of tests")
	flag.StringVar(&options.Facts, "facts", "", "write what is known of types and kinds to this file, and end")
	flag.Parse()
	if options.Kubeconfig == "" && options.Facts == "" {
		fmt.Fprintln(os.Stderr, "kube: -kubeconfig FILE is required, or -facts FILE")
		os.Exit(2)
	}
	if err := run(options); err != nil {
		fmt.Fprintf(os.Stderr, "kube: %v\n", err)
		os.Exit(1)
	}
}

// Options says what runs.
type Options struct {
	Kubeconfig   string
	WatchCache   bool
	Controllers  bool
	Workloads    bool
	EveryVersion bool
	Fsync        bool
	Facts        string
}

func run(options Options) error {
	begun := time.Now()
	folder, err := os.MkdirTemp("", "pintle-kube-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	store, err := startEtcd(filepath.Join(folder, "etcd"), options.Fsync)
	if err != nil {
		return fmt.Errorf("etcd: %w", err)
	}
	defer store.Close()
	identity, err := newIdentity(folder)
	if err != nil {
		return fmt.Errorf("certificates: %w", err)
	}
	controllers, server := newControllers(), newServer()
	arguments := server.Arguments(options, store.Address(), identity)
	if options.Facts != "" {
		err := writeFacts(options.Facts, arguments, identity, server)
		os.RemoveAll(folder)
		if err != nil {
			fmt.Fprintf(os.Stderr, "kube: facts: %v\n", err)
			os.Exit(1)
		}
		// etcd would wait for a server that is not stopped.
		os.Exit(0)
	}
	server.Start(arguments)
	if err := server.WaitUntilReady(time.Minute); err != nil {
		return fmt.Errorf("kube-apiserver: %w", err)
	}
	kubeconfig := identity.Kubeconfig(server.Address())
	if err := os.WriteFile(options.Kubeconfig, []byte(kubeconfig), 0o600); err != nil {
		return err
	}
	if options.Controllers {
		controllers.Start(options.Kubeconfig, identity, options.Workloads)
	}
	fmt.Printf("ready %s time=%dms kubeconfig=%s\n", server.Address(), time.Since(begun).Milliseconds(), options.Kubeconfig)
	return obey(store)
}

// obey performs the commands on standard input until it ends.
func obey(store *Etcd) error {
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		switch command := lines.Text(); command {
		case "compact":
			revision, err := store.Compact(context.Background())
			if err != nil {
				return fmt.Errorf("compact: %w", err)
			}
			fmt.Printf("compacted %d\n", revision)
		default:
			fmt.Printf("unknown command %q; known: compact\n", command)
		}
	}
	return lines.Err()
}
