package declare

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// decode reads a node into a document and notes the line of each place. Unlike yaml's own decoder
// it knows fields by their JSON names, and reports the place of every problem.
func (r *reader) decode(node *yaml.Node, doc *Document, places map[string]int) {
	if node.Kind == yaml.DocumentNode {
		if len(node.Content) == 0 || isNull(node.Content[0]) {
			return
		}
		node = node.Content[0]
	}
	r.value(node, reflect.ValueOf(doc).Elem(), "", places)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// count counts a node, and reports whether it may be read. The first one beyond maxNodes is a
// problem.
func (r *reader) count(n *yaml.Node, at string) bool {
	r.nodes--
	if r.nodes == -1 {
		r.report(n.Line, at, xxladapter.Invalidf(errorrule.TooManyValues,
			"the files have more than %[1]d values with their aliases, must have at most %[1]d", maxNodes))
	}
	return r.nodes >= 0
}

// value reads a node into v.
func (r *reader) value(n *yaml.Node, v reflect.Value, at string, places map[string]int) {
	if !r.count(n, at) {
		return
	}
	if _, known := places[at]; !known {
		places[at] = n.Line
	}
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch v.Kind() {
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		r.value(n, v.Elem(), at, places)
	case reflect.Struct:
		r.fields(n, v, at, places, map[string]bool{})
	case reflect.Slice:
		if n.Kind != yaml.SequenceNode {
			r.wrong(n, at, "a list")
			return
		}
		v.Set(reflect.MakeSlice(v.Type(), len(n.Content), len(n.Content)))
		for i, item := range n.Content {
			r.value(item, v.Index(i), fmt.Sprintf("%s[%d]", at, i), places)
		}
	default:
		r.scalar(n, v, at)
	}
}

// fields reads a mapping into a struct, without the fields that are already given: those of the
// mappings that merge this one, and of sources before it. It adds the mapping's own to them.
func (r *reader) fields(n *yaml.Node, v reflect.Value, at string, places map[string]int, given map[string]bool) {
	if n.Kind != yaml.MappingNode {
		r.wrong(n, at, "a mapping")
		return
	}
	fields := map[string]int{}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		fields[name] = i
	}
	own := map[string]bool{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := key.Value
		if key.ShortTag() == "!!merge" {
			continue // after the mapping's own fields
		}
		if given[name] {
			if !r.count(key, at) { // so that merging one mapping again and again has a limit
				return
			}
			continue
		}
		field, known := fields[name]
		where := strings.TrimPrefix(at+"."+name, ".")
		switch {
		case key.Kind != yaml.ScalarNode || !known:
			r.report(key.Line, at, xxladapter.Invalidf(errorrule.UnknownDeclaredField, "unknown field %q", name))
		case own[name]:
			r.report(key.Line, where, xxladapter.Invalidf(errorrule.Once, "%s is given twice, must be given once", name))
		case isNull(value):
			places[where] = key.Line // as if it were omitted
		default:
			places[where] = key.Line
			r.value(value, v.Field(field), where, places)
		}
		own[name] = true
	}
	maps.Copy(given, own)
	r.merge(n, v, at, places, given)
}

// merge reads what merge keys bring, for fields that are not given.
func (r *reader) merge(n *yaml.Node, v reflect.Value, at string, places map[string]int, given map[string]bool) {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].ShortTag() != "!!merge" {
			continue
		}
		sources := []*yaml.Node{n.Content[i+1]}
		for sources[0].Kind == yaml.AliasNode {
			sources[0] = sources[0].Alias
		}
		if sources[0].Kind == yaml.SequenceNode {
			sources = sources[0].Content
		}
		for _, from := range sources {
			for from.Kind == yaml.AliasNode {
				from = from.Alias
			}
			if from == n || slices.Contains(r.merging, from) {
				r.report(from.Line, at, xxladapter.Invalidf(errorrule.MergesItself, "the mapping merges itself"))
				return
			}
			if !r.count(from, at) {
				return
			}
			r.merging = append(r.merging, n, from)
			r.fields(from, v, at, places, given)
			r.merging = r.merging[:len(r.merging)-2]
		}
	}
}

// scalar reads a text, a number or a boolean.
func (r *reader) scalar(n *yaml.Node, v reflect.Value, at string) {
	tag := n.ShortTag()
	if n.Kind != yaml.ScalarNode {
		tag = ""
	}
	switch v.Kind() {
	case reflect.String:
		switch tag {
		case "!!str", "!!int", "!!float", "!!timestamp": // a number is a text as it is written
			v.SetString(n.Value)
			return
		}
		r.wrong(n, at, "a text")
	case reflect.Bool:
		if on, err := strconv.ParseBool(strings.ToLower(n.Value)); tag == "!!bool" && err == nil {
			v.SetBool(on)
			return
		}
		r.wrong(n, at, "true or false")
	case reflect.Int, reflect.Int64:
		if number, err := strconv.ParseInt(n.Value, 10, v.Type().Bits()); tag == "!!int" && err == nil {
			v.SetInt(number)
			return
		}
		r.wrong(n, at, "an integer")
	default:
		panic("declare: no way to read a " + v.Type().String())
	}
}

func (r *reader) wrong(n *yaml.Node, at, want string) {
	is := map[yaml.Kind]string{yaml.SequenceNode: "a list", yaml.MappingNode: "a mapping"}[n.Kind]
	if is == "" {
		is = strconv.Quote(n.Value)
	}
	field := at[strings.LastIndexByte(at, '.')+1:]
	if field == "" {
		field = "the document"
	}
	r.report(n.Line, at, xxladapter.Invalidf(errorrule.DeclaredShape, "%s is %s, must be %s", field, is, want))
}
