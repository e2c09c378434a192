package conventions

import (
	"bytes"
	"go/ast"
	"go/parser"
	"go/printer"
	"go/token"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// secretName matches the names of values that may be secret. notSecret matches the exceptions:
// messages about tokens, durations, lengths, and the prefix of personal tokens.
var (
	secretName = regexp.MustCompile(`(?i)token|secret|passw|bearer|digest`)
	notSecret  = regexp.MustCompile(`^(Msg.*|tokenLife|tokenGap|tokenPrefix|minPassword|maxPassword)$`)
)

// comparesEarly are functions that stop at the first difference, by package.
var comparesEarly = map[string][]string{
	"strings": {"Compare", "Contains", "Count", "Cut", "CutPrefix", "CutSuffix", "EqualFold", "HasPrefix", "HasSuffix", "Index", "LastIndex"},
	"bytes":   {"Compare", "Contains", "Cut", "CutPrefix", "CutSuffix", "Equal", "EqualFold", "HasPrefix", "HasSuffix", "Index"},
	"slices":  {"Compare", "Contains", "Equal", "Index", "BinarySearch"},
	"reflect": {"DeepEqual"},
	"cmp":     {"Compare"},
}

// keepsSecret are functions whose result is as secret as what they are given.
var keepsSecret = []string{"digestOf", "Sum256", "TrimSpace", "ToLower", "ToUpper", "string", "byte", "Get", "Clone"}

// TestTokensAreComparedInConstantTime reads the sources of packages that get tokens. Only package
// access may compare a token, or what a function makes of one; it compares digests with
// crypto/subtle. Code that writes ==, strings.EqualFold or a look-up in a map instead makes this
// test fail. Whether a token is set, and whether it is the well-known one, may be asked anywhere.
func TestTokensAreComparedInConstantTime(t *testing.T) {
	compared := 0
	for _, pkg := range []string{"access", "accounts", "admin", "alarm", "executor", "node", "spread", "trigger", "cmd/xxlwheel"} {
		for _, file := range sourcesOf(t, path.Join("xxladapter", pkg)) {
			early, constant := comparisons(t, file, readFile(t, file))
			for _, place := range early {
				t.Errorf("%s: compares a token in a time that tells where it differs", place)
			}
			compared += constant
		}
	}
	require.NotZero(t, compared, "nothing compares tokens: this test looks in the wrong place")
}

// TestTheSearchForComparisonsFindsThem checks what the test above must refuse, and what it must
// not.
func TestTheSearchForComparisonsFindsThem(t *testing.T) {
	for body, found := range map[string]bool{
		`return token == e.opts.AccessToken`:                                                            true,
		`return e.opts.AccessToken != h.Get("XXL-JOB-ACCESS-TOKEN")`:                                    true,
		`return strings.EqualFold(token, e.plain)`:                                                      true,
		`return strings.HasPrefix(e.plain, token)`:                                                      true,
		`return bytes.Equal([]byte(token), []byte(e.plain))`:                                            true,
		`return slices.Contains(e.all, token)`:                                                          true,
		`_, ok := e.known[token]; return ok`:                                                            true,
		`_, ok := e.known[digestOf(token)]; return ok`:                                                  true,
		`x := strings.TrimSpace(token); y := x; return y == e.plain`:                                    true,
		`x := digestOf(token); return x == e.global`:                                                    true,
		`switch token { case e.plain: return true }; return false`:                                      true,
		`switch e.plain { case token: return true }; return false`:                                      true,
		`for _, x := range e.tokens { if x == e.plain { return true } }; return false`:                  true,
		`for _, d := range e.all { if d.equal(got) { return true } }; return false`:                     true, // tells which one
		`return subtle.ConstantTimeCompare([]byte(token), []byte(e.plain)) == 1`:                        true, // tells the length
		`return token == "" || token == DefaultToken || token == access.DefaultToken`:                   false,
		`if len(token) < 8 { return false }; return access.Same(token, e.opts.AccessToken)`:             false,
		`for _, d := range e.all { if d.equal(got) { ok = true } }; return ok`:                          false,
		`role := e.operators.Role(api.Bearer(r)); return role == RoleAdmin`:                             false,
		`by, ok, err := e.tokens.Caller(ctx, token, app); return ok && err == nil && by == everyCaller`: false,
	} {
		early, _ := comparisons(t, "x.go", "package x\nfunc f() bool {\n"+body+"\n}\n")
		require.Equal(t, found, len(early) > 0, body)
	}
}

// comparisons returns the places where a file compares tokens in a telling way, and the number of
// its comparisons by access.
func comparisons(t *testing.T, file, src string) (early []string, constant int) {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, file, src, parser.SkipObjectResolution)
	require.NoError(t, err)
	for _, decl := range parsed.Decls {
		f, ok := decl.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		if f.Name.Name == "equal" && f.Recv != nil { // the one place where it is done
			var body bytes.Buffer
			require.NoError(t, printer.Fprint(&body, fset, f.Body))
			require.Equal(t, "{\n\treturn subtle.ConstantTimeCompare(d.sum[:], other.sum[:]) == 1\n}", body.String(), file)
			continue
		}
		s := secrets{names: map[string]bool{}}
		for before := -1; before < len(s.names); { // until nothing new is found
			before = len(s.names)
			ast.Inspect(f.Body, s.learn)
		}
		ast.Inspect(f.Body, func(n ast.Node) bool {
			if s.tells(n) {
				early = append(early, fset.Position(n.Pos()).String())
			}
			if call, ok := n.(*ast.CallExpr); ok && (calls(call, "", "equal") || calls(call, "", "Same")) {
				constant++
			}
			return true
		})
	}
	return early, constant
}

