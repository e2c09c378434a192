package errortext

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// declared returns the rules of package errorrule by their names, with their parameters, from its
// sources.
func declared(t *testing.T) map[string]string {
	t.Helper()
	found := map[string]string{}
	for _, file := range sources(t, "../errorrule") {
		ast.Inspect(file, func(n ast.Node) bool {
			spec, is := n.(*ast.ValueSpec)
			if !is || len(spec.Values) != 1 {
				return true
			}
			if lit, is := spec.Values[0].(*ast.CompositeLit); is && len(lit.Elts) == 2 {
				code, one := constant(lit.Elts[0])
				params, two := constant(lit.Elts[1])
				require.True(t, one && two, spec.Names[0].Name)
				found[spec.Names[0].Name] = strings.TrimSpace(code + " " + params)
			}
			return true
		})
	}
	return found
}

// sources returns the parsed files of a folder, without its tests.
func sources(t *testing.T, dir string) (parsed []*ast.File) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
		require.NoError(t, err)
		parsed = append(parsed, f)
	}
	return parsed
}

// spelled returns a rule as declared does.
func spelled(r errorrule.Rule) string {
	return strings.Join(append([]string{r.Code}, r.Params()...), " ")
}

var place = regexp.MustCompile(`\{(\w+)\}`)

// shown returns how many parameters the text of a rule needs: up to the last one that it shows.
func shown(r errorrule.Rule) (count int) {
	for _, name := range place.FindAllStringSubmatch(texts[r], -1) {
		count = max(count, 1+slices.Index(r.Params(), name[1]))
	}
	return count
}

// TestEveryRuleHasItsText compares the texts with the rules that package errorrule declares.
func TestEveryRuleHasItsText(t *testing.T) {
	want := slices.Sorted(maps.Values(declared(t)))
	require.Greater(t, len(want), 150)
	require.Equal(t, want, slices.Compact(slices.Clone(want)),
		"two rules with a code must differ in their parameters")
	got := []string{}
	for r, text := range texts {
		got = append(got, spelled(r))
		require.Regexp(t, `^[a-z][a-z0-9_]*$`, r.Code)
		for _, name := range place.FindAllStringSubmatch(text, -1) {
			require.Contains(t, r.Params(), name[1], "text of %s", r.Code)
		}
		han := strings.ContainsFunc(text, func(c rune) bool { return unicode.Is(unicode.Han, c) })
		require.True(t, han || place.ReplaceAllString(text, "") == "", "%s has no Chinese text", r.Code)
	}
	slices.Sort(got)
	require.Equal(t, want, got, "each rule has one text in texts.go")
}

// TestRefusalsGiveTheParameters reads the refusals from the sources of all packages: each gives the
// parameters that the text of its rule shows, and no more than the rule has.
func TestRefusalsGiveTheParameters(t *testing.T) {
	rules, all := map[string]errorrule.Rule{}, declared(t)
	for name, spelling := range all {
		for r := range texts {
			if spelled(r) == spelling {
				rules[name] = r
			}
		}
	}
	used := map[string]bool{}
	require.NoError(t, filepath.WalkDir("..", func(dir string, d fs.DirEntry, err error) error {
		if err != nil || !d.IsDir() {
			return err
		}
		if d.Name() == "node_modules" {
			return fs.SkipDir
		}
		for _, file := range sources(t, dir) {
			ast.Inspect(file, func(n ast.Node) bool {
				if s, is := n.(*ast.SelectorExpr); is {
					if x, is := s.X.(*ast.Ident); is && x.Name == "errorrule" {
						used[s.Sel.Name] = true
					}
				}
				call, is := n.(*ast.CallExpr)
				if !is {
					return true
				}
				for i, arg := range call.Args {
					s, is := arg.(*ast.SelectorExpr)
					if !is || len(call.Args) <= i+1 {
						continue
					}
					if x, is := s.X.(*ast.Ident); !is || x.Name != "errorrule" {
						continue
					}
					r, known := rules[s.Sel.Name]
					given := len(call.Args) - i - 2
					require.True(t, known, "%s: errorrule.%s", dir, s.Sel.Name)
					require.GreaterOrEqual(t, given, shown(r), "%s: a refusal by errorrule.%s", dir, s.Sel.Name)
					require.LessOrEqual(t, given, len(r.Params()), "%s: a refusal by errorrule.%s", dir, s.Sel.Name)
				}
				return true
			})
		}
		return nil
	}))
	for name := range all {
		require.True(t, used[name], "errorrule.%s is used nowhere", name)
	}
}

