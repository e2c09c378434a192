package main

import (
	"net/http"
	"strings"
)

// clientFlags are the flags of every command that calls a running scheduler.
type clientFlags struct {
	Server      string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of the running scheduler (default ${default})."`
	AccessToken secret `placeholder:"TOKEN" help:"Secret to send to the scheduler, or @FILE that contains it."`
	TLSCA       string `name:"tls-ca" placeholder:"FILE" help:"File of certificate authorities in PEM to trust when the scheduler serves https, in addition to the system's."`
	Output      string `short:"o" default:"table" enum:"table,json,yaml," placeholder:"FORMAT" help:"Output format: table (default), json, which prints each entry as the API returns it, one per line, or yaml, which prints each as a document."`
	Quiet       bool   `short:"q" help:"Print only ids."`

	cookie string // of a session, for commands that sign in; sent in place of the token
}

func (c *clientFlags) api() apiClient {
	return apiClient{server: c.Server, token: string(c.AccessToken), cookie: c.cookie, ca: c.TLSCA}
}

// inSession makes the calls that follow send these cookies of a session in place of the token.
func (c *clientFlags) inSession(cookies []*http.Cookie) {
	var texts []string
	for _, cookie := range cookies {
		texts = append(texts, (&http.Cookie{Name: cookie.Name, Value: cookie.Value}).String())
	}
	c.cookie = strings.Join(texts, "; ")
}

// structured reports whether values are printed as the API returns them, for programs.
func (c *clientFlags) structured() bool { return c.Output == "json" || c.Output == "yaml" }
