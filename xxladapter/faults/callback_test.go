//go:build linux

package faults

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
	"github.com/xxlwheel/xxlwheel/xxladapter/wire"
)

// TestKilledRightAfterAcknowledgingAResult kills the scheduler that accepted a result as soon as
// the executor reads its acknowledgement. The executor forgets the result then, so the store must
// have it after the restart. Each result code meets each scheduler at least twice, and many times
// in a soak.
func TestKilledRightAfterAcknowledgingAResult(t *testing.T) {
	testserver.Long(t)
	onEach(t, engines, func(t *testing.T, e engine) {
		c := newCluster(t, e)
		arrived := make(chan wire.RunRequest, 100)
		exec := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			var run wire.RunRequest
			if r.URL.Path == wire.PathRun && json.NewDecoder(r.Body).Decode(&run) == nil {
				arrived <- run
			}
			answer(w, wire.OK())
		}))
		t.Cleanup(exec.Close)
		var group, job struct{ ID int64 }
		c.must("POST", "/groups", map[string]any{"appName": "callback", "title": "callback", "addressType": 1, "addressList": []string{exec.URL}}, &group)
		c.must("POST", "/jobs", map[string]any{"jobGroup": group.ID, "name": "callback", "author": "faults", "executorHandler": "h"}, &job)

		// All runs begin before the first kill; a round ends one of them.
		all := pick(18, 500)
		var runs []wire.RunRequest
		for range all {
			c.must("POST", fmt.Sprintf("/jobs/%d/trigger", job.ID), nil, nil)
			runs = append(runs, <-arrived)
		}
		for i := range rounds(len(runs), len(runs)) {
			run := runs[i]
			code := []int{wire.CodeOK, wire.CodeFail, wire.CodeTimeout}[i/len(c.nodes)%3]
			victim := c.nodes[i%len(c.nodes)]
			w := witness{t: t, admins: []string{c.servers[i%len(c.servers)]}}
			text := fmt.Sprintf("round %d", i)
			require.True(t, w.send(c.ctx, wire.Callbacks{{LogID: run.LogID, LogTime: run.LogTime, HandleCode: wire.Int(code), HandleMsg: text}}))
			victim.kill()
			victim.start()
			var l struct {
				HandleCode int    `json:"handleCode"`
				HandleMsg  string `json:"handleMsg"`
			}
			c.must("GET", fmt.Sprintf("/runs/%d", run.LogID), nil, &l)
			require.Equal(t, code, l.HandleCode, text)
			require.Equal(t, text, l.HandleMsg)
		}
		for _, n := range c.nodes {
			n.stop()
		}
		store := openStore(t, c.db.url)
		defer func() { require.NoError(t, store.Close()) }()
		logs, err := store.Logs(c.ctx, xxladapter.LogFilter{JobID: job.ID})
		require.NoError(t, err)
		require.Len(t, logs, all, "and nothing ran twice")
	})
}
