package conventions

import (
	"go/ast"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

const (
	maxColumns = 100
	tabColumns = 4 // of a tab at the beginning of a line
)

// TestCommentsFitIntoTheirLines checks that no line of a comment is wider than 100 columns. Lines
// that are not wrapped may be wider: tables and commands, which begin with a tab, directives, and
// what examples print.
func TestCommentsFitIntoTheirLines(t *testing.T) {
	files := filesOf(t, ".", ".go")
	require.Greater(t, len(files), 1000, "the test has found the files")
	for _, file := range files {
		printed := false // the line belongs to the output of an example
		for i, line := range strings.Split(readFile(t, file), "\n") {
			text := strings.TrimLeft(line, "\t")
			printed = strings.HasPrefix(text, "//") && (printed || strings.HasPrefix(text, "// Output:"))
			if printed || !strings.HasPrefix(text, "// ") {
				continue
			}
			if n := utf8.RuneCountInString(text) + tabColumns*(len(line)-len(text)); n > maxColumns {
				t.Errorf("%s:%d: the comment has %d columns, must have at most %d", file, i+1, n, maxColumns)
			}
		}
	}
}

// named is the beginning of a comment: its first word, and what follows it up to the next word.
var named = regexp.MustCompile(`^(\w+)(\S*) ?(\w*)`)

// noVerbs are words that end in s and are no verbs.
var noVerbs = []string{"across", "always", "as", "unless"}

// TestCommentsOfTestsHaveAVerb checks that a comment which begins with the name of a test continues
// with a verb in the third person, as those of other functions do: "TestX checks that ...".
func TestCommentsOfTestsHaveAVerb(t *testing.T) {
	for _, file := range filesOf(t, ".", "_test.go") {
		s := parse(t, file)
		for _, d := range s.Decls {
			f, ok := d.(*ast.FuncDecl)
			if !ok || f.Doc == nil || !strings.HasPrefix(f.Name.Name, "Test") && !strings.HasPrefix(f.Name.Name, "Benchmark") && !strings.HasPrefix(f.Name.Name, "Fuzz") {
				continue
			}
			m := named.FindStringSubmatch(f.Doc.Text())
			if m == nil || m[1] != f.Name.Name {
				continue // a sentence of its own
			}
			if m[2] != "" || !strings.HasSuffix(m[3], "s") || slices.Contains(noVerbs, m[3]) {
				t.Errorf("%v: the comment of %s continues with %q, must continue with a verb: %s checks that ...", s.at(f.Doc), f.Name.Name, m[2]+" "+m[3], f.Name.Name)
			}
		}
	}
}

// isForm is what follows the name of a function in a comment that says what the function is. "is
// called" is allowed, because comments of callbacks say it.
var isForm = regexp.MustCompile(`^\s+(is|are)\s+(\w*)`)

// TestCommentsOfFunctionsHaveAVerb checks that a comment which begins with the name of a function
// does not continue with "is" or "are", but with a verb that says what the function does: "lease
// returns ...". Helpers in test files are exempt.
func TestCommentsOfFunctionsHaveAVerb(t *testing.T) {
	n := 0
	for _, file := range sourcesOf(t, ".") {
		s := parse(t, file)
		check := func(name *ast.Ident, doc *ast.CommentGroup) {
			rest, begins := strings.CutPrefix(doc.Text(), name.Name)
			if !begins {
				return // no comment, or a sentence of its own
			}
			n++
			if m := isForm.FindStringSubmatch(rest); m != nil && m[2] != "called" {
				t.Errorf("%v: the comment of %s continues with %q, must continue with a verb: %s returns ...", s.at(doc), name.Name, m[1], name.Name)
			}
		}
		ast.Inspect(s.File, func(node ast.Node) bool {
			switch node := node.(type) {
			case *ast.FuncDecl:
				check(node.Name, node.Doc)
			case *ast.InterfaceType:
				for _, method := range node.Methods.List {
					if len(method.Names) == 1 { // others are embedded
						check(method.Names[0], method.Doc)
					}
				}
			}
			return true
		})
	}
	require.Greater(t, n, 1000, "the test has found the functions")
}

// aboutComments are the files of this package, which speak about the words that it looks for.
const aboutComments = "xxladapter/conventions/"

// requirement matches a comment that ends with a requirement.
var requirement = regexp.MustCompile(`(^|\n\n)REQUIRES: [^\n]+(\n[^\n]+)*\.\n$`)

// TestRequirementsEndTheirComments checks that what callers have to ensure is the last paragraph of
// a comment, and a sentence that begins with "REQUIRES: ".
func TestRequirementsEndTheirComments(t *testing.T) {
	n := 0
	for _, file := range filesOf(t, ".", ".go") {
		if strings.HasPrefix(file, aboutComments) {
			continue
		}
		s := parse(t, file)
		for _, c := range s.Comments {
			count := strings.Count(c.Text(), "REQUIRES")
			n += count
			if count > 1 || count == 1 && !requirement.MatchString(c.Text()) {
				t.Errorf("%v: the last paragraph of the comment, and only that, must begin with REQUIRES: and be a sentence", s.at(c))
			}
		}
	}
	require.Greater(t, n, 150, "the test has found the requirements")
}

// misspelledNil matches a small nil that begins a sentence, and a capital one that does not.
var misspelledNil = regexp.MustCompile(`\.\s+nil\b|[^.:\s]\s+Nil\b`)

// TestNilBeginsASentenceWithACapital checks that comments spell nil like any other word: "TLS
// configures the connection. Nil means none." or "nil means none" within a line.
func TestNilBeginsASentenceWithACapital(t *testing.T) {
	for _, file := range filesOf(t, ".", ".go") {
		if strings.HasPrefix(file, aboutComments) {
			continue
		}
		s := parse(t, file)
		for _, c := range s.Comments {
			if m := misspelledNil.FindString(c.Text()); m != "" {
				t.Errorf("%v: the comment has %q; only at the beginning of a sentence it is Nil", s.at(c), m)
			}
		}
	}
}
