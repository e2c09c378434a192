package errortext

import (
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
)

// TestEveryRuleHasItsTexts lists the rules: each has a code of its own and a text in Chinese whose
// parameters all of its English formats have.
func TestEveryRuleHasItsTexts(t *testing.T) {
	codes, forms := map[string]bool{}, map[string]bool{}
	for _, r := range table {
		require.Regexp(t, `^[a-z][a-z0-9_]*$`, r.code)
		require.False(t, codes[r.code], "%s is twice in the table", r.code)
		codes[r.code] = true
		require.True(t, strings.ContainsFunc(r.chinese, func(c rune) bool { return unicode.Is(unicode.Han, c) }), "%s has no Chinese text", r.code)
		require.NotEmpty(t, r.forms, r.code)
		for _, f := range r.forms {
			require.NotEmpty(t, f.english, r.code)
			require.False(t, forms[f.english], "%q is twice in the table", f.english)
			forms[f.english] = true
			read := known[f.english]
			require.Len(t, verb.FindAllString(f.english, -1), len(read.names), "verbs of %q", f.english)
			has := map[string]bool{}
			for _, name := range read.names {
				require.False(t, has[name], "%q has %s twice", f.english, name)
				has[name] = true
			}
			for name := range read.fixed {
				has[name] = true
			}
			for _, name := range regexp.MustCompile(`\{(\w+)\}`).FindAllStringSubmatch(r.chinese, -1) {
				require.True(t, has[name[1]], "%q has no %s, which the Chinese text of %s shows", f.english, name[1], r.code)
			}
		}
	}
	require.Equal(t, len(known), len(forms))
}

// TestErrorsOfTheAPIHaveRules reads the errors from the sources of the packages whose errors the
// API returns.
func TestErrorsOfTheAPIHaveRules(t *testing.T) {
	var missing []string
	found := 0
	for _, dir := range []string{"", "access", "accounts", "admin", "declare", "events", "sqlstore/internal/records", "takeover"} {
		for text, at := range formats(t, filepath.Join("..", dir)) {
			found++
			if _, is := known[text]; !is && text != "%s" && text != "%v" { // those two pass on what another error says
				missing = append(missing, fmt.Sprintf("%s: %q", at, text))
			}
		}
	}
	require.Greater(t, found, 180)
	require.Empty(t, missing, "give these errors a rule in table.go; they are shown in English alone")
}

// formats returns the formats of errors for the user in a folder, with the place of each.
func formats(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		source, err := os.ReadFile(file)
		require.NoError(t, err)
		set := token.NewFileSet()
		parsed, err := parser.ParseFile(set, file, source, 0)
		require.NoError(t, err)
		ast.Inspect(parsed, func(n ast.Node) bool {
			call, is := n.(*ast.CallExpr)
			if !is {
				return true
			}
			name := ""
			switch f := call.Fun.(type) {
			case *ast.Ident:
				name = f.Name
			case *ast.SelectorExpr:
				name = f.Sel.Name
			}
			at, makes := map[string]int{"Invalidf": 0, "NotFoundf": 0, "Conflictf": 0, "forbidden": 0, "Refusef": 1, "note": 4}[name]
			if !makes || len(call.Args) <= at {
				return true
			}
			if text, is := constant(call.Args[at]); is {
				found[text] = set.Position(call.Pos()).String()
			}
			return true
		})
	}
	return found
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

func TestOf(t *testing.T) {
	for _, c := range []struct {
		err     error
		rule    string
		params  map[string]string
		chinese string
	}{
		{xxladapter.Invalidf("%s is %d, must be 0 to %d", "misfireWindowMs", -1, 100), "range",
			map[string]string{"field": "misfireWindowMs", "value": "-1", "least": "0", "most": "100"}, "misfireWindowMs 为 -1，须在 0 到 100 之间"},
		{xxladapter.Invalidf("hours is %d, must be 1 to %d", 0, 168), "range",
			map[string]string{"field": "hours", "value": "0", "least": "1", "most": "168"}, "hours 为 0，须在 1 到 168 之间"},
		{xxladapter.Invalidf("hours is %d, must be 1 to %d", 0, 168*time.Hour/time.Hour), "range",
			map[string]string{"field": "hours", "value": "0", "least": "1", "most": "168"}, "hours 为 0，须在 1 到 168 之间"},
		{xxladapter.Invalidf("%s is a JSON %s, must be %s", "tags", "string", "a list"), "json_type",
			map[string]string{"field": "tags", "value": "string", "allowed": "a list"}, "tags 的 JSON 类型为 string，须为列表"},
		{xxladapter.Invalidf("request body is a JSON %s, must be %s", "array", "an object"), "body_json_type",
			map[string]string{"field": "body", "value": "array", "allowed": "an object"}, "请求体的 JSON 类型为 array，须为对象"},
		{xxladapter.NotFoundf("job %d does not exist", 7), "not_found", map[string]string{"kind": "job", "id": "7"}, "任务 7 不存在"},
		{&xxladapter.Error{Code: xxladapter.CodeUnauthorized, Message: "the name or the password is wrong"}, "wrong_login", map[string]string{}, "用户名或密码错误"},
		{xxladapter.Invalidf("edits[%d].%v", 3, xxladapter.NotFoundf("group %d does not exist", 2)), "nested",
			map[string]string{"index": "3", "error": "group 2 does not exist"}, "第 3 项：执行器 2 不存在"},
		{xxladapter.Invalidf("%s is %q, must be one of %s", "glueType", "{field} {allowed}", "BEAN"), "one_of",
			map[string]string{"field": "glueType", "value": "{field} {allowed}", "allowed": "BEAN"}, "glueType 为“{field} {allowed}”，须为以下之一：BEAN"},
	} {
		got, is := Of(refused(t, c.err))
		require.True(t, is, c.err)
		require.Equal(t, Broken{c.rule, c.params, c.chinese}, got)
	}
}

// Several broken rules of a job are one error, and a single one is returned as it is.
func TestSeveralRules(t *testing.T) {
	j := &xxladapter.Job{GroupID: 1, Author: "li.na", GlueType: xxladapter.GlueBean, Handler: "greet"}
	j.SetDefaults()
	got, is := Of(refused(t, j.Validate()))
	require.True(t, is)
	require.Equal(t, "name", got.Params["field"])
	one := got.Chinese
	j.Handler = ""
	got, is = Of(refused(t, j.Validate()))
	require.True(t, is)
	require.Equal(t, "several", got.Rule)
	require.Equal(t, one+"；缺少 executorHandler", got.Chinese)
	_, is = Of(refused(t, xxladapter.Invalidf("%s", xxladapter.BrokenRules{j.Validate(), errors.New("disk")})))
	require.False(t, is)
}

// An error that is not known, or that has other values than its format says, is left in English.
func TestUnknownErrors(t *testing.T) {
	for _, err := range []error{
		xxladapter.Invalidf("moon is %q, must be full", "new"),
		&xxladapter.Error{Message: "%s is not valid UTF-8"},
		&xxladapter.Error{Message: "disk", Err: errors.New("disk")},
	} {
		_, is := Of(refused(t, err))
		require.False(t, is, err)
	}
}
