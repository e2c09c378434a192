package assistant

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A Call makes a call of the API and returns its answer. path is relative to /api/v1 and
// includes the query; a nil body sends none. The error has the message of the API's answer.
type Call func(ctx context.Context, method, path string, body json.RawMessage) (json.RawMessage, error)

// Options configures [New] and [Page].
type Options struct {
	// Version is the version of the program, which the assistant may show.
	Version string
	// AllowChanges also offers the tools that change something.
	AllowChanges bool
	Logger       *slog.Logger // of [Page]; nil means slog.Default()
}

// instructions tell an assistant what it is connected to.
const instructions = "A job scheduler with XXL-JOB's semantics. Groups are apps of executors, jobs have schedules. " +
	"To say why a job did not run, use why with the time at which it should have run; its findings name the " +
	"records that prove them. Times are RFC 3339. Lists have a cursor in next; a list with a next is not complete."

// New returns an MCP server whose tools make calls. openAPI is the API's own document, from
// GET /api/v1/openapi.json. New fails if the document lacks a call that a tool needs.
func New(openAPI json.RawMessage, call Call, opts Options) (*mcp.Server, error) {
	var d document
	if err := json.Unmarshal(openAPI, &d); err != nil {
		return nil, fmt.Errorf("read the API's description: %w", err)
	}
	server := mcp.NewServer(
		&mcp.Implementation{Name: "xxlwheel", Version: opts.Version}, &mcp.ServerOptions{Instructions: instructions},
	)
	offered := reading
	if opts.AllowChanges {
		offered = slices.Concat(reading, changing)
	}
	for i, t := range offered {
		op, ok := d.Paths["/api/v1"+t.path][strings.ToLower(t.method)]
		if !ok {
			return nil, fmt.Errorf("the scheduler has no call %s %s, which the tool %s needs", t.method, t.path, t.name)
		}
		in, err := d.inputOf(op)
		if err != nil {
			return nil, fmt.Errorf("%s %s: %w", t.method, t.path, err)
		}
		closed := false
		server.AddTool(&mcp.Tool{
			Name: t.name, Description: strings.TrimSpace(op.Summary + " " + op.Description), InputSchema: in.schema,
			Annotations: &mcp.ToolAnnotations{ReadOnlyHint: i < len(reading), OpenWorldHint: &closed},
		}, func(ctx context.Context, req *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			result := new(mcp.CallToolResult)
			answer, err := t.do(ctx, call, in, req.Params.Arguments)
			if err != nil {
				result.SetError(err)
				return result, nil
			}
			result.Content = []mcp.Content{&mcp.TextContent{Text: string(answer)}}
			return result, nil
		})
	}
	return server, nil
}

// do makes the tool's call with the arguments of an assistant.
func (t *tool) do(ctx context.Context, call Call, in input, arguments json.RawMessage) (json.RawMessage, error) {
	given := map[string]json.RawMessage{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return nil, fmt.Errorf("the arguments are not an object: %w", err)
		}
	}
	path, query, body := t.path, url.Values{}, map[string]json.RawMessage{}
	for name, values := range t.given {
		query[name] = values
	}
	for name, value := range given {
		at, known := in.places[name]
		if !known {
			return nil, fmt.Errorf("%s is not an argument of %s", name, t.name)
		}
		if at == inBody {
			body[name] = value
			continue
		}
		text, err := textOf(value)
		if err != nil {
			return nil, fmt.Errorf("%s %w", name, err)
		}
		if at == inPath {
			path = strings.ReplaceAll(path, "{"+name+"}", url.PathEscape(text))
		} else {
			query.Set(name, text)
		}
	}
	for _, name := range in.pathArguments {
		if strings.Contains(path, "{"+name+"}") {
			return nil, fmt.Errorf("%s is missing, %s needs it", name, t.name)
		}
	}
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	if !in.hasBody || t.method == http.MethodGet {
		return call(ctx, t.method, path, nil)
	}
	sent, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	return call(ctx, t.method, path, sent)
}

// textOf formats a value for a path or a query.
func textOf(value json.RawMessage) (string, error) {
	d := json.NewDecoder(bytes.NewReader(value))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil {
		return "", err
	}
	switch v := v.(type) {
	case string:
		if v == "" || v == "." || v == ".." {
			return "", fmt.Errorf("is %q, must be neither empty nor a path", v)
		}
		return v, nil
	case json.Number:
		return v.String(), nil
	case bool:
		return strconv.FormatBool(v), nil
	}
	return "", fmt.Errorf("must be a text, a number, true or false")
}
