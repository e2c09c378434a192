package testserver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Two tests that start a process at the same time do not get the same port, although neither
// process listens yet. Of 500 ports drawn without memory, some would be the same almost always.
func TestAPortIsGivenOnce(t *testing.T) {
	t.Parallel()
	given := map[string]bool{}
	for range 500 {
		port := FreePort(t)
		require.False(t, given[port], port)
		given[port] = true
	}
}