// secrets are the variables of a function that hold a token, or what was made of one, beside those
// whose names say so.
type secrets struct{ names map[string]bool }

func (s secrets) learn(n ast.Node) bool {
	note := func(left ast.Expr, right ...ast.Expr) {
		if name, ok := left.(*ast.Ident); ok && name.Name != "_" && slices.ContainsFunc(right, s.secret) {
			s.names[name.Name] = true
		}
	}
	switch n := n.(type) {
	case *ast.AssignStmt:
		if len(n.Lhs) == len(n.Rhs) {
			for i := range n.Lhs {
				note(n.Lhs[i], n.Rhs[i])
			}
		}
	case *ast.RangeStmt:
		if n.Value != nil {
			note(n.Value, n.X)
		}
	}
	return true
}

func isSecretName(name string) bool {
	return secretName.MatchString(name) && !notSecret.MatchString(name)
}

// secret reports whether an expression is a token.
func (s secrets) secret(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return s.names[e.Name] || isSecretName(e.Name)
	case *ast.SelectorExpr:
		return isSecretName(e.Sel.Name)
	case *ast.ParenExpr:
		return s.secret(e.X)
	case *ast.IndexExpr:
		return s.secret(e.X)
	case *ast.SliceExpr:
		return s.secret(e.X)
	case *ast.BasicLit:
		return e.Kind == token.STRING && strings.Contains(strings.ToUpper(e.Value), "ACCESS-TOKEN") // a header's name
	case *ast.CallExpr:
		if name := calledName(e); name == "Bearer" {
			return true
		} else if _, conversion := e.Fun.(*ast.ArrayType); !conversion && !slices.Contains(keepsSecret, name) {
			return false
		}
		return slices.ContainsFunc(e.Args, s.secret)
	}
	return false
}

// tells reports whether n compares a token in a way that takes longer the more of it is right.
func (s secrets) tells(n ast.Node) bool {
	switch n := n.(type) {
	case *ast.BinaryExpr:
		switch n.Op {
		case token.EQL, token.NEQ, token.LSS, token.GTR, token.LEQ, token.GEQ:
			return (s.secret(n.X) || s.secret(n.Y)) && !public(n.X) && !public(n.Y)
		}
	case *ast.IndexExpr:
		return s.secret(n.Index)
	case *ast.SwitchStmt:
		if n.Tag == nil {
			return false
		}
		for _, clause := range n.Body.List {
			if slices.ContainsFunc(clause.(*ast.CaseClause).List, s.secret) {
				return true
			}
		}
		return s.secret(n.Tag)
	case *ast.CallExpr:
		if calls(n, "subtle", "ConstantTimeCompare") {
			return true // tells the length of the texts; equal compares digests
		}
		for pkg, names := range comparesEarly {
			for _, name := range names {
				if calls(n, pkg, name) && slices.ContainsFunc(n.Args, s.secret) {
					return true
				}
			}
		}
	case *ast.RangeStmt:
		return leavesEarly(n.Body)
	}
	return false
}

// leavesEarly reports whether a loop that compares tokens ends with the first that is right.
func leavesEarly(loop *ast.BlockStmt) bool {
	compares, leaves := false, false
	ast.Inspect(loop, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			compares = compares || calls(n, "", "equal") || calls(n, "", "Same")
		case *ast.ReturnStmt:
			leaves = true
		case *ast.BranchStmt:
			leaves = leaves || n.Tok != token.CONTINUE
		}
		return true
	})
	return compares && leaves
}

// public reports whether everybody may know how a token compares with e, because e is empty, a
// number or the token of all sample configurations.
func public(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.BasicLit:
		return e.Value == `""` || e.Kind == token.INT
	case *ast.Ident:
		return e.Name == "nil" || e.Name == "DefaultToken"
	case *ast.SelectorExpr:
		return e.Sel.Name == "DefaultToken"
	}
	return false
}

func calledName(call *ast.CallExpr) string {
	switch f := call.Fun.(type) {
	case *ast.Ident:
		return f.Name
	case *ast.SelectorExpr:
		return f.Sel.Name
	}
	return ""
}

// calls reports whether call calls name of package pkg. An empty pkg stands for any package, and
// for none.
func calls(call *ast.CallExpr, pkg, name string) bool {
	if calledName(call) != name {
		return false
	}
	if pkg == "" {
		return true
	}
	f, ok := call.Fun.(*ast.SelectorExpr)
	if !ok {
		return false
	}
	x, ok := f.X.(*ast.Ident)
	return ok && x.Name == pkg
}
