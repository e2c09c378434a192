package browser

import (
	"fmt"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/queue"
)

// TestTheQueueOfAGroup checks that the page of a group whose executors take runs from a queue shows
// how many runs wait, since when, and how many were delivered again. If the broker is gone, the
// page says so.
func TestTheQueueOfAGroup(t *testing.T) {
	t.Parallel()
	broker, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, JetStream: true, StoreDir: t.TempDir(), NoSigs: true, NoLog: true})
	require.NoError(t, err)
	broker.Start()
	t.Cleanup(broker.Shutdown)
	require.True(t, broker.ReadyForConnections(limit))
	runs, err := queue.Connect(t.Context(), queue.Options{URL: broker.ClientURL()})
	require.NoError(t, err)
	t.Cleanup(runs.Close) // after the scheduler
	s := startSite(t, "", loopback, func(o *node.Options, _ string) { o.Queue = runs })
	// No executor takes its runs, so all of them wait.
	var group struct{ ID int64 }
	s.call("POST", "/groups", map[string]any{"appName": "reports", "title": "Reports", "addressType": 1, "addressList": []string{"nats://reports"}}, &group)
	job := s.job(group.ID, "build reports", nil)
	tab := s.open(fmt.Sprintf("executors/%d", group.ID))
	const fact = `[...document.querySelectorAll("section[aria-label=Queue] dd")].map((e) => e.innerText)`
	tab.until("nothing waits", fact+`[0] === "0" && `+fact+`[1] === "–"`)
	began := time.Now()
	for range 3 {
		s.run(job, "")
	}
	tab.click("Probe")
	tab.until("three runs wait", fact+`[0] === "3" && `+fact+`[2] === "0"`)
	var oldest time.Time
	tab.eval(`document.querySelector("section[aria-label=Queue] time").dateTime`, &oldest)
	require.WithinDuration(t, began, oldest, limit)
	tab.until("an address of nobody is not probed", `document.querySelector("main tbody tr").innerText.includes("Any executor with room") && !document.querySelector("pre.block")`)
	tab.looksRight("executor-queue")
	broker.Shutdown()
	tab.click("Probe")
	tab.sees("The broker does not say what waits")
}
