// Command report runs the benchmarks and writes tables and charts to bench/results.
//
//	go run ./bench/cmd/report [-short]
//
// The work is done by bench/report, which needs a plotting library and the
// statistics of benchstat. They must not become dependencies of those who import
// the timers, so it is a module of its own, and this command only starts it.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	err := run(os.Args[1:])
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		os.Exit(max(exit.ExitCode(), 1)) // it has said why
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "report:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	root, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return fmt.Errorf("find the module's folder: %w", err)
	}
	cmd := exec.Command("go", append([]string{"run", "."}, args...)...)
	cmd.Dir = filepath.Join(strings.TrimSpace(string(root)), "bench", "report")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	return cmd.Run()
}
