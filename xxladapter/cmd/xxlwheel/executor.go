package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter/access"
	"github.com/xxlwheel/xxlwheel/xxladapter/executor"
	"github.com/xxlwheel/xxlwheel/xxladapter/telemetry"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

type executorCmd struct {
	Admin             []string `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URLs of the schedulers to register with, tried in order (default ${default})."`
	App               string   `default:"xxl-job-executor-sample" placeholder:"NAME" help:"App name to register under (default ${default})."`
	Listen            string   `default:"127.0.0.1:9999" placeholder:"HOST:PORT" help:"Address to accept runs at (default ${default}; port 0 picks a free one)."`
	Address           string   `placeholder:"URL" help:"Address to register (default: derived from --listen)."`
	AccessToken       secret   `placeholder:"TOKEN" help:"Secret shared with the scheduler, or @FILE that contains it."`
	AllowDefaultToken bool     `help:"Allow XXL-JOB's well-known default token although other machines can reach the port."`
	AllowHost         []string `placeholder:"NAME" help:"Additional host names under which schedulers may call this executor when it needs no token, for example a proxy's."`
	DataDir           string   `default:"executor-logs" placeholder:"DIR" help:"Directory for run logs and unsent results (default ${default})."`

	QueuePlaces int `default:"256" placeholder:"N" help:"Runs to take from --queue before they have ended (default ${default})."`

	TLS    tlsFlags       `embed:""`
	Broker queueFlags     `embed:""`
	OTLP   telemetryFlags `embed:"" prefix:"otlp-"`

	settingsFlags
	logFlags `set:"log_level=info"`
}

// check refuses settings that cannot be used, before anything is opened.
func (c *executorCmd) check() error {
	if c.Broker.Queue != "" {
		return cmp.Or(c.checkQueue(), c.Broker.check(), c.TLS.check(), c.OTLP.check())
	}
	return cmp.Or(checkListener(c.Listen, string(c.AccessToken), c.AllowDefaultToken), c.Broker.check(), c.TLS.check(), c.OTLP.check())
}

// Defaults of the flags that --queue replaces.
const (
	defaultAdmin  = "http://127.0.0.1:8080"
	defaultListen = "127.0.0.1:9999"
)

// checkQueue refuses flags that --queue replaces.
func (c *executorCmd) checkQueue() error {
	switch {
	case !slices.Equal(c.Admin, []string{defaultAdmin}):
		return usagef("--admin must not be together with --queue, over which the schedulers are reached")
	case c.Listen != defaultListen || c.Address != "" || c.TLS.TLSCert != "":
		return usagef("--listen, --address and --tls-cert must not be together with --queue; nothing is listened to")
	case c.QueuePlaces < 1:
		return usagef("--queue-places is %d, must be at least 1", c.QueuePlaces)
	}
	return nil
}

// transport sets how the schedulers are reached.
func (c *executorCmd) transport(o *executor.Options) {
	if c.Broker.Queue != "" {
		o.Queue, o.QueueCredentials, o.QueuePlaces = string(c.Broker.Queue), c.Broker.QueueCredentials, c.QueuePlaces
		return
	}
	o.Admins, o.AllowDefaultToken, o.AllowHosts = c.Admin, c.AllowDefaultToken, c.AllowHost
	o.Listen, o.Address, o.TLSCert, o.TLSKey = c.Listen, c.Address, c.TLS.TLSCert, c.TLS.TLSKey
}

func (c *executorCmd) Run(inv *invocation) error {
	if err := cmp.Or(c.check(), trustCA(c.TLS.TLSCA)); err != nil {
		return err
	}
	for _, admin := range c.Admin {
		if c.Broker.Queue != "" {
			break
		}
		if err := checkAdmin(inv.ctx, admin, string(c.AccessToken)); err != nil {
			return err
		}
	}
	plain := c.logger(inv.stderr)
	sending, err := c.OTLP.start(inv.ctx, telemetry.Options{Service: c.App, Logger: plain})
	if err != nil {
		return err
	}
	defer stopTelemetry(inv.ctx, sending, plain)
	logger := sending.Logger(plain)
	opts := executor.Options{
		AppName: c.App, AccessToken: string(c.AccessToken), DataDir: c.DataDir, TLSCA: c.TLS.TLSCA,
		Logger: logger, Trace: sending.TraceRuns(),
	}
	c.transport(&opts)
	e, err := executor.New(opts)
	if err != nil {
		return err
	}
	if err := handleSamples(e); err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- e.Run(inv.ctx) }() // both ways out wait for ended
	select {
	case err := <-ended:
		return err
	case <-e.Ready():
	}
	if c.Broker.Queue != "" {
		fmt.Fprintf(inv.stdout, "xxlwheel executor %s takes runs from %s as %s\n", c.App, c.Broker.shown(), e.Addr())
	} else {
		fmt.Fprintf(inv.stdout, "xxlwheel executor %s accepts runs at %s\n", c.App, e.Addr())
	}
	return stopped(logger, <-ended)
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
		return usagef("--admin is %q, must be a URL such as http://127.0.0.1:8080", access.Shown(admin))
	}
	req.Header.Set("Content-Type", wire.ContentType)
	if token != "" {
		req.Header.Set(wire.HeaderToken, token)
	}
	resp, err := apiHTTP.Do(req)
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
