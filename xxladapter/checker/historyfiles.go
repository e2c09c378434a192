package checker

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
)

// ReadFiles reads one history from several files, in the given order. The lines of a recorder must
// all be in one of them.
func ReadFiles(ctx context.Context, files []string) (*History, error) {
	if len(files) == 0 {
		return nil, errors.New("checker: list of files is empty, must name at least one")
	}
	rd := newReader()
	for _, name := range files {
		if err := rd.readFile(ctx, name); err != nil {
			return nil, err
		}
	}
	return rd.h, nil
}

func (rd *reader) readFile(ctx context.Context, name string) error {
	f, err := os.Open(name)
	if err != nil {
		return fmt.Errorf("checker: %w", err)
	}
	defer f.Close()
	return rd.read(ctx, f, name)
}

// CheckFiles reads the files as one history, judges it and prints the report. clean is true if
// there is no violation. An error means that the history could not be judged, or the report not
// printed.
func CheckFiles(ctx context.Context, files []string, opts Options, out io.Writer) (clean bool, err error) {
	if _, err := opts.withDefaults(); err != nil {
		return false, err
	}
	h, err := ReadFiles(ctx, files)
	if err != nil {
		return false, err
	}
	report := Check(h, opts)
	if report.Err != nil {
		return false, report.Err
	}
	if _, err := io.WriteString(out, report.String()); err != nil {
		return false, fmt.Errorf("checker: print report: %w", err)
	}
	return report.Clean(), nil
}
