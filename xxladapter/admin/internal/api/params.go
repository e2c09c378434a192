package api

import (
	"iter"
	"maps"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/errorrule"
)

// A Param is a field of a call's parameters, tagged `path:"id"`, `query:"limit"` or
// `header:"Idempotency-Key"`, with a sentence in `doc`. Its type is a string type, *string, bool,
// *bool, int, int64 or time.Time.
type Param struct {
	In, Name, doc string
	index         []int
	Kind          reflect.Type
}

// ParamsOf yields the parameters of a struct and of the structs embedded in it.
func ParamsOf(t reflect.Type) iter.Seq[Param] {
	return func(yield func(Param) bool) {
		for _, f := range reflect.VisibleFields(t) {
			for _, in := range []string{"path", "query", "header"} {
				name, ok := f.Tag.Lookup(in)
				if !ok {
					continue
				}
				if !yield(Param{In: in, Name: name, doc: f.Tag.Get("doc"), index: f.Index, Kind: f.Type}) {
					return
				}
			}
		}
	}
}

// conditions are headers by which a client has a change depend on what it has read. The API reads
// conditions from no header, and a change that ignored one would overwrite what the client wanted
// to keep. A read may ignore them: its answer is a whole one.
var conditions = []string{"If-Match", "If-None-Match", "If-Unmodified-Since"}

// DecodeParams decodes the parameters of r into the struct that v points to. Missing parameters
// stay zero. Unknown query parameters are refused, since they are most likely misspelled.
func DecodeParams(r *http.Request, v any) error {
	for _, name := range conditions {
		if _, given := r.Header[name]; given && !reads(r) {
			return notAParameter(name, r)
		}
	}
	to := reflect.ValueOf(v).Elem()
	query, err := queryOf(r)
	if err != nil {
		return err
	}
	for p := range ParamsOf(to.Type()) {
		field := to.FieldByIndex(p.index)
		if p.In == "path" {
			set := setPathID
			if field.Kind() == reflect.String {
				set = setParam
			}
			if err := set(field, p.Name, r.PathValue(p.Name)); err != nil {
				return err
			}
			continue
		}
		texts, given := query[p.Name]
		if p.In == "header" {
			texts, given = r.Header[http.CanonicalHeaderKey(p.Name)]
		} else {
			delete(query, p.Name)
		}
		if !given {
			continue
		}
		if err := checkOnce(p.Name, texts); err != nil {
			return err
		}
		if err := setParam(field, p.Name, texts[0]); err != nil {
			return err
		}
	}
	for _, name := range slices.Sorted(maps.Keys(query)) {
		return notAParameter(name, r)
	}
	return nil
}

// queryOf parses the query of r. A part that is malformed is refused, such as author=50% or a;b: a
// call without it would mean something else.
func queryOf(r *http.Request) (url.Values, error) {
	query, err := url.ParseQuery(r.URL.RawQuery)
	if err == nil {
		return query, nil
	}
	for part := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if _, err := url.ParseQuery(part); err != nil {
			return nil, notAParameter(part, r)
		}
	}
	return nil, notAParameter("...", r) // there are too many
}

func notAParameter(name string, r *http.Request) error {
	return xxladapter.Invalidf(errorrule.UnknownParameter, "%q is not a parameter of %s %s",
		name, r.Method, strings.TrimPrefix(r.Pattern, r.Method+" "))
}

// checkOnce refuses a parameter that is given more than once: one of the values would be ignored.
func checkOnce(name string, texts []string) error {
	if len(texts) > 1 {
		return xxladapter.Invalidf(errorrule.Once, "%s is given %d times, must be given once", name, len(texts))
	}
	return nil
}

// setPathID sets an id or a version number, which must be a positive integer.
func setPathID(field reflect.Value, name, text string) error {
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id <= 0 || strconv.FormatInt(id, 10) != text {
		return xxladapter.Invalidf(errorrule.Positive, "%s is %q, must be a positive integer", name, text)
	}
	field.SetInt(id)
	return nil
}

func setParam(field reflect.Value, name, text string) error {
	switch field.Interface().(type) {
	case time.Time:
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return xxladapter.Invalidf(errorrule.Instant,
				"%s is %q, must be an RFC 3339 instant such as 2026-01-02T15:04:05Z",
				name, text)
		}
		field.Set(reflect.ValueOf(at))
		return nil
	case bool, *bool:
		on := text == "" || text == "true" || text == "1" // ?newest alone means true
		if !on && text != "false" && text != "0" {
			return xxladapter.Invalidf(errorrule.OneOf, "%s is %q, must be %s", name, text, errorrule.Or{"true", "false"})
		}
		if field.Kind() == reflect.Pointer {
			field.Set(reflect.ValueOf(&on))
		} else {
			field.SetBool(on)
		}
		return nil
	}
	if _, optional := field.Interface().(*string); optional || field.Kind() == reflect.String {
		if !utf8.ValidString(text) {
			return xxladapter.Invalidf(errorrule.UTF8, "%s is not valid UTF-8", name)
		}
		if optional {
			field.Set(reflect.ValueOf(&text))
		} else {
			field.SetString(text)
		}
		return nil
	}
	n, err := strconv.ParseInt(text, 10, field.Type().Bits())
	if err != nil || n < 0 || strconv.FormatInt(n, 10) != text {
		return xxladapter.Invalidf(errorrule.NotNegative, "%s is %q, must be an integer of 0 or more", name, text)
	}
	field.SetInt(n)
	return nil
}
