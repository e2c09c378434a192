package main

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestANodeIsDrained drains one of two nodes: the other one gets its partitions.
func TestANodeIsDrained(t *testing.T) {
	t.Parallel()
	file := t.TempDir() + "/x.db"
	_, first := serveOn(t, file)
	d := desk{t: t, server: first}
	serveOn(t, file)
	testserver.Eventually(t, 10*time.Second, "each has half of the partitions", func() bool {
		return strings.Count(d.must("node list", ""), " 32 of 64 ") == 2
	})
	name, _, _ := strings.Cut(d.must("node list -q", ""), "\n")
	d.must("node drain "+name, "")
	testserver.Eventually(t, 10*time.Second, "the other one has them all", func() bool {
		return strings.Contains(d.must("node list", ""), " 64 of 64 ")
	})
	require.Regexp(t, `(?m)^`+name+` .* all +retired +- +0 of 64 `, d.must("node list", ""))
	require.Regexp(t, `(?m) drained +`+name+` `, d.must("node moves", ""))
	d.must("node drain "+name, "") // draining it again changes nothing
}
