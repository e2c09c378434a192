package declared

import (
	"errors"
	"net/url"
	"os"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/client"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
)

// ExportCmd declares in a file what a scheduler has.
type ExportCmd struct {
	Server         string       `default:"http://127.0.0.1:8080" placeholder:"URL" help:"URL of the running scheduler (default ${default})."`
	AccessToken    flags.Secret `placeholder:"TOKEN" help:"Secret to send to the scheduler, or @FILE that contains it."`
	TLSCA          string       `predictor:"file" name:"tls-ca" placeholder:"FILE" help:"File of certificate authorities in PEM to trust when the scheduler serves https, in addition to the system's."`
	App            string       `placeholder:"APP" help:"Only the group with this app name."`
	Owner          string       `placeholder:"OWNER" help:"Only jobs that this owner has declared."`
	WithoutRunning bool         `help:"Leave out whether schedules are on."`
	Format         string       `default:"yaml" enum:"yaml,json" help:"yaml (default) or json."`
	File           string       `predictor:"file" short:"f" placeholder:"FILE" help:"Write to this file, which must not exist. Default: standard output."`
}

// Run stores a key for each job that has none, if the caller may, and writes the declarations.
func (c *ExportCmd) Run(inv *command.Invocation) error {
	caller := client.Flags{Server: c.Server, AccessToken: c.AccessToken, TLSCA: c.TLSCA}
	if c.App != "" {
		if _, err := caller.GroupOf(inv, c.App); err != nil {
			return err
		}
	}
	query := url.Values{}
	for name, value := range map[string]string{"appName": c.App, "owner": c.Owner} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if c.WithoutRunning {
		query.Set("withoutRunning", "true")
	}
	api := caller.API()
	api.Patient = true
	var refused *client.Error
	err := command.Waiting(inv.Stderr, inv.Asks, command.Doing("storing keys"), func() error {
		return api.Call(inv.Context, "POST", "/export?"+query.Encode(), nil, nil)
	})
	if errors.As(err, &refused) && refused.Code == "forbidden" {
		caller.Note(inv, "jobs without a stored key are exported under a key made of their names, because you may not store keys (%s); after a rename, apply will not find them", refused.Message)
	} else if err != nil {
		return err
	}
	query.Set("format", c.Format)
	if c.File == "" {
		return api.Download(inv.Context, "/export?"+query.Encode(), inv.Stdout)
	}
	file, err := os.OpenFile(c.File, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600) // scripts and parameters may be secret
	if err != nil {
		return err
	}
	err = command.Waiting(inv.Stderr, inv.Asks, command.Doing("exporting"), func() error {
		return api.Download(inv.Context, "/export?"+query.Encode(), file)
	})
	if err = errors.Join(err, file.Close()); err != nil {
		// A part looks like a whole file, and would keep the next export from writing.
		err = errors.Join(err, os.Remove(c.File))
	}
	return err
}
