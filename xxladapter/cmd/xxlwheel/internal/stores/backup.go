package stores

import (
	"fmt"
	"os"

	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/command"
	"github.com/xxlwheel/xxlwheel/xxladapter/cmd/xxlwheel/internal/flags"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore"
)

// BackupCmd copies a SQLite store. Stores on a server are backed up with the server's own tools.
type BackupCmd struct {
	To    string       `predictor:"file" arg:"" placeholder:"FILE" help:"File to create; an existing file is never overwritten."`
	Store flags.Secret `default:"sqlite:xxlwheel.db" placeholder:"PLACE" help:"Store to copy, as sqlite:FILE; schedulers may be using it (default ${default}). For MySQL and PostgreSQL, use mysqldump --single-transaction or pg_dump."`
}

func (c *BackupCmd) Run(inv *command.Invocation) error {
	file, isFile := sqlstore.FileOf(string(c.Store))
	if !isFile {
		return command.Usagef("--store is %q, must be sqlite:FILE", sqlstore.Redacted(string(c.Store)))
	}
	err := command.Waiting(inv.Stderr, inv.Asks, func() string {
		return fmt.Sprintf("copying, %d MiB of %d at most", sizeOf(c.To)>>20, (sizeOf(file)+sizeOf(file+"-wal"))>>20)
	}, func() error { return sqlstore.BackupSQLite(inv.Context, string(c.Store), c.To) })
	if err != nil {
		return refusedFlag(err)
	}
	info, err := os.Stat(c.To)
	if err != nil {
		return err
	}
	fmt.Fprintf(inv.Stdout, "%s: %d bytes\n", c.To, info.Size())
	return nil
}

// sizeOf returns the size of a file in bytes; 0 if there is none.
func sizeOf(file string) int64 {
	info, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return info.Size()
}
