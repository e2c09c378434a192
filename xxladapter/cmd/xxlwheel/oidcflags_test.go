package main

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
)

func TestBadOIDCFlagsAreRefused(t *testing.T) {
	t.Parallel()
	const issuer = "--oidc-issuer=https://id.example.org"
	for flags, message := range map[string]string{
		"--oidc-client-id=x":           "--oidc-issuer is missing",
		"--oidc-role=ops=admin":        "--oidc-issuer is missing",
		"--oidc-name=Work":             "--oidc-issuer is missing",
		"--oidc-scope=groups":          "--oidc-issuer is missing",
		"--oidc-claim=realm":           "--oidc-issuer is missing",
		issuer:                         "client id is missing",
		issuer + " --oidc-client-id=x": "role rules are missing",
		issuer + " --oidc-client-id=x --oidc-role=ops":                 "--oidc-role: role rule is \"ops\"",
		issuer + " --oidc-client-id=x --oidc-role=ops=root":            "must be one of viewer",
		"--oidc-issuer=ftp://x --oidc-client-id=x --oidc-role=o=admin": "must begin with https://",
		"--public-url=jobs.example.org":                                "--public-url is \"jobs.example.org\"",
		"--public-url=https://jobs.example.org/?x":                     "--public-url is",
	} {
		var stdout, stderr bytes.Buffer
		args := append([]string{"serve", "--listen", "127.0.0.1:0", "--store", "sqlite:" + t.TempDir() + "/x.db"}, strings.Fields(flags)...)
		require.Equal(t, command.ExitUsage, run(t.Context(), args, command.Console{Stdin: strings.NewReader(""), Stdout: &stdout, Stderr: &stderr}), flags)
		require.Contains(t, stderr.String(), message, flags)
	}
}

// TestServeStartsWhileTheProviderIsAway checks that the session says how to sign in, and that the
// scheduler asks the provider only when somebody does.
func TestServeStartsWhileTheProviderIsAway(t *testing.T) {
	t.Parallel()
	_, server := serveOn(t, t.TempDir()+"/x.db", "--oidc-issuer", "http://127.0.0.1:1", "--oidc-client-id", "x", "--oidc-name", "Work",
		"--oidc-role", "cn=ops,dc=example=admin", "--oidc-role", "devs=editor@orders")
	get := func(path string) (int, []byte) {
		req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server+path, nil)
		require.NoError(t, err)
		resp, err := http.DefaultClient.Do(req)
		require.NoError(t, err)
		defer resp.Body.Close()
		body, err := io.ReadAll(resp.Body)
		require.NoError(t, err)
		return resp.StatusCode, body
	}
	status, body := get("/api/v1/session")
	require.Equal(t, http.StatusOK, status)
	var session struct{ OIDC string }
	require.NoError(t, json.Unmarshal(body, &session))
	require.Equal(t, "Work", session.OIDC)
	status, body = get("/api/v1/login/oidc")
	require.Equal(t, http.StatusBadGateway, status)
	require.Contains(t, string(body), "Work does not answer")
	status, _ = get("/api/v1/jobs")
	require.Equal(t, http.StatusUnauthorized, status, "nothing is open")
}
