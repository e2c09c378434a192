package declare

import (
	"errors"
	"fmt"
	"io"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A File is a declaration, or a script that one names.
type File struct {
	Name string `json:"name" doc:"The path of the file, with slashes. Names that end in .yaml, .yml or .json are declarations, all others scripts."`
	Text string `json:"text" doc:"What the file contains, in UTF-8."`
}

// Declares reports whether the file is a declaration, by its name.
func (f *File) Declares() bool {
	switch path.Ext(f.Name) {
	case ".yaml", ".yml", ".json":
		return true
	}
	return false
}

// A Source is a document with the places in files that it was read from.
type Source struct {
	Document
	places map[string]place // by the place in the document
}

type place struct {
	file string
	line int
}

// Locate adds file and line to problems, and sorts by them. A place that is in no file gets the
// position of the place that contains it.
func (s *Source) Locate(problems []Problem) []Problem {
	located := slices.Clone(problems)
	for i, p := range located {
		if p.File != "" {
			continue
		}
		at := p.At
		found, known := s.places[at]
		for !known && at != "" {
			at = at[:max(strings.LastIndexAny(at, ".["), 0)]
			found, known = s.places[at]
		}
		located[i].File, located[i].Line = found.file, found.line
	}
	slices.SortStableFunc(located, func(a, b Problem) int {
		if a.File != b.File {
			return strings.Compare(a.File, b.File)
		}
		return a.Line - b.Line
	})
	return located
}

// Read reads declarations and the scripts that they name, as one document. Each file has one or
// more YAML documents, or one in JSON; unknown fields, duplicate ones and wrong types are problems.
// Anchors, aliases and merge keys are resolved.
func Read(files []File) (*Source, []Problem) {
	r := &reader{source: &Source{places: map[string]place{}}, scripts: map[string]string{}, nodes: maxNodes}
	for _, f := range files {
		if !f.Declares() {
			r.scripts[path.Clean(f.Name)] = f.Text
		}
	}
	for _, f := range files {
		if f.Declares() {
			r.file = f.Name
			r.read(f.Text)
		}
	}
	return r.source, r.problems
}

// maxNodes limits the values in all files; an alias counts as all values that it expands to.
const maxNodes = 1_000_000

// A reader reads files into a source.
type reader struct {
	source   *Source
	scripts  map[string]string // by name
	file     string            // that is being read
	problems []Problem
	nodes    int          // that may still be read
	merging  []*yaml.Node // the mappings that are being merged
}

// maxProblems limits how many problems are reported.
const maxProblems = 100

func (r *reader) report(line int, at string, err error) {
	if len(r.problems) == maxProblems {
		return
	}
	r.problems = append(r.problems, Problem{File: r.file, Line: line, At: at, Message: err.Error(), Err: err})
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

func (r *reader) read(text string) {
	d := yaml.NewDecoder(strings.NewReader(asYAML(text)))
	for {
		var node yaml.Node
		err := d.Decode(&node)
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			line, message := 0, err.Error()
			if m := yamlLine.FindStringSubmatch(message); m != nil {
				line, _ = strconv.Atoi(m[1])
				message = message[len(m[0]):]
			}
			r.report(line, "", xxladapter.Invalidf(errorrule.NotYAML, "not YAML: %s", strings.TrimPrefix(message, "yaml: ")))
			return
		}
		var part Document
		found := len(r.problems)
		places := map[string]int{}
		r.decode(&node, &part, places)
		r.join(&part, places, found)
	}
}

// join appends a document to the source. The problems from index found on are the document's.
func (r *reader) join(part *Document, places map[string]int, found int) {
	whole := &r.source.Document
	rename := func(at string) string {
		for prefix, before := range map[string]int{
			"jobs[": len(whole.Jobs), "groups[": len(whole.Groups), "calendars[": len(whole.Calendars),
		} {
			if rest, ok := strings.CutPrefix(at, prefix); ok {
				number, field, _ := strings.Cut(rest, "]")
				n, _ := strconv.Atoi(number)
				return fmt.Sprint(prefix, n+before, "]", field)
			}
		}
		return at
	}
	for i := range r.problems[found:] {
		r.problems[found+i].At = rename(r.problems[found+i].At)
	}
	for at, line := range places {
		at = rename(at)
		if _, known := r.source.places[at]; !known { // lists and the whole keep the place of the first part
			r.source.places[at] = place{r.file, line}
		}
	}
	for i := range part.Jobs {
		r.script(
			&part.Jobs[i], fmt.Sprintf("jobs[%d]", i+len(whole.Jobs)),
			places[fmt.Sprintf("jobs[%d].glueSourceFile", i)],
		)
	}
	switch {
	case part.Owner == "":
	case whole.Owner == "":
		whole.Owner = part.Owner
	case whole.Owner != part.Owner:
		r.report(places["owner"], "owner", xxladapter.Invalidf(errorrule.OwnerDiffers,
			"%s is %q, must be %q as in the other files",
			"owner", part.Owner, whole.Owner))
	}
	whole.Calendars = append(whole.Calendars, part.Calendars...)
	whole.Groups = append(whole.Groups, part.Groups...)
	whole.Jobs = append(whole.Jobs, part.Jobs...)
}

// script replaces the name of a script's file by what the file contains.
func (r *reader) script(e *JobEntry, at string, line int) {
	if e.GlueSourceFile == "" {
		return
	}
	name, inside := ScriptPath(r.file, e.GlueSourceFile)
	text, given := r.scripts[name]
	switch {
	case e.GlueSource != "":
		r.report(line, at+".glueSourceFile", xxladapter.Invalidf(errorrule.TwoSources,
			"glueSource and %s are both given, must be one of them",
			"glueSourceFile"))
	case !inside:
		r.report(line, at+".glueSourceFile", xxladapter.Invalidf(errorrule.SourceOutside,
			"%s is %q, must be a relative path below the folder of the declaration",
			"glueSourceFile", e.GlueSourceFile))
	case !given:
		r.report(line, at+".glueSourceFile", xxladapter.Invalidf(errorrule.SourceNotGiven,
			"%s is %q, must be one of the given files: there is no %s",
			"glueSourceFile", e.GlueSourceFile, name))
	}
	e.GlueSource, e.GlueSourceFile = text, ""
}

// ScriptPath returns the path of a script that a declaration names, and whether it is below the
// declaration's folder.
func ScriptPath(declaration, script string) (name string, inside bool) {
	script = path.Clean(script)
	inside = !path.IsAbs(script) && script != ".." && !strings.HasPrefix(script, "../") &&
		!strings.ContainsRune(script, '\\')
	return path.Join(path.Dir(declaration), script), inside
}

// Scripts returns the names of the scripts that a declaration names, as far as it can be read.
func Scripts(f File) (names []string) {
	r := &reader{
		source: &Source{places: map[string]place{}}, file: f.Name, nodes: maxNodes, scripts: map[string]string{},
	}
	d := yaml.NewDecoder(strings.NewReader(asYAML(f.Text)))
	for {
		var node yaml.Node
		if d.Decode(&node) != nil {
			return names
		}
		var part Document
		r.decode(&node, &part, map[string]int{})
		for _, j := range part.Jobs {
			if name, inside := ScriptPath(f.Name, j.GlueSourceFile); j.GlueSourceFile != "" && inside {
				names = append(names, name)
			}
		}
	}
}
