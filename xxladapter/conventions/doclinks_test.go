package conventions

import (
	"go/ast"
	"go/build"
	"path"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

var (
	// A docLink is what a comment has between brackets: a name, which may have a package or a type
	// before it.
	docLink      = regexp.MustCompile(`(?m)(?:^|[\s(])\[\*?(\w+(?:\.\w+)*)\](?:$|[\s).,:;'])`)
	preformatted = regexp.MustCompile(`(?m)^\s.*$`)
	majorVersion = regexp.MustCompile(`/v\d+$`)
)

// TestDocLinksLeadSomewhere checks that what comments of declarations link to is declared. The
// names of other modules are not looked up.
func TestDocLinksLeadSomewhere(t *testing.T) {
	folders := map[string]*documented{}
	for _, file := range filesOf(t, ".", ".go") {
		folder := path.Dir(file)
		if folders[folder] == nil {
			folders[folder] = &documented{names: map[string]bool{}, imports: map[string]string{}}
		}
		folders[folder].add(t, parse(t, file))
	}
	links := 0
	for _, d := range folders {
		for _, s := range d.files {
			for _, comment := range docsOf(s.File) {
				text := preformatted.ReplaceAllString(comment.Text(), "")
				for _, m := range docLink.FindAllStringSubmatch(text, -1) {
					first, rest, dotted := strings.Cut(m[1], ".")
					if !dotted && !ast.IsExported(first) || strings.Contains(text, "["+m[1]+"]: ") {
						continue // a part of a command line, or the text of a link to a page
					}
					links++
					if !d.declares(folders, first, rest) {
						t.Errorf("%s: [%s] leads nowhere", s.at(comment), m[1])
					}
				}
			}
		}
	}
	require.Greater(t, links, 1000, "the test has found them")
}

// A documented folder has the declarations and the imports of its Go files.
type documented struct {
	files   []source
	names   map[string]bool   // also Type.Method and Type.Field
	imports map[string]string // paths by the names that the files use
}

func (d *documented) add(t *testing.T, s source) {
	d.files = append(d.files, s)
	for _, spec := range s.Imports {
		of, err := strconv.Unquote(spec.Path.Value)
		require.NoError(t, err)
		name := path.Base(majorVersion.ReplaceAllString(of, ""))
		name = strings.TrimPrefix(name, "go-")
		if spec.Name != nil {
			name = spec.Name.Name
		}
		d.imports[name] = of
	}
	for _, decl := range s.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			d.names[receiver(decl)+decl.Name.Name] = true
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				d.addSpec(spec)
			}
		}
	}
}

func (d *documented) addSpec(spec ast.Spec) {
	switch spec := spec.(type) {
	case *ast.ValueSpec:
		for _, name := range spec.Names {
			d.names[name.Name] = true
		}
	case *ast.TypeSpec:
		d.names[spec.Name.Name] = true
		ast.Inspect(spec.Type, func(n ast.Node) bool {
			if field, ok := n.(*ast.Field); ok {
				for _, name := range field.Names {
					d.names[spec.Name.Name+"."+name.Name] = true
				}
			}
			return true
		})
	}
}

// declares reports whether a link leads to a name of the folder, or of a package that it imports or
// that belongs to Go.
func (d *documented) declares(folders map[string]*documented, first, rest string) bool {
	name := first
	if rest != "" {
		name += "." + rest
	}
	if d.names[name] {
		return true
	}
	of, imported := d.imports[first]
	if !imported {
		std, err := build.Default.Import(first, "", build.FindOnly)
		return rest != "" && err == nil && std.Goroot
	}
	ours, isOurs := strings.CutPrefix(of, module)
	return !isOurs || rest != "" && folders[ours].names[rest]
}

// receiver returns the type of a method with a dot, and nothing for a function.
func receiver(f *ast.FuncDecl) string {
	if f.Recv == nil {
		return ""
	}
	return receiverType(f.Recv.List[0].Type) + "."
}

// docsOf returns the comments of a file's declarations, their fields and the package.
func docsOf(file *ast.File) (docs []*ast.CommentGroup) {
	ast.Inspect(file, func(n ast.Node) bool {
		var doc *ast.CommentGroup
		switch n := n.(type) {
		case *ast.File:
			doc = n.Doc
		case *ast.FuncDecl:
			doc = n.Doc
		case *ast.GenDecl:
			doc = n.Doc
		case *ast.TypeSpec:
			doc = n.Doc
		case *ast.ValueSpec:
			doc = n.Doc
		case *ast.Field:
			doc = n.Doc
		}
		if doc != nil {
			docs = append(docs, doc)
		}
		return true
	})
	return docs
}
