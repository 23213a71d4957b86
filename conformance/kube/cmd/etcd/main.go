// Command etcd is etcd's own, for programs that start one themselves, as envtest does.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() {
	etcdmain.Main(os.Args)
}
