// Command etcdtest is etcd's server, the same as etcd's own program. Tests build and run it. It is
// a module of its own, so that the server is in no user's module graph.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
