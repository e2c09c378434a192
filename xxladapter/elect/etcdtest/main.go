// Command etcdtest is the server of etcd, as its own program is. Tests build and run it. It is a
// module of its own, so that the server reaches no user.
package main

import (
	"os"

	"go.etcd.io/etcd/server/v3/etcdmain"
)

func main() { etcdmain.Main(os.Args) }
