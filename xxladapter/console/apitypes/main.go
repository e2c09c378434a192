// Command apitypes writes the types of the management API in TypeScript, made from its OpenAPI
// document. Its argument is the file to write.
package main

import (
	"encoding/json"
	"fmt"
	"log/slog"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/admin"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "apitypes: needs the file to write")
		os.Exit(2)
	}
	text, err := declarations()
	if err == nil {
		err = os.WriteFile(os.Args[1], []byte(text), 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "apitypes:", err)
		os.Exit(1)
	}
}

// A document is the part of the OpenAPI document that becomes types.
type document struct {
	Paths      map[string]map[string]operation `json:"paths"`
	Components struct {
		Schemas map[string]schema `json:"schemas"`
	} `json:"components"`
}

type operation struct {
	Summary    string `json:"summary"`
	Notes      string `json:"description"`
	Parameters []struct {
		Name     string `json:"name"`
		In       string `json:"in"`
		Required bool   `json:"required"`
		Schema   schema `json:"schema"`
	} `json:"parameters"`
	RequestBody *struct {
		Required bool    `json:"required"`
		Content  content `json:"content"`
	} `json:"requestBody"`
	Responses map[string]struct {
		Content content `json:"content"`
	} `json:"responses"`
}

type content map[string]struct {
	Schema schema `json:"schema"`
}

type schema struct {
	Ref         string            `json:"$ref"`
	Type        string            `json:"type"`
	Enum        []string          `json:"enum"`
	Items       *schema           `json:"items"`
	AllOf       []schema          `json:"allOf"`
	Properties  map[string]schema `json:"properties"`
	Required    []string          `json:"required"`
	Description string            `json:"description"`
}

// declarations returns the types: one for each schema, and Calls with the parameters, body and
// answer of each call, by its method and its path below /api/v1.
func declarations() (string, error) {
	// The document does not depend on the options, and no other call is made.
	server, err := admin.New(admin.Options{
		Store: struct{ xxladapter.Store }{}, Completer: struct{ admin.Completer }{},
		Logger: slog.New(slog.DiscardHandler),
	})
	if err != nil {
		return "", err
	}
	request := httptest.NewRequest(http.MethodGet, "http://localhost/api/v1/openapi.json", nil)
	answer := httptest.NewRecorder()
	server.ServeHTTP(answer, request)
	var doc document
	if err := json.Unmarshal(answer.Body.Bytes(), &doc); err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString("// Generated from the OpenAPI document by apitypes; go generate writes it again.\n\n")
	for _, name := range slices.Sorted(maps.Keys(doc.Components.Schemas)) {
		fmt.Fprintf(&b, "export interface %s %s\n\n", name, fields(doc.Components.Schemas[name], ""))
	}
	b.WriteString("export interface Calls {\n")
	for _, path := range slices.Sorted(maps.Keys(doc.Paths)) {
		for _, method := range slices.Sorted(maps.Keys(doc.Paths[path])) {
			o := doc.Paths[path][method]
			fmt.Fprintf(&b, "\t/** %s */\n\t%q: {\n", strings.TrimSpace(o.Summary+" "+o.Notes), strings.ToUpper(method)+
				" "+strings.TrimPrefix(path, "/api/v1"))
			fmt.Fprintf(&b, "\t\tparams: %s;\n\t\tbody: ", o.params())
			if o.RequestBody == nil {
				b.WriteString("undefined")
			} else {
				b.WriteString(media(o.RequestBody.Content))
				if !o.RequestBody.Required {
					b.WriteString(" | undefined")
				}
			}
			fmt.Fprintf(&b, ";\n\t\tanswer: %s;\n\t};\n", media(o.Responses["200"].Content))
		}
	}
	b.WriteString("}\n")
	return b.String(), nil
}

// params returns the type of a call's parameters, without headers.
func (o operation) params() string {
	var members []string
	for _, p := range o.Parameters {
		if p.In != "header" {
			members = append(members, fmt.Sprintf(" %s%s: %s", property(p.Name), optional(p.Required), p.Schema.typescript("")))
		}
	}
	return "{" + strings.Join(members, ";") + " }"
}

// media returns the type of a body.
func media(c content) string {
	json, known := c["application/json"]
	if !known {
		return "string"
	}
	return json.Schema.typescript("\t\t")
}

// typescript returns the type of a schema.
func (s schema) typescript(indent string) string {
	switch {
	case s.Ref != "":
		return s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	case len(s.AllOf) > 0: // the other parts only name required fields
		return s.AllOf[0].typescript(indent)
	case len(s.Enum) > 0:
		values := make([]string, len(s.Enum))
		for i, v := range s.Enum {
			values[i] = strconv.Quote(v)
		}
		return strings.Join(values, " | ")
	}
	switch s.Type {
	case "integer", "number":
		return "number"
	case "boolean", "string":
		return s.Type
	case "array":
		if item := s.Items.typescript(indent); strings.Contains(item, "|") {
			return "(" + item + ")[]"
		} else {
			return item + "[]"
		}
	case "object":
		if len(s.Properties) > 0 {
			return fields(s, indent)
		}
		return "Record<string, unknown>"
	}
	return "unknown"
}

// fields returns the members of an object type.
func fields(s schema, indent string) string {
	var b strings.Builder
	b.WriteString("{\n")
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		p := s.Properties[name]
		if p.Description != "" {
			fmt.Fprintf(&b, "%s\t/** %s */\n", indent, p.Description)
		}
		fmt.Fprintf(
			&b, "%s\t%s%s: %s;\n", indent, property(name), optional(slices.Contains(s.Required, name)),
			p.typescript(indent+"\t"),
		)
	}
	b.WriteString(indent + "}")
	return b.String()
}

func optional(required bool) string {
	if required {
		return ""
	}
	return "?"
}

// property quotes a name that is no identifier.
func property(name string) string {
	if strings.ContainsAny(name, "-.") {
		return strconv.Quote(name)
	}
	return name
}
