// Package sample has the sample executor: the command executor, and the handlers that it shares
// with the demo.
package sample

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/daemon"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/settings"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/telemetry"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// Cmd runs the sample executor.
type Cmd struct {
	Admin             []string     `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URLs of the schedulers to register with, tried in order (default ${default})."`
	App               string       `default:"xxl-job-executor-sample" placeholder:"NAME" help:"App name to register under (default ${default})."`
	Listen            string       `default:"127.0.0.1:9999" placeholder:"HOST:PORT" help:"Address to accept runs at (default ${default}; port 0 picks a free one)."`
	Address           string       `placeholder:"URL" help:"Address to register (default: derived from --listen)."`
	AccessToken       flags.Secret `placeholder:"TOKEN" help:"Secret shared with the scheduler, or @FILE that contains it."`
	AllowDefaultToken bool         `help:"Allow XXL-JOB's well-known default token although other machines can reach the port."`
	AllowHost         []string     `placeholder:"NAME" help:"Additional host names under which schedulers may call this executor when it needs no token, for example a proxy's."`
	DataDir           string       `default:"executor-logs" placeholder:"DIR" help:"Directory for run logs and unsent results (default ${default})."`

	QueuePlaces int `default:"256" placeholder:"N" help:"Largest number of runs that were taken from --queue and have not ended (default ${default})."`

	TLS    daemon.TLSFlags       `embed:""`
	Broker daemon.QueueFlags     `embed:""`
	OTLP   daemon.TelemetryFlags `embed:"" prefix:"otlp-"`

	settings.Flags
	daemon.LogFlags `set:"log_level=info"`
}

// Check refuses settings that cannot be used, before anything is opened.
func (c *Cmd) Check() error {
	checkPlace := c.checkQueue
	if c.Broker.Queue == "" {
		checkPlace = func() error {
			return daemon.CheckListener(c.Listen, string(c.AccessToken), c.AllowDefaultToken)
		}
	}
	if err := cmp.Or(checkPlace(), c.Broker.Check(), c.TLS.Check(), c.OTLP.Check()); err != nil {
		return err
	}
	_, err := executor.New(c.options())
	var refused *executor.OptionError
	if errors.As(err, &refused) {
		if flag := flagOf[refused.Field]; flag != "" {
			return command.Usagef("%s %s", flag, refused.Says)
		}
	}
	return err
}

// flagOf maps options that no other check knows to the flags that set them.
var flagOf = map[string]string{"AppName": "--app", "Admins": "--admin", "Address": "--address"}

// Defaults of the flags that --queue replaces.
const (
	defaultAdmin  = "http://127.0.0.1:8080"
	defaultListen = "127.0.0.1:9999"
)

// checkQueue refuses flags that --queue replaces.
func (c *Cmd) checkQueue() error {
	switch {
	case !slices.Equal(c.Admin, []string{defaultAdmin}):
		return command.Usagef("--admin must not be together with --queue, over which the schedulers are reached")
	case c.Listen != defaultListen || c.Address != "" || c.TLS.TLSCert != "":
		return command.Usagef(
			"--listen, --address and --tls-cert must not be together with --queue; no port is opened",
		)
	case c.QueuePlaces < 1:
		return command.Usagef("--queue-places is %d, must be at least 1", c.QueuePlaces)
	}
	return nil
}

// options returns the executor's options that follow from the flags.
//
// REQUIRES: a --queue has been checked.
func (c *Cmd) options() executor.Options {
	o := executor.Options{
		AppName: c.App, AccessToken: string(c.AccessToken), DataDir: c.DataDir, TLSCA: c.TLS.TLSCA,
	}
	if c.Broker.Queue != "" {
		o.Queue, o.QueuePlaces = c.Broker.Endpoint(), c.QueuePlaces
		return o
	}
	o.Admins, o.AllowDefaultToken, o.AllowHosts = c.Admin, c.AllowDefaultToken, c.AllowHost
	o.Listen, o.Address, o.TLSCert, o.TLSKey = c.Listen, c.Address, c.TLS.TLSCert, c.TLS.TLSKey
	return o
}

func (c *Cmd) Run(inv *command.Invocation) error {
	if err := cmp.Or(c.Check(), client.TrustCA(c.TLS.TLSCA)); err != nil {
		return err
	}
	for _, admin := range c.Admin {
		if c.Broker.Queue != "" {
			break
		}
		if err := checkAdmin(inv.Context, admin, string(c.AccessToken)); err != nil {
			return err
		}
	}
	daemon.OutliveReader()
	plain := c.Logger(inv.Stderr)
	sending, err := c.OTLP.Start(inv.Context, telemetry.Options{Service: c.App, Logger: plain})
	if err != nil {
		return err
	}
	defer daemon.StopTelemetry(inv.Context, sending, plain)
	logger := sending.Logger(plain)
	opts := c.options()
	opts.Logger, opts.Trace = logger, sending.TraceRuns()
	e, err := executor.New(opts)
	if err != nil {
		return err
	}
	if err := Handle(e); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- e.Run(inv.Context) }() // both ways out wait for ended
	select {
	case err := <-ended:
		return err
	case <-e.Ready():
	}
	if c.Broker.Queue != "" {
		fmt.Fprintf(inv.Stdout, "xxlwheel executor %s takes runs from %s as %s\n", c.App, c.Broker.Shown(), e.Address())
	} else {
		fmt.Fprintf(inv.Stdout, "xxlwheel executor %s accepts runs at %s\n", c.App, e.Address())
	}
	return daemon.Stopped(logger, <-ended)
}

// checkAdmin asks an admin whether it accepts the token, by calling an operation that no release
// has: every release checks the token first. An admin that does not answer is no error; it may
// answer later, when the executor registers.
func checkAdmin(ctx context.Context, admin, token string) error {
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second)
	defer cancel()
	url := strings.TrimSuffix(admin, "/") + wire.AdminPath + "checkToken"
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader("{}"))
	if err != nil {
		return command.Usagef("--admin is %q, must be a URL such as http://127.0.0.1:8080", access.Shown(admin))
	}
	req.Header.Set("Content-Type", wire.ContentType)
	if token != "" {
		req.Header.Set(wire.HeaderToken, token)
	}
	resp, err := client.HTTP.Do(req)
	if err != nil {
		return nil
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(io.LimitReader(resp.Body, wire.MaxBody))
	if err != nil {
		return nil
	}
	if reply, err := wire.DecodeReply(body); err == nil && reply.Msg == wire.MsgWrongToken {
		return fmt.Errorf("--access-token is not the one of %s: %s", access.Shown(admin), reply.Msg)
	}
	return nil
}
