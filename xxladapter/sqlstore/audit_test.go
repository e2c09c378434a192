//go:build unix

package sqlstore

import (
	"fmt"
	"path/filepath"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/sqlstore/internal/records"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// TestNodesDoNotForkTheChain lets three nodes edit jobs on one database at the same time. Each edit
// has to have its row, and the rows have to form one chain.
func TestNodesDoNotForkTheChain(t *testing.T) {
	t.Parallel()
	for name, open := range map[string]func(t *testing.T) func() *records.Store{
		"sqlite": func(t *testing.T) func() *records.Store {
			file := filepath.Join(t.TempDir(), "chain.db")
			return func() *records.Store { return openFile(t, file, nil) }
		},
		"mysql": func(t *testing.T) func() *records.Store {
			url := mysqlDatabase(t, "3.4")
			return func() *records.Store { return openMySQLAt(t, url, Options{}) }
		},
		"postgres": func(t *testing.T) func() *records.Store {
			url := testserver.PostgresCopy(t, migrateURL)
			return func() *records.Store { return openURL(t, url, Options{}) }
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			node := open(t)
			first := node()
			defer func() { require.NoError(t, first.Close()) }()
			ctx := xxladapter.WithCall(t.Context(), "test")
			group, err := first.SaveGroup(ctx, &xxladapter.Group{AppName: "chain-app", Title: "t"})
			require.NoError(t, err)
			const nodes, edits = 3, 15
			var wait sync.WaitGroup
			for n := range nodes {
				s := first
				if n > 0 {
					s = node()
					defer func() { require.NoError(t, s.Close()) }()
				}
				for range 2 {
					wait.Go(func() {
						for i := range edits {
							if _, err := xxladapter.CreateJob(ctx, s, &xxladapter.Job{GroupID: group, Name: fmt.Sprint(n, i)}); err != nil {
								t.Error(err)
							}
						}
					})
				}
			}
			wait.Wait()
			rows, err := first.AuditRows(t.Context(), xxladapter.AuditFilter{})
			require.NoError(t, err)
			require.Equal(t, 1+nodes*2*edits, len(rows), "each edit has its row")
			ends, err := first.AuditEnds(t.Context())
			require.NoError(t, err)
			mark, err := xxladapter.FollowChain(ends.Anchor, rows)
			require.NoError(t, err)
			require.NoError(t, xxladapter.EndChain(mark, ends.Last))
		})
	}
}
