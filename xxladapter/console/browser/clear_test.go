package browser

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The form for deleting runs says how many it selects, and deletes those.
func TestClearingRuns(t *testing.T) {
	t.Parallel()
	s := newSite(t, "")
	group := s.group("Orders")
	job, other := s.job(group, "settle orders", nil), s.job(group, "collect payments", nil)
	for range 3 {
		s.ended(s.run(job, ""))
	}
	s.ended(s.run(other, ""))
	count := func() int {
		t.Helper()
		var list struct{ Count int }
		s.call("GET", "/runs?count", nil, &list)
		return list.Count
	}
	tab := s.open("runs")
	tab.click("Delete runs")
	tab.sees("0 runs are selected")
	tab.accessible("clear")
	for way, selected := range map[string]string{"3m": "0 runs", "6m": "0 runs", "1y": "0 runs", "1000": "0 runs", "10000": "0 runs", "30000": "0 runs", "100000": "0 runs", "all": "4 runs"} {
		tab.choose("Which", way)
		tab.sees(selected + " are selected")
	}
	tab.choose("Which", "all")
	tab.sees("4 runs are selected")
	tab.picture("clear")
	tab.click("Cancel")
	require.Equal(t, 4, count())

	tab.visit("runs?job=1")
	tab.click("Delete runs")
	tab.sees("Runs of settle orders")
	tab.choose("Which", "all")
	tab.sees("3 runs are selected")
	tab.click("Delete")
	tab.sees("3 runs were deleted")
	require.Equal(t, 1, count())
	tab.sees("Nothing matches")
}
