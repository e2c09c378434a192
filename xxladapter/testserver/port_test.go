package testserver

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Two tests that start a process at the same time do not get the same port, although neither
// process listens yet. If FreePort did not remember its ports, some of 500 would almost always be
// the same.
func TestAPortIsGivenOnce(t *testing.T) {
	t.Parallel()
	given := map[string]bool{}
	for range 500 {
		port := FreePort(t)
		require.False(t, given[port], port)
		given[port] = true
	}
}
