package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// assist starts "xxlwheel mcp" as an assistant does, and connects to it.
func assist(t *testing.T, args ...string) *mcp.ClientSession {
	t.Helper()
	testserver.Short(t)
	cmd := exec.Command(os.Args[0], append([]string{"mcp"}, args...)...)
	cmd.Env = append(os.Environ(), roleVariable+"=xxlwheel", noParent+"=1") // standard input is the assistant's
	cmd.Stderr = t.Output()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test"}, nil).Connect(t.Context(), &mcp.CommandTransport{Command: cmd}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// asked calls a tool and returns its text, and whether it is an error.
func asked(t *testing.T, session *mcp.ClientSession, tool, arguments string) (text string, refused bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	require.NoError(t, err, tool)
	require.Len(t, result.Content, 1, tool)
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// TestAssistantsReadAndChange connects an assistant to a real scheduler, with a token that may read
// and with one that may change.
func TestAssistantsReadAndChange(t *testing.T) {
	_, server := serveOn(t, filepath.Join(t.TempDir(), "x.db"), "--access-token", "of-executors", "--operator-token", "of-operators", "--read-token", "of-readers")
	operate := func(words ...string) string {
		return mustCLI(t, append(words, "--server", server, "--access-token", "of-operators")...)
	}
	require.Equal(t, "1", operate("job", "add", "--app", "billing", "--name", "nightly", "--handler", "h", "--cron", "0 0 2 * * ?"))

	reader := assist(t, "--server", server, "--access-token", "of-readers")
	tools, err := reader.ListTools(t.Context(), nil)
	require.NoError(t, err)
	for _, tool := range tools.Tools {
		require.True(t, tool.Annotations.ReadOnlyHint, tool.Name)
		require.NotEmpty(t, tool.Description, tool.Name)
	}
	text, refused := asked(t, reader, "list_jobs", `{"name":"night"}`)
	require.False(t, refused)
	require.Contains(t, text, `"name":"nightly"`)
	text, _ = asked(t, reader, "list_jobs", `{"name":"daily"}`)
	require.NotContains(t, text, "nightly")
	at := time.Now().UTC().Format(time.RFC3339)
	text, refused = asked(t, reader, "why", `{"id":1,"at":"`+at+`"}`)
	require.False(t, refused, text)
	require.Contains(t, text, `"code":"stopped"`)
	for _, wrong := range []struct{ tool, arguments, want string }{
		{"show_job", `{}`, "id is missing, show_job needs it"},
		{"show_job", `{"id":2}`, "job 2"},
		{"show_job", `{"id":".."}`, `id is "..", must be neither empty nor a path`},
		{"show_job", `{"id":"1/../../audit"}`, ""},
		{"show_job", `{"id":{}}`, "id must be a text, a number, true or false"},
		{"list_jobs", `{"nam":"x"}`, "nam is not an argument of list_jobs"},
		{"list_jobs", `{"limit":"many"}`, "limit"},
	} {
		text, refused := asked(t, reader, wrong.tool, wrong.arguments)
		require.True(t, refused, wrong)
		require.Contains(t, text, wrong.want)
	}
	_, err = reader.CallTool(t.Context(), &mcp.CallToolParams{Name: "start_job", Arguments: map[string]any{"id": 1}})
	require.Error(t, err, "no tool of that name without --allow-changes")

	reaching := assist(t, "--server", server, "--access-token", "of-readers", "--allow-changes")
	text, refused = asked(t, reaching, "start_job", `{"id":1}`)
	require.True(t, refused, "the token decides")
	require.NotEmpty(t, text)

	changer := assist(t, "--server", server, "--access-token", "of-operators", "--allow-changes")
	tools, err = changer.ListTools(t.Context(), nil)
	require.NoError(t, err)
	said := map[string]string{}
	for _, tool := range tools.Tools {
		said[tool.Name] = tool.Description
	}
	require.Equal(t, "End a pause. Due times within it are not run later.", said["end_pause"], "the summary and its notes")
	require.Equal(t, "Show a job.", said["show_job"])
	text, refused = asked(t, changer, "update_job", `{"id":1,"author":"an assistant"}`)
	require.False(t, refused, text)
	text, refused = asked(t, changer, "update_job", `{"id":1,"author":""}`)
	require.True(t, refused)
	require.Contains(t, text, "author")
	text, refused = asked(t, changer, "start_job", `{"id":1}`)
	require.False(t, refused, text)
	require.Contains(t, operate("job", "show", "1"), "an assistant")
	require.Contains(t, operate("audit", "list"), `"an assistant"`)

	code, _, stderr := cli(t, "mcp", "--server", server, "--access-token", "of-nobody")
	require.Equal(t, command.ExitFail, code)
	require.NotEmpty(t, stderr)
	require.NotContains(t, stderr, "of-nobody")
}
