package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"time"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

type serveCmd struct {
	Listen         string `default:"127.0.0.1:8080" placeholder:"HOST:PORT" help:"Where to serve executors and the API (default ${default}; port 0: any free one)."`
	Store          string `default:"sqlite:xxlwheel.db" placeholder:"KIND:PLACE" help:"Where jobs, fires and logs are kept: sqlite:FILE (default ${default})."`
	AccessToken    string `placeholder:"TOKEN" help:"Secret that executors and the command line must send."`
	AllowWeakToken bool   `help:"Allow an empty or well-known token where other machines can reach the port."`
	Zone           string `default:"Local" placeholder:"ZONE" help:"Time zone of cron expressions, for example Asia/Shanghai (default: this machine's)."`
}

func (c *serveCmd) Run(inv *invocation) error {
	if err := checkToken(c.Listen, c.AccessToken, c.AllowWeakToken); err != nil {
		return err
	}
	zone, err := loadZone(c.Zone)
	if err != nil {
		return err
	}
	logger := slog.New(slog.NewTextHandler(inv.stderr, nil))
	ln, err := listen(c.Listen)
	if err != nil {
		return err
	}
	defer ln.Close() // the server closes it too, and a second time does nothing
	store, err := openStore(inv.ctx, c.Store, logger)
	if err != nil {
		return err
	}
	n, err := node.New(node.Options{Store: store, AccessToken: c.AccessToken, Zone: zone, Logger: logger})
	if err != nil {
		return errors.Join(err, store.Close())
	}
	fmt.Fprintf(inv.stdout, "xxlwheel serves on http://%s, store %s\n", ln.Addr(), c.Store)
	return errors.Join(n.Run(inv.ctx, ln), store.Close())
}

// openStore opens what a --store flag names.
func openStore(ctx context.Context, spec string, logger *slog.Logger) (xxladapter.Store, error) {
	kind, place, _ := strings.Cut(spec, ":")
	if kind != "sqlite" || place == "" {
		return nil, usagef("--store is %q, must be sqlite:FILE", spec)
	}
	return sqlstore.OpenSQLite(ctx, place, sqlstore.Options{Logger: logger})
}

func loadZone(name string) (*time.Location, error) {
	zone, err := time.LoadLocation(name)
	if err != nil {
		return nil, usagef("--zone is %q, must be a time zone such as Asia/Shanghai", name)
	}
	return zone, nil
}
