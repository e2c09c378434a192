package conventions

import (
	"go/ast"
	"go/parser"
	"path"
	"strings"
	"testing"
)

// polling are the folders whose tests poll in real time, by an Eventually other than that of
// testserver, each with what no bubble can hold.
var polling = map[string]struct {
	most    int // calls of Eventually
	because string
}{
	"hashedwheel":                           {2, "goroutines race on real processors, and the collector runs when it likes"},
	"hashedwheel/time":                      {2, "goroutines race on real processors, and the collector runs when it likes"},
	"xxladapter/admin":                      {1, "a viewer leaves over a real socket"},
	"xxladapter/cmd/xxlwheel":               {2, "a process of its own answers"},
	"xxladapter/node":                       {3, "sockets, leases of real stores, and the collector"},
	"xxladapter/queue/internal/streams":     {5, "a server of Redis"},
	"xxladapter/redisstore":                 {3, "a server of Redis"},
	"xxladapter/sqlstore":                   {1, "clocks of real servers"},
	"xxladapter/sqlstore/internal/postgres": {4, "sessions of a real server"},
	"xxladapter/sqlstore/internal/sqlite":   {7, "real files that disappear, and a writer that a real lock holds up"},
	"xxladapter/storetest":                  {1, "sessions of real servers"},
	"xxladapter/telemetry":                  {2, "a collector behind a real socket"},
	"xxladapter/testserver":                 {2, "connections through a real proxy"},
	"xxladapter/trigger":                    {2, "real sockets"},
	"xxladapter/trigger/internal/post":      {2, "real sockets"},
}

// processes are the folders whose tests may call testserver.Eventually, each with what they wait
// for. The modules inside this repository start whole sites, and are not looked at.
var processes = map[string]string{
	"xxladapter/cmd/xxlwheel": "schedulers, executors and terminals are processes of their own",
	"xxladapter/executor":     "scripts are child processes, and runs arrive over real sockets",
	"xxladapter/faults":       "schedulers and databases are killed, so they are processes of their own",
	"xxladapter/redisstore":   "servers of Redis promote one another",
}

// TestPollingTestsSayWhy checks that no test polls for what a bubble or a channel can tell.
func TestPollingTestsSayWhy(t *testing.T) {
	found, waits := map[string]int{}, map[string]bool{}
	for _, file := range append(filesOf(t, ".", "_test.go"), sourcesOf(t, "xxladapter/storetest")...) {
		if inOtherModule(path.Dir(file)) {
			continue
		}
		s := parse(t, file, parser.SkipObjectResolution)
		ast.Inspect(s.File, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			switch {
			case !ok:
			case calls(call, "testserver", "Eventually"):
				waits[path.Dir(file)] = true
			case strings.HasPrefix(calledName(call), "Eventually"):
				found[path.Dir(file)]++
			}
			return true
		})
	}
	for folder, n := range found {
		if p := polling[folder]; n > p.most {
			t.Errorf("%s calls Eventually %d times, may %d times: use a bubble or a channel", folder, n, p.most)
		}
	}
	for folder, p := range polling {
		if found[folder] < p.most {
			t.Errorf("%s calls Eventually %d times, and polling allows %d: lower it", folder, found[folder], p.most)
		}
	}
	for folder := range waits {
		if processes[folder] == "" {
			t.Errorf("%s calls testserver.Eventually, and processes has no reason for it: use a bubble or a channel", folder)
		}
	}
	for folder := range processes {
		if !waits[folder] {
			t.Errorf("%s does not call testserver.Eventually, and processes allows it: remove it", folder)
		}
	}
}
