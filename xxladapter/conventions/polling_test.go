package conventions

import (
	"go/ast"
	"go/token"
	"path"
	"slices"
	"strings"
	"testing"
)

// polling lists the folders whose tests poll in real time with an Eventually other than
// testserver's, each with the allowed calls and why a bubble is not enough.
var polling = map[string]struct {
	most    int // calls of Eventually
	because string
}{
	"hashedwheel":                           {2, "goroutines race on real processors, and the collector runs when it likes"},
	"hashedwheel/time":                      {2, "goroutines race on real processors, and the collector runs when it likes"},
	"xxladapter/admin":                      {1, "a viewer leaves over a real socket"},
	"xxladapter/node":                       {2, "sockets, leases of real stores, and the collector"},
	"xxladapter/queue/internal/streams":     {5, "a server of Redis"},
	"xxladapter/redisstore":                 {3, "a server of Redis"},
	"xxladapter/sqlstore":                   {1, "clocks of real servers"},
	"xxladapter/sqlstore/internal/mysql":    {1, "transactions of a real server"},
	"xxladapter/sqlstore/internal/postgres": {4, "sessions of a real server"},
	"xxladapter/sqlstore/internal/sqlite":   {7, "real files that disappear, and a writer that a real lock holds up"},
	"xxladapter/storetest":                  {1, "sessions of real servers"},
	"xxladapter/telemetry":                  {2, "a collector behind a real socket"},
	"xxladapter/testserver":                 {3, "connections through a real proxy, and servers that promote one another"},
	"xxladapter/trigger":                    {2, "real sockets"},
	"xxladapter/trigger/internal/post":      {2, "real sockets"},
}

// processes are the folders whose tests may call Eventually and Within of testserver, each with
// what they wait for. The modules inside this repository start whole sites, and are not looked at.
var processes = map[string]string{
	"xxladapter/cmd/xxlwheel": "schedulers, executors and terminals are processes of their own",
	"xxladapter/executor":     "scripts are child processes, and runs arrive over real sockets",
	"xxladapter/faults":       "schedulers and databases are killed, so they are processes of their own",
	"xxladapter/redisstore":   "servers of Redis promote one another",
}

// looping are the functions of tests with a loop of their own that waits in real time until
// something happens, each with its reason. Benchmarks may have such loops.
var looping = map[string]string{
	"hashedwheel.TestATimeoutThatWasTakenOutMayMoveAtOnce": "what it races with takes nanoseconds",
	"hashedwheel.TestStopRacesWithNewTimeout":              "its goroutines yield to the worker between their calls",
	"hashedwheel.storm":                                    "to yield is one of the calls that it makes at random",
	"hashedwheel/time.TestManyReceivers":                   "it collects garbage until all have received",
	"xxladapter/node.TestHangingExecutorsDelayNoOthers":    "it samples loads at a steady pace",
	"xxladapter/node.dropByDrop":                           "it writes a byte each second",
	"xxladapter/redisstore.moving":                         "a slot stays for a while before it moves on",
	"xxladapter/sqlstore/internal/journal.rotate":          "the next segment begins within a sync of the disk",
	"xxladapter/sqlstore/internal/network.dial":            "in bubbles",
	"xxladapter/testserver.Within":                         "it is what the others use",
	"xxladapter/trigger.sweeping":                          "in bubbles",
}

// TestPollingTestsSayWhy checks that no test polls for what a bubble or a channel can tell.
func TestPollingTestsSayWhy(t *testing.T) {
	found, waits, loops := map[string]int{}, map[string]bool{}, map[string]bool{}
	for _, f := range testFiles(t) {
		folder := path.Dir(f.name)
		if inOtherModule(folder) {
			continue
		}
		for _, d := range f.Decls {
			ast.Inspect(d, func(n ast.Node) bool {
				call, ok := n.(*ast.CallExpr)
				switch {
				case !ok:
				case calls(call, "testserver", "Eventually"), calls(call, "testserver", "Within"):
					waits[folder] = true
				case strings.HasPrefix(calledName(call), "Eventually"):
					found[folder]++
				}
				return true
			})
			function, ok := d.(*ast.FuncDecl)
			if !ok || isBenchmark(function) {
				continue
			}
			f.outsideBubbles(function, func(n ast.Node) {
				if name := folder + "." + function.Name.Name; f.waitsInLoop(n) {
					if loops[name] = true; looping[name] == "" {
						t.Errorf("%v: a loop waits in real time: use a bubble, a channel, or testserver.Eventually", f.at(n))
					}
				}
			})
		}
	}
	for name := range looping {
		if !loops[name] {
			t.Errorf("%s has no loop that waits in real time, and looping allows it: remove it", name)
		}
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

// isBenchmark reports whether a function has a parameter of type *testing.B.
func isBenchmark(f *ast.FuncDecl) bool {
	return slices.ContainsFunc(f.Type.Params.List, func(p *ast.Field) bool {
		star, ok := p.Type.(*ast.StarExpr)
		if !ok {
			return false
		}
		of, ok := star.X.(*ast.SelectorExpr)
		return ok && of.Sel.Name == "B"
	})
}

// waitsInLoop reports whether n is a loop that waits in real time, and ends when something has
// happened: one without a range, or one over a range that its body may cut short.
func (f testFile) waitsInLoop(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.ForStmt:
		return f.waits(n.Body)
	case *ast.RangeStmt:
		return cutsShort(n.Body) && f.waits(n.Body)
	}
	return false
}

// waits reports whether a body waits in real time.
func (f testFile) waits(body *ast.BlockStmt) (waits bool) {
	f.outsideBubbles(body, func(n ast.Node) {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return
		}
		for _, wait := range []string{"Sleep", "After", "Tick", "NewTicker", "NewTimer"} {
			waits = waits || calls(call, "time", wait)
		}
		waits = waits || calls(call, "runtime", "Gosched")
	})
	return waits
}

// cutsShort reports whether the body of a loop may leave the loop.
func cutsShort(body ast.Node) (leaves bool) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			return false
		case *ast.ForStmt, *ast.RangeStmt, *ast.SwitchStmt, *ast.TypeSwitchStmt, *ast.SelectStmt:
			// A break inside leaves only that, unless it has a label.
			ast.Inspect(n, func(n ast.Node) bool {
				_, literal := n.(*ast.FuncLit)
				branch, ok := n.(*ast.BranchStmt)
				_, returns := n.(*ast.ReturnStmt)
				leaves = leaves || returns || ok && branch.Tok == token.BREAK && branch.Label != nil
				return !literal
			})
			return false
		case *ast.ReturnStmt:
			leaves = true
		case *ast.BranchStmt:
			leaves = leaves || n.Tok == token.BREAK
		}
		return true
	})
	return leaves
}
