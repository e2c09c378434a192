package xxladapter_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestValuesListsEveryConstant compares what Values of each enumeration lists with the constants
// that the package declares of that type.
func TestValuesListsEveryConstant(t *testing.T) {
	listed := map[string]any{}
	for _, values := range []any{
		xxladapter.ScheduleType("").Values(), xxladapter.MisfireStrategy("").Values(), xxladapter.RouteStrategy("").Values(),
		xxladapter.BlockStrategy("").Values(), xxladapter.GlueType("").Values(), xxladapter.TriggerType("").Values(),
		xxladapter.AmbiguousStrategy("").Values(), xxladapter.AlarmRule("").Values(), xxladapter.LogPolicy("").Values(),
		xxladapter.LogStatus("").Values(), xxladapter.FireState("").Values(), xxladapter.TextPolicy("").Values(),
		xxladapter.JobSort("").Values(), xxladapter.JobAct("").Values(), xxladapter.MisfireKind("").Values(),
		xxladapter.Role("").Values(), xxladapter.ActorKind("").Values(), xxladapter.CredentialKind("").Values(), xxladapter.StoreKind("").Values(),
		xxladapter.StatResult("").Values(), xxladapter.StatBy("").Values(), xxladapter.LastResult("").Values(),
		xxladapter.BackfillState("").Values(), xxladapter.MoveCause("").Values(), xxladapter.SchedulingMode("").Values(), xxladapter.NodeRole("").Values(),
		xxladapter.Spread("").Values(),
		xxladapter.ElectionState("").Values(),
	} {
		listed[reflect.TypeOf(values).Elem().Name()] = values
	}
	declared := stringConstants(t)
	delete(declared, "Code") // error codes: users read them and never choose one
	for name, constants := range declared {
		require.Contains(t, listed, name, "the string type %s has constants and is not in this test", name)
		require.Equal(t, constants, texts(listed[name]), name)
	}
	require.Len(t, declared, len(listed))
}

// stringConstants are the values of typed string constants, by type, in the order of the source.
func stringConstants(t *testing.T) map[string][]string {
	t.Helper()
	found := map[string][]string{}
	files, err := filepath.Glob("*.go")
	require.NoError(t, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		parsed, err := parser.ParseFile(token.NewFileSet(), file, text, 0)
		require.NoError(t, err)
		if parsed.Name.Name != "xxladapter" {
			continue
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Type == nil || len(spec.Values) != 1 {
				return true
			}
			typ, isName := spec.Type.(*ast.Ident)
			value, isLiteral := spec.Values[0].(*ast.BasicLit)
			if isName && isLiteral && value.Kind == token.STRING {
				text, err := strconv.Unquote(value.Value)
				require.NoError(t, err)
				found[typ.Name] = append(found[typ.Name], text)
			}
			return true
		})
	}
	return found
}

func texts(values any) (list []string) {
	for _, v := range reflect.ValueOf(values).Seq2() {
		list = append(list, v.String())
	}
	return slices.Clip(list)
}
