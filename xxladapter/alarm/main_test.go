package alarm

import (
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	if file := os.Getenv(crashFile); file != "" {
		fmt.Fprintln(os.Stderr, monitorUntilKilled(file))
		os.Exit(1)
	}
	goleak.VerifyTestMain(m)
}
