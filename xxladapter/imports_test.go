package xxladapter_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const module = "github.com/xxlwheel/xxlwheel/"

// mayImport says which packages of this repository each package may import in
// its production code. Arrows point down to the domain's words; only cmd
// knows which store is in use.
var mayImport = map[string][]string{
	"hashedwheel":                {"hashedwheel/internal/wheel"},
	"hashedwheel/internal/wheel": {}, // wheels know no clock, lock or goroutine

	"hashedwheel/time":       {"hashedwheel"},
	"xxladapter":             {},
	"xxladapter/cron":        {},
	"xxladapter/wire":        {},
	"xxladapter/route":       {"xxladapter", "xxladapter/wire"},
	"xxladapter/access":      {"xxladapter"},
	"xxladapter/transition":  {"xxladapter"},
	"xxladapter/memstore":    {"xxladapter", "xxladapter/transition"},
	"xxladapter/sqlstore":    {"xxladapter"},
	"xxladapter/testserver":  {},
	"xxladapter/storetest":   {"xxladapter", "xxladapter/memstore"}, // memstore is the model that others are compared with
	"xxladapter/executor":    {"xxladapter", "xxladapter/access", "xxladapter/wire"},
	"xxladapter/checker":     {"xxladapter", "xxladapter/cron"},
	"xxladapter/trigger":     {"xxladapter", "xxladapter/access", "xxladapter/cron", "xxladapter/route", "xxladapter/wire"},
	"xxladapter/scheduler":   {"xxladapter", "xxladapter/cron", "xxladapter/trigger", "hashedwheel"},
	"xxladapter/alarm":       {"xxladapter"},
	"xxladapter/maintenance": {"xxladapter", "xxladapter/trigger", "xxladapter/wire", "hashedwheel"},
	"xxladapter/admin":       {"xxladapter", "xxladapter/access", "xxladapter/cron", "xxladapter/wire", "xxladapter/trigger"},
	"xxladapter/metrics":     {"xxladapter", "xxladapter/scheduler", "xxladapter/trigger", "hashedwheel"},
	"xxladapter/node":        {"xxladapter", "xxladapter/access", "xxladapter/admin", "xxladapter/alarm", "xxladapter/cron", "xxladapter/maintenance", "xxladapter/metrics", "xxladapter/scheduler", "xxladapter/trigger"},
	"xxladapter/faults":      {}, // tests only
	"xxladapter/cmd/xxlwheel": {
		"xxladapter", "xxladapter/access", "xxladapter/cron", "xxladapter/wire", "xxladapter/executor", "xxladapter/trigger",
		"xxladapter/metrics", "xxladapter/node", "xxladapter/sqlstore", "xxladapter/checker", "xxladapter/alarm",
	},
	"bench":            {"hashedwheel"},
	"bench/cmd/report": {},
	"bench/contender":  {"hashedwheel"},
	"bench/cases":      {"hashedwheel", "bench/contender"},
	"bench/load":       {"xxladapter", "xxladapter/executor", "xxladapter/node", "xxladapter/scheduler", "xxladapter/sqlstore", "xxladapter/trigger"},
}

// hashedwheelMayImport is what the timer may use beside the standard library.
var hashedwheelMayImport = []string{"go.uber.org/atomic", "github.com/golang-collections/go-datastructures/queue"}

func TestImportsPointDown(t *testing.T) {
	root := ".." // this package's folder is one below the module's
	err := filepath.WalkDir(root, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if file != root && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata" || hasGoMod(file)) {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(file, ".go") || strings.HasSuffix(file, "_test.go") {
			return nil
		}
		rel, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		checkImports(t, file, path.Dir(filepath.ToSlash(rel)))
		return nil
	})
	require.NoError(t, err)
}

// hasGoMod reports whether a folder is a module of its own.
func hasGoMod(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, "go.mod"))
	return err == nil
}

func checkImports(t *testing.T, file, pkg string) {
	t.Helper()
	allowed, known := mayImport[pkg]
	if !known {
		t.Errorf("%s: package %s is not in the table of import rules", file, pkg)
		return
	}
	parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	require.NoError(t, err)
	for _, imp := range parsed.Imports {
		target, err := strconv.Unquote(imp.Path.Value)
		require.NoError(t, err)
		own, inRepo := strings.CutPrefix(target, module)
		switch {
		case inRepo && !slices.Contains(allowed, own):
			t.Errorf("%s: %s must not import %s", file, pkg, own)
		case target == "testing":
			if pkg != "xxladapter/storetest" && pkg != "xxladapter/testserver" {
				t.Errorf("%s: production code must not import testing", file)
			}
		case strings.HasPrefix(pkg, "hashedwheel") && !inRepo && strings.Contains(strings.Split(target, "/")[0], ".") &&
			!slices.Contains(hashedwheelMayImport, target):
			t.Errorf("%s: the timer must not import %s", file, target)
		}
	}
}

// A 64-bit atomic word inside a struct has to be one of sync/atomic's types: nothing else is
// aligned on processors of 32 bits, where its first use panics.
func TestAtomicWordsAreAligned(t *testing.T) {
	bare := regexp.MustCompile(`^(Int64|Uint64|Float64|Duration|(Add|And|Or|Load|Store|Swap|CompareAndSwap)(Int64|Uint64))$`)
	err := filepath.WalkDir("..", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(file, ".go") {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		if err != nil {
			return err
		}
		for _, imp := range parsed.Imports {
			switch target, _ := strconv.Unquote(imp.Path.Value); target {
			case "go.uber.org/atomic", "sync/atomic":
				name := "atomic"
				if imp.Name != nil {
					name = imp.Name.Name
				}
				ast.Inspect(parsed, func(n ast.Node) bool {
					sel, ok := n.(*ast.SelectorExpr)
					if !ok || !bare.MatchString(sel.Sel.Name) {
						return true
					}
					if x, ok := sel.X.(*ast.Ident); !ok || x.Name != name {
						return true
					}
					if target == "go.uber.org/atomic" || len(sel.Sel.Name) > len("Float64") {
						t.Errorf("%s: %s.%s of %s is not aligned on processors of 32 bits", file, name, sel.Sel.Name, target)
					}
					return true
				})
			}
		}
		return nil
	})
	require.NoError(t, err)
}
