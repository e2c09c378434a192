package conventions

import (
	"path"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

var (
	link    = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	heading = regexp.MustCompile(`(?m)^#+ +(.*)$`)
	noWord  = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// TestLinksLeadSomewhere checks that links between the documents, and from them to files and
// headings, lead somewhere.
func TestLinksLeadSomewhere(t *testing.T) {
	for _, file := range filesOf(t, ".", ".md") {
		for _, m := range link.FindAllStringSubmatch(readFile(t, file), -1) {
			target, fragment, _ := strings.Cut(m[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			to := file
			if target != "" {
				to = path.Join(path.Dir(file), target)
			}
			if !exists(to) {
				t.Errorf("%s links to %s, which does not exist", file, m[1])
				continue
			}
			if fragment != "" && !headings(readFile(t, to))[fragment] {
				t.Errorf("%s links to %s, which has no such heading", file, m[1])
			}
		}
	}
}

// TestTextFitsIntoItsLines checks that no line of a document is wider than 100 columns, except
// tables, code, headings and pictures. Chinese has no spaces at which a line could end.
func TestTextFitsIntoItsLines(t *testing.T) {
	for _, file := range filesOf(t, ".", ".md") {
		if strings.HasPrefix(file, "bench/results/") || strings.HasSuffix(file, ".zh-CN.md") {
			continue // generated, or Chinese
		}
		code := false
		for i, line := range strings.Split(readFile(t, file), "\n") {
			text := strings.TrimLeft(line, " ")
			if strings.HasPrefix(text, "```") {
				code = !code
			}
			if code || text == "" || strings.ContainsAny(text[:1], "|#<!") || strings.HasPrefix(line, "    ") {
				continue
			}
			if n := utf8.RuneCountInString(line); n > maxColumns {
				t.Errorf("%s:%d: the line has %d columns, must have at most %d", file, i+1, n, maxColumns)
			}
		}
	}
}

// headings returns the fragments by which the headings of a document are linked to.
func headings(text string) map[string]bool {
	fragments := map[string]bool{}
	for _, m := range heading.FindAllStringSubmatch(text, -1) {
		fragments[strings.ReplaceAll(noWord.ReplaceAllString(strings.ToLower(m[1]), ""), " ", "-")] = true
	}
	return fragments
}

var (
	namedTest = regexp.MustCompile("`((?:Test|Fuzz|Example|Benchmark)[A-Z]\\w*)`")
	namedCase = regexp.MustCompile("`([A-Z][a-z]\\w*)/([A-Z][a-z]\\w*)`")
	testFunc  = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Example|Benchmark)\w*)\(`)
	suiteCase = regexp.MustCompile(`\{"([A-Z]\w*)", `)
)

// TestNamedTestsExist checks that every test that a document names exists, and that each row of the
// tables of promises, faults and differences names a test.
func TestNamedTestsExist(t *testing.T) {
	tests, cases := map[string]bool{}, map[string]bool{}
	for _, file := range filesOf(t, ".", "_test.go") {
		for _, m := range testFunc.FindAllStringSubmatch(readFile(t, file), -1) {
			tests[m[1]] = true
		}
	}
	for _, file := range filesOf(t, "xxladapter/storetest", ".go") {
		for _, m := range suiteCase.FindAllStringSubmatch(readFile(t, file), -1) {
			cases[m[1]] = true
		}
	}
	for _, file := range filesOf(t, ".", ".md") {
		text := readFile(t, file)
		for _, m := range namedTest.FindAllStringSubmatch(text, -1) {
			if !tests[m[1]] {
				t.Errorf("%s names %s, which does not exist", file, m[1])
			}
		}
		for _, m := range namedCase.FindAllStringSubmatch(text, -1) {
			if !cases[m[1]] || !cases[m[2]] {
				t.Errorf("%s names the case %s/%s, which storetest does not have", file, m[1], m[2])
			}
		}
	}
	for file, rows := range map[string]string{
		"README.md":                      section(t, readFile(t, "README.md"), "### What it promises"),
		"SECURITY.md":                    section(t, readFile(t, "SECURITY.md"), "## Faults of XXL-JOB"),
		"xxladapter/docs/differences.md": readFile(t, "xxladapter/docs/differences.md"),
	} {
		n := 0
		for line := range strings.Lines(rows) {
			if !strings.HasPrefix(line, "| ") || strings.Contains(line, "| test |") || strings.Contains(line, "| held by |") {
				continue
			}
			n++
			if !namedTest.MatchString(line) && !namedCase.MatchString(line) {
				t.Errorf("%s: a row names no test: %s", file, line)
			}
		}
		require.Greater(t, n, 5, "%s: the table is read", file)
	}
}

// section returns the lines from a heading to the next one.
func section(t *testing.T, text, title string) string {
	t.Helper()
	_, text, found := strings.Cut(text, title+"\n")
	require.True(t, found, title)
	text, _, _ = strings.Cut(text, "\n#")
	return text
}

var (
	madeTarget = regexp.MustCompile("(?m)(?:`|^)make ([a-z0-9-]+)")
	target     = regexp.MustCompile(`(?m)^([a-z0-9-]+):`)
)

// TestNamedTargetsExist checks that the Makefile has each target that a document names.
func TestNamedTargetsExist(t *testing.T) {
	targets := map[string]bool{}
	for _, m := range target.FindAllStringSubmatch(readFile(t, "Makefile"), -1) {
		targets[m[1]] = true
	}
	for _, file := range append(filesOf(t, ".", ".md"), ".ci/run", "xxladapter/faults/doc.go") {
		for _, m := range madeTarget.FindAllStringSubmatch(strings.ReplaceAll(readFile(t, file), "//\t", ""), -1) {
			if !targets[m[1]] {
				t.Errorf("%s says make %s, and there is no such target", file, m[1])
			}
		}
	}
}
