package serve

import (
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	webconsole "github.com/xxlwheel/xxlwheel/xxladapter/console"
)

// console returns the web console, or nil with --no-console.
func (c *Cmd) console() (*webconsole.Console, error) {
	if c.NoConsole {
		if c.ConsoleDir != "" {
			return nil, command.Usagef("--console-dir is %q, must not be together with --no-console", c.ConsoleDir)
		}
		return nil, nil
	}
	pages, err := webconsole.New(webconsole.Options{Dir: c.ConsoleDir})
	if err != nil {
		return nil, command.Usagef("--console-dir is %q, must be a folder with index.html", c.ConsoleDir)
	}
	return pages, nil
}
