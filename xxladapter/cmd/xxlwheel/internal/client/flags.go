package client

import (
	"net/http"
	"strings"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
)

// Flags are the flags of every command that calls a running scheduler.
type Flags struct {
	Server      string       `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of the running scheduler (default ${default})."`
	AccessToken flags.Secret `placeholder:"TOKEN" help:"Secret to send to the scheduler, or @FILE that contains it."`
	TLSCA       string       `predictor:"file" name:"tls-ca" placeholder:"FILE" help:"File of certificate authorities in PEM to trust when the scheduler serves https, in addition to the system's."`
	Output      string       `short:"o" default:"table" enum:"table,json,yaml," placeholder:"FORMAT" help:"Output format: table (default), json, which prints each entry as the API returns it, one per line, or yaml, which prints each as a document."`
	Quiet       bool         `short:"q" help:"Print only ids."`

	cookie string // of a session, for commands that sign in; sent in place of the token
}

// API returns the client of the scheduler that the flags name.
func (c *Flags) API() API {
	return API{Server: c.Server, Token: string(c.AccessToken), cookie: c.cookie, CA: c.TLSCA}
}

// InSession makes the calls that follow send these cookies of a session in place of the token.
func (c *Flags) InSession(cookies []*http.Cookie) {
	var texts []string
	for _, cookie := range cookies {
		texts = append(texts, (&http.Cookie{Name: cookie.Name, Value: cookie.Value}).String())
	}
	c.cookie = strings.Join(texts, "; ")
}

// Structured reports whether values are printed as the API returns them, for programs.
func (c *Flags) Structured() bool { return c.Output == "json" || c.Output == "yaml" }
