package browser

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/xxlwheel/xxlwheel/xxladapter"
	"github.com/xxlwheel/xxlwheel/xxladapter/elect/electtest"
	"github.com/xxlwheel/xxlwheel/xxladapter/node"
	"github.com/xxlwheel/xxlwheel/xxladapter/testserver"
)

// The page of schedulers shows who leads, who stands by, what the elector says of each, how fires
// are spread, how many each has taken, and how each got its partitions.
func TestALeaderAndAStandby(t *testing.T) {
	t.Parallel()
	const token = "a-secret-of-operators"
	var memory electtest.Memory
	led := func(o *node.Options, url string) {
		o.Scheduling, o.Spread, o.Elector, o.Advertise = xxladapter.SchedulingLeader, xxladapter.SpreadRound, memory.Elector(), url
	}
	s := startSite(t, token, loopback, led)
	testserver.Eventually(s.t, 30*time.Second, "the first leads", func() bool {
		return strings.Contains(s.get("/nodes"), `"role":"leads"`)
	})
	s.standby(led)
	job := s.job(s.group("Orders"), "settle orders", map[string]any{"scheduleType": "FIX_RATE", "scheduleConf": "1"})
	s.call("POST", fmt.Sprintf("/jobs/%d/start", job), nil, nil)

	tab := s.signIn("nodes")
	const row = `[...document.querySelectorAll("table[aria-label=Nodes] tbody tr")].find((r) => r.innerText.includes(%q))?.innerText ?? ""`
	leads, waits := fmt.Sprintf(row, "Leads"), fmt.Sprintf(row, "Stands by")
	tab.sees("One plans all jobs")
	tab.until("the elector is named", `[...document.querySelectorAll(".facts code")].some((e) => e.innerText === "memory")`)
	tab.sees("In turn")
	tab.until("the leader is elected, and has all partitions", `(`+leads+`).includes("Elected #1") && (`+leads+`).includes("64 of 64") && (`+leads+`).includes("Joined")`)
	tab.until("the other waits, and has none", `(`+waits+`).includes("Waits to be elected") && (`+waits+`).includes("0 of 64")`)
	const taken = `[...document.querySelectorAll("table[aria-label=Nodes] tbody tr")].map((r) => Number(r.cells[[...document.querySelectorAll("table[aria-label=Nodes] th")].findIndex((h) => h.innerText === "Fires taken")].innerText))`
	tab.until("the standby has taken fires", taken+`.some((n) => n > 0)`)
	var list struct {
		Nodes []struct {
			Node string
			Term int
		}
	}
	s.call("GET", "/nodes", nil, &list)
	require.Len(t, list.Nodes, 2)
	for _, n := range list.Nodes {
		tab.until("the term of "+n.Node, fmt.Sprintf(`[...document.querySelectorAll("table[aria-label=Nodes] tbody tr")].some((r) => r.cells[0].innerText === %q && r.cells[[...document.querySelectorAll("table[aria-label=Nodes] th")].findIndex((h) => h.innerText === "Term")].innerText === "%d")`, n.Node, n.Term))
	}
	tab.looksRight("nodes-leader")
	tab.look("en", "light", 390)
	tab.until("a narrow screen has the partitions below the name", `[...document.querySelectorAll("table[aria-label=Nodes] tbody tr")].map((r) => r.cells[0].innerText.split("\n").at(-1)).sort().join() === "Partitions 0 of 64,Partitions 64 of 64"`)
	tab.look("en", "light", 1440)
	memory.SetAway(true)
	tab.sees("The elector does not answer")
}

// standby runs another scheduler on the site's store until the test ends.
func (s *site) standby(change func(o *node.Options, url string)) {
	s.t.Helper()
	ln, err := net.Listen("tcp", loopback)
	require.NoError(s.t, err)
	options := node.Options{Store: s.store, AccessToken: s.token, Logger: slog.New(slog.DiscardHandler)}
	change(&options, "http://"+ln.Addr().String())
	n, err := node.New(options)
	require.NoError(s.t, err)
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- n.Run(ctx, ln) }()
	s.t.Cleanup(func() {
		cancel()
		require.NoError(s.t, <-ended)
	})
}

// get returns the text of an answer of the API.
func (s *site) get(path string) string {
	s.t.Helper()
	_, text := s.try("GET", path, nil)
	return text
}
