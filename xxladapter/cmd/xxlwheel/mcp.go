package main

import (
	"context"
	"encoding/json"
	"io"
	"runtime/debug"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/xxlwheel/xxlwheel/xxladapter/assistant"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

type mcpCmd struct {
	client.Flags
	AllowChanges bool `help:"Also offer tools that start, stop, trigger, create and change jobs, kill runs and pause schedules, as far as the token grants that."`
}

// Run serves one assistant over standard input and output until it closes the input.
func (c *mcpCmd) Run(inv *command.Invocation) error {
	api := c.API()
	var description json.RawMessage
	if err := api.Call(inv.Context, "GET", "/openapi.json", nil, &description); err != nil {
		return err
	}
	version, _ := command.Build(debug.ReadBuildInfo())
	server, err := assistant.New(description,
		func(ctx context.Context, method, path string, body json.RawMessage) (answer json.RawMessage, err error) {
			var in any
			if body != nil {
				in = body
			}
			err = api.Call(ctx, method, path, in, &answer)
			return answer, err
		}, assistant.Options{Version: version, AllowChanges: c.AllowChanges})
	if err != nil {
		return err
	}
	err = server.Run(inv.Context, &mcp.IOTransport{Reader: io.NopCloser(inv.Stdin), Writer: openWriter{inv.Stdout}})
	if inv.Context.Err() != nil {
		return nil // a signal ends it in order
	}
	return err
}

// openWriter is a writer that closing leaves open.
type openWriter struct{ io.Writer }

func (openWriter) Close() error { return nil }
