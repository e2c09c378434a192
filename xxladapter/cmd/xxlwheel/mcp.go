package main

import (
	"context"
	"encoding/json"
	"io"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/xxlwheel/xxlwheel/xxladapter/assistant"
)

type mcpCmd struct {
	clientFlags
	AllowChanges bool `help:"Also offer tools that start, stop, trigger, create and change jobs, kill runs and pause schedules, as far as the token grants that."`
}

// Run serves one assistant over standard input and output until it closes the input.
func (c *mcpCmd) Run(inv *invocation) error {
	api := c.api()
	var description json.RawMessage
	if err := api.call(inv.ctx, "GET", "/openapi.json", nil, &description); err != nil {
		return err
	}
	version, _ := buildOf(debug.ReadBuildInfo())
	server, err := assistant.New(description, func(ctx context.Context, method, path string, body json.RawMessage) (answer json.RawMessage, err error) {
		var in any
		if body != nil {
			in = body
		}
		err = api.call(ctx, method, path, in, &answer)
		return answer, err
	}, assistant.Options{Version: version, AllowChanges: c.AllowChanges})
	if err != nil {
		return err
	}
	err = server.Run(inv.ctx, &mcp.IOTransport{Reader: io.NopCloser(inv.stdin), Writer: openWriter{inv.stdout}})
	if inv.ctx.Err() != nil {
		return nil // a signal ends it in order
	}
	return err
}

// openWriter is a writer that closing leaves open.
type openWriter struct{ io.Writer }

func (openWriter) Close() error { return nil }