// constant returns a text that is written in one or more literals.
func constant(e ast.Expr) (string, bool) {
	switch e := e.(type) {
	case *ast.BasicLit:
		text, err := strconv.Unquote(e.Value)
		return text, err == nil
	case *ast.BinaryExpr:
		a, one := constant(e.X)
		b, two := constant(e.Y)
		return a + b, one && two
	}
	return "", false
}

func refused(t *testing.T, err error) *xxladapter.Error {
	t.Helper()
	var user *xxladapter.Error
	require.ErrorAs(t, err, &user)
	return user
}

func TestChinese(t *testing.T) {
	for _, c := range []struct {
		err     error
		rule    string
		params  map[string]string
		chinese string
	}{
		{xxladapter.Invalidf(errorrule.Range, "%s is %d, must be %d to %d", "misfireWindowMs", -1, 0, 100), "range",
			map[string]string{"field": "misfireWindowMs", "value": "-1", "least": "0", "most": "100"},
			"misfireWindowMs 为 -1，须在 0 到 100 之间"},
		{xxladapter.Invalidf(errorrule.JSONType, "%s is a JSON %s, must be %s", "tags", "string", "a list"), "json_type",
			map[string]string{"field": "tags", "value": "string", "allowed": "a list"}, "tags 的 JSON 类型为 string，须为列表"},
		{xxladapter.Invalidf(errorrule.BodyJSONType, "request %s is a JSON %s, must be %s", "body", "array", "an object"),
			"body_json_type",
			map[string]string{"field": "body", "value": "array", "allowed": "an object"}, "请求体的 JSON 类型为 array，须为对象"},
		{xxladapter.Absent("job", 7), "not_found",
			map[string]string{"kind": "job", "id": "7"}, "任务 7 不存在"},
		{xxladapter.Refusef(xxladapter.CodeUnauthorized, errorrule.WrongLogin, "the name or the password is wrong"),
			"wrong_login",
			map[string]string{}, "用户名或密码错误"},
		{xxladapter.Invalidf(errorrule.Nested, "edits[%[2]d].%[3]v", "act", 3, xxladapter.Absent("group", 2)), "nested",
			map[string]string{"field": "act", "index": "3", "error": "group 2 does not exist"}, "第 3 项：执行器 2 不存在"},
		{xxladapter.Invalidf(errorrule.OneOf, "%s is %q, must be one of %s", "glueType", "{field} {allowed}", "BEAN"), "one_of",
			map[string]string{"field": "glueType", "value": "{field} {allowed}", "allowed": "BEAN"},
			"glueType 为“{field} {allowed}”，须为以下之一：BEAN"},
	} {
		got := refused(t, c.err)
		require.Equal(t, c.rule, got.Rule.Code)
		require.Equal(t, c.params, got.Params())
		require.Equal(t, c.chinese, Chinese(got))
	}
}

// TestSeveralRules checks that several broken rules of a job are one error, and that a single one
// is returned as it is.
func TestSeveralRules(t *testing.T) {
	j := &xxladapter.Job{GroupID: 1, Author: "li.na", GlueType: xxladapter.GlueBean, Handler: "greet"}
	j.SetDefaults()
	got := refused(t, j.Validate())
	require.Equal(t, "name", got.Field())
	one := Chinese(got)
	j.Handler = ""
	got = refused(t, j.Validate())
	require.Equal(t, errorrule.Several, got.Rule)
	require.Equal(t, one+"；缺少 executorHandler", Chinese(got))
	require.Empty(t, Chinese(refused(t, xxladapter.BrokenRules{j.Validate(), errors.New("disk")}.Together())))
}

// TestErrorsWithoutARule checks that an error about no rule has only its English text.
func TestErrorsWithoutARule(t *testing.T) {
	for _, err := range []*xxladapter.Error{
		{Message: "%s is not valid UTF-8"},
		{Message: "disk", Err: errors.New("disk")},
	} {
		require.Empty(t, Chinese(err))
	}
}
